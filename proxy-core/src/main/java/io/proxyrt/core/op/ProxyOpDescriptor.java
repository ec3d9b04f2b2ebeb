/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Layout of one posted op, 192 bytes; little-endian. Field names are RCCL's, and what lies between fields is reserved.
 *
 * <pre>
 *    0 connection long      |    8 nbytes long        |   16 opCount long
 *   24 root int             |   32 nsteps int
 *   36 channelId short      |   38 sliceSteps byte    |   39 chunkSteps byte
 *   40 chunkSize long       |   56 loopSize long      |   64 loopOffset long
 *   80 dtype byte | redOp | coll        84 pattern byte | protocol        87 reg byte
 *   88 sendMhandle long     |   96 recvMhandle long   |  104 sendbuff long     | 112 recvbuff long
 *  136 rank int             |  140 peer int           |  144 timeoutMs int
 *  148 ... 192 reserved
 * </pre>
 */
final class ProxyOpDescriptor {
    static final VarHandle LONG_VIEW = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    static final VarHandle INT_VIEW = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    static final VarHandle SHORT_VIEW = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    static final int BYTES = 192;
    static final int CONNECTION = 0;
    static final int NBYTES = 8;
    static final int OP_COUNT = 16;
    static final int ROOT = 24;
    static final int NSTEPS = 32;
    static final int CHANNEL_ID = 36;
    static final int SLICE_STEPS = 38;
    static final int CHUNK_STEPS = 39;
    static final int CHUNK_SIZE = 40;
    static final int LOOP_SIZE = 56;
    static final int LOOP_OFFSET = 64;
    static final int DTYPE = 80;
    static final int RED_OP = 81;
    static final int COLL = 82;
    static final int PATTERN = 84;
    static final int PROTOCOL = 85;
    static final int REG = 87;
    static final int SEND_MHANDLE = 88;
    static final int RECV_MHANDLE = 96;
    static final int SENDBUFF = 104;
    static final int RECVBUFF = 112;
    static final int RANK = 136;
    static final int PEER = 140;
    static final int TIMEOUT_MS = 144;

    private ProxyOpDescriptor() {
    }
}
