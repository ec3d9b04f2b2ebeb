/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/**
 * Layout of one posted op, 192 bytes; little-endian. Field names are RCCL's.
 *
 * <pre>
 *    0 connection long      |    8 nbytes long        |   16 opCount long
 *   24 root int             |   28 connIndex int      |   32 nsteps int
 *   36 channelId short      |   38 sliceSteps byte    |   39 chunkSteps byte
 *   40 chunkSize long       |   48 sliceSize long     |   56 loopSize long
 *   64 loopOffset long      |   72 channelSize long
 *   80 dtype byte | redOp | coll | collApi | pattern | protocol | algorithm | reg
 *   88 sendMhandle long     |   96 recvMhandle long   |  104 sendbuff long     | 112 recvbuff long
 *  120 nChannels int        |  124 nPeers int         |  128 nextRank int      | 132 prevRank int
 *  136 rank int             |  140 peer int           |  144 timeoutMs int
 *  148 ... 192 reserved
 * </pre>
 */
final class ProxyOpDescriptor {
    static final long BYTES = 192;
    static final long CONNECTION = 0;
    static final long NBYTES = 8;
    static final long OP_COUNT = 16;
    static final long ROOT = 24;
    static final long CONN_INDEX = 28;
    static final long NSTEPS = 32;
    static final long CHANNEL_ID = 36;
    static final long SLICE_STEPS = 38;
    static final long CHUNK_STEPS = 39;
    static final long CHUNK_SIZE = 40;
    static final long SLICE_SIZE = 48;
    static final long LOOP_SIZE = 56;
    static final long LOOP_OFFSET = 64;
    static final long CHANNEL_SIZE = 72;
    static final long DTYPE = 80;
    static final long RED_OP = 81;
    static final long COLL = 82;
    static final long COLL_API = 83;
    static final long PATTERN = 84;
    static final long PROTOCOL = 85;
    static final long ALGORITHM = 86;
    static final long REG = 87;
    static final long SEND_MHANDLE = 88;
    static final long RECV_MHANDLE = 96;
    static final long SENDBUFF = 104;
    static final long RECVBUFF = 112;
    static final long N_CHANNELS = 120;
    static final long N_PEERS = 124;
    static final long NEXT_RANK = 128;
    static final long PREV_RANK = 132;
    static final long RANK = 136;
    static final long PEER = 140;
    static final long TIMEOUT_MS = 144;

    private ProxyOpDescriptor() {
    }
}
