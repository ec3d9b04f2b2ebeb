/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.plugin.NetLibraryProperties;
import java.lang.foreign.MemorySegment;

/**
 * Where {@code ncclNetProperties} of a version has what; {@link #ABSENT} what it does not have. Name, path, guid and
 * pointers have been at 0, 8, 16 and 24 ever since.
 */
record PropertiesLayout(int regIsGlobal, int speed, int maxComms, int maxRecvs, int deviceType, int deviceVersion,
        int maxP2pBytes, int maxCollBytes) {
    /** More than any version has, for plug-ins that write more than theirs does. */
    static final int BYTES = 256;

    private static final int ABSENT = -1;
    private static final int MAX_TEXT_BYTES = 4096;
    /** {@code MAX_NET_SIZE}: what NCCL takes for the most bytes of a message where a plug-in cannot say. */
    private static final long DEFAULT_P2P_BYTES = 1L << 30;
    /** {@code MAX_COLLNET_SIZE}: the same for a call of a collective. */
    private static final long DEFAULT_COLL_BYTES = 512L << 20;

    static PropertiesLayout of(int version) {
        return switch (version) {
            case 6 -> new PropertiesLayout(ABSENT, 28, 40, 44, ABSENT, ABSENT, ABSENT, ABSENT);
            case 7 -> new PropertiesLayout(ABSENT, 28, 40, 44, 48, 52, ABSENT, ABSENT);
            case 8 -> new PropertiesLayout(28, 32, 44, 48, 52, 56, ABSENT, ABSENT);
            case 12 -> new PropertiesLayout(28, 36, 48, 52, 56, 60, 104, 112);
            default -> new PropertiesLayout(28, 36, 48, 52, 56, 60, 88, 96);
        };
    }

    NetLibraryProperties read(MemorySegment memory) {
        return new NetLibraryProperties(CText.at(memory.get(JAVA_LONG, 0), MAX_TEXT_BYTES),
                CText.at(memory.get(JAVA_LONG, 8), MAX_TEXT_BYTES), memory.get(JAVA_LONG, 16), memory.get(JAVA_INT, 24),
                number(memory, regIsGlobal) != 0, number(memory, speed), number(memory, maxComms),
                number(memory, maxRecvs), number(memory, deviceType), number(memory, deviceVersion),
                bytes(memory, maxP2pBytes, DEFAULT_P2P_BYTES), bytes(memory, maxCollBytes, DEFAULT_COLL_BYTES));
    }

    private static long bytes(MemorySegment memory, int offset, long otherwise) {
        return offset == ABSENT ? otherwise : memory.get(JAVA_LONG, offset);
    }

    private static int number(MemorySegment memory, int offset) {
        return offset == ABSENT ? 0 : memory.get(JAVA_INT, offset);
    }
}
