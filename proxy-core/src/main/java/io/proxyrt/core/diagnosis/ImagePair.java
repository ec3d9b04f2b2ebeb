/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * Two images of a rank, taken as one looks at one's own host.
 *
 * @param first  not to be trusted
 * @param second neither; {@link HostLook#SPAN} later
 */
record ImagePair(byte[] first, byte[] second) {
    private static final Logger LOGGER = Subsystem.PROXY.logger();

    /** What they show of a rank of a job; empty if it is not that. */
    Optional<RankObservation> observation(int rank, int nRanks) {
        try {
            RuntimeLook before = RuntimeLook.of(RuntimeImage.decode(first));
            RuntimeLook after = RuntimeLook.of(RuntimeImage.decode(second));
            return Optional.of(after).filter(look -> look.rank() == rank && look.nRanks() == nRanks)
                    .map(look -> look.since(before));
        } catch (ProxyException e) {
            LOGGER.debug("what the host of rank {} tells of it cannot be read: {}", rank, e.getMessage());
            return Optional.empty();
        }
    }
}
