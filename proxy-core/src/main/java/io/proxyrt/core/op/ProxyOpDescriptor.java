/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Layout of one posted op, 128 bytes; little-endian. Field names are RCCL's. The first cache line has what each op
 * needs, and the word by which the poster {@linkplain OpsLane#publish publishes} it; 0 on a wire.
 *
 * <pre>
 *    0 published long        |    8 connection long    |   16 opCount long     |  24 nbytes long
 *   32 nsteps int            |   36 channelId short    |   38 sliceSteps byte  |  39 chunkSteps byte
 *   40 chunkSize long        |   48 peer int           |   52 rank int         |  56 timeoutMs int
 *   60 protocol byte         |   61 reg byte           |   62 reserved
 *   64 loopSize long         |   72 loopOffset long
 *   80 dtype byte | redOp | coll | pattern             |   84 root int
 *   88 sendMhandle long      |   96 recvMhandle long   |  104 sendbuff long    | 112 recvbuff long
 *  120 reserved
 * </pre>
 */
final class ProxyOpDescriptor {
    static final VarHandle LONG_VIEW = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    static final VarHandle INT_VIEW = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    static final VarHandle SHORT_VIEW = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    static final int BYTES = 128;
    static final int PUBLISHED = 0;
    static final int CONNECTION = 8;
    static final int OP_COUNT = 16;
    static final int NBYTES = 24;
    static final int NSTEPS = 32;
    static final int CHANNEL_ID = 36;
    static final int SLICE_STEPS = 38;
    static final int CHUNK_STEPS = 39;
    static final int CHUNK_SIZE = 40;
    static final int PEER = 48;
    static final int RANK = 52;
    static final int TIMEOUT_MS = 56;
    static final int PROTOCOL = 60;
    static final int REG = 61;
    static final int LOOP_SIZE = 64;
    static final int LOOP_OFFSET = 72;
    static final int DTYPE = 80;
    static final int RED_OP = 81;
    static final int COLL = 82;
    static final int PATTERN = 83;
    static final int ROOT = 84;
    static final int SEND_MHANDLE = 88;
    static final int RECV_MHANDLE = 96;
    static final int SENDBUFF = 104;
    static final int RECVBUFF = 112;

    private ProxyOpDescriptor() {
    }
}
