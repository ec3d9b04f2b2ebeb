/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.platform.Platform;

/**
 * What the service and the clients of one runtime share.
 *
 * @param self     this runtime
 * @param secret   of the job
 * @param settings limits
 * @param platform waits
 * @param sockets  carry
 * @param address  where the service listens
 */
record UdsContext(PeerId self, JobSecret secret, UdsSettings settings, Platform platform, Sockets sockets,
                  String address) {
    @Override
    public String toString() {
        return "UDS thread of rank " + self.rank() + " at " + address;
    }
}
