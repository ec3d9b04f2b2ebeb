/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import java.nio.ByteBuffer;
import java.time.Duration;

/** How long a side waits, within frames: milliseconds in four bytes without a sign. */
final class WirePatience {
    private static final long MAX_MILLIS = 0xFFFF_FFFFL;

    private WirePatience() {
    }

    /** What is longer than 49 days is as good as that. */
    static int of(Duration patience) {
        return (int) Math.clamp(patience.toMillis(), 0, MAX_MILLIS);
    }

    static Duration get(ByteBuffer received, int at) {
        return Duration.ofMillis(Integer.toUnsignedLong(received.getInt(at)));
    }
}
