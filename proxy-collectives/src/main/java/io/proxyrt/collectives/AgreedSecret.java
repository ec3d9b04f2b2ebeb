/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.bootstrap.Bootstrap;
import io.proxyrt.core.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import java.security.SecureRandom;

/** What only the ranks of a job know. */
final class AgreedSecret {
    private AgreedSecret() {
    }

    /**
     * Rank 0 makes one up and the bootstrap carries it round. Where the bootstrap's network is not to be trusted, the
     * secret that all ranks were given goes in too. Blocks until all ranks have called it.
     */
    static JobSecret of(Bootstrap bootstrap, ProxyConfig config) {
        byte[] random = new byte[bootstrap.rank() == 0 ? JobSecret.PROOF_BYTES : 0];
        new SecureRandom().nextBytes(random);
        byte[] common = bootstrap.allGather(random, config.get(CollectivesOptions.TIMEOUT))[0];
        return JobSecret.of(config).map(given -> given.derive("proxyrt job", common))
                .orElseGet(() -> JobSecret.of(common));
    }
}
