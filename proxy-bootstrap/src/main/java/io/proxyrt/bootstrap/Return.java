/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.nio.ByteBuffer;

/**
 * What a rank says that dials again because its connection broke.
 *
 * @param session  the number that the root gave it when it joined
 * @param attempt  greater than any before; 0 for a rank that joins
 * @param received numbered frames that it got from the root
 */
record Return(long session, int attempt, long received) {
    static final Return NONE = new Return(0, 0, 0);
    static final int BYTES = 2 * Long.BYTES + Integer.BYTES;

    static Return read(MessageReader in) {
        return new Return(in.readLong(), in.readInt(), in.readLong());
    }

    void put(ByteBuffer out) {
        out.putLong(session).putInt(attempt).putLong(received);
    }

    boolean isJoin() {
        return attempt == 0;
    }
}
