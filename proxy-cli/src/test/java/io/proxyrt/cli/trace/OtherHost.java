/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes a counters file look as if it came from a host with another clock. */
public final class OtherHost {
    private static final long NEAR_NS = 3_600_000_000_000L;
    private static final long NEAR_MS = 3_600_000;

    private OtherHost() {
    }

    /**
     * A copy of a file of this host that was made not long ago.
     *
     * @param aheadMs of its time of day
     */
    public static Path copy(Path counters, Path copy, long aheadMs) throws IOException {
        byte[] bytes = Files.readAllBytes(counters);
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        for (int at = 0; at + 16 <= bytes.length; at += Long.BYTES) {
            boolean isAnchor = Math.abs(file.getLong(at) - System.nanoTime()) < NEAR_NS
                    && Math.abs(file.getLong(at + Long.BYTES) - System.currentTimeMillis()) < NEAR_MS;
            if (isAnchor) {
                file.putLong(at + Long.BYTES, file.getLong(at + Long.BYTES) + aheadMs);
                return Files.write(Files.createDirectories(copy.getParent()).resolve(copy.getFileName()), bytes);
            }
        }
        throw new AssertionError(counters + " has no time of day");
    }
}
