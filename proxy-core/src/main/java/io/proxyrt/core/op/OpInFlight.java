/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.time.Duration;

/**
 * An op that was fetched and has not ended, as other processes can see it in the mapped file.
 *
 * @param lane       who posted it
 * @param opCount    the grouping key
 * @param connection the op runs on
 * @param peer       the rank at the other end
 * @param channelId  channel of the communicator
 * @param age        since it was fetched
 */
public record OpInFlight(int lane, long opCount, long connection, int peer, int channelId, Duration age) {
    @Override
    public String toString() {
        return "op " + opCount + " peer " + peer + " channel " + channelId + " connection "
                + Long.toHexString(connection) + ", in flight for " + age.toMillis() + " ms";
    }
}
