/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.fuzz;

import java.nio.ByteBuffer;

/** Reads what a fuzzer came up with; at its end come zeros. */
public final class Script {
    private final ByteBuffer bytes;

    public Script(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes);
    }

    public boolean isOver() {
        return !bytes.hasRemaining();
    }

    public int nextByte() {
        return bytes.hasRemaining() ? Byte.toUnsignedInt(bytes.get()) : 0;
    }

    public int nextInt() {
        return nextByte() << 24 | nextByte() << 16 | nextByte() << 8 | nextByte();
    }

    public long nextLong() {
        return (long) nextInt() << 32 | Integer.toUnsignedLong(nextInt());
    }

    /** The next bytes, or what is left. */
    public byte[] next(int count) {
        byte[] next = new byte[Math.min(count, bytes.remaining())];
        bytes.get(next);
        return next;
    }

    /** What is left. */
    public byte[] rest() {
        return next(bytes.remaining());
    }
}
