/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

/** Structures and numbers of {@code infiniband/verbs.h}, on systems whose longs and pointers have eight bytes. */
final class IbvLayout {
    static final long DEVICE_NAME = 24;
    static final long DEVICE_DEV_NAME = 88;
    static final long DEVICE_IBDEV_PATH = 408;

    static final long CONTEXT_POLL_CQ = 96;
    static final long CONTEXT_POST_SEND = 208;
    static final long CONTEXT_POST_RECV = 216;
    static final long CONTEXT_ASYNC_FD = 268;

    static final long DEVICE_ATTR_BYTES = 232;
    static final long FW_VER = 0;
    static final long NODE_GUID = 64;
    static final long MAX_MR_SIZE = 80;
    static final long VENDOR_ID = 96;
    static final long MAX_QP = 108;
    static final long MAX_QP_WR = 112;
    static final long MAX_SGE = 120;
    static final long MAX_CQE = 132;
    static final long MAX_MR = 136;
    static final long MAX_QP_RD_ATOM = 144;
    static final long PHYS_PORT_CNT = 227;

    static final long PORT_ATTR_BYTES = 52;
    static final long PORT_STATE = 0;
    static final long ACTIVE_MTU = 8;
    static final long GID_TBL_LEN = 12;
    static final long MAX_MSG_SZ = 20;
    static final long LID = 34;
    static final long ACTIVE_WIDTH = 43;
    static final long ACTIVE_SPEED = 44;
    static final long LINK_LAYER = 46;

    static final long GID_BYTES = 16;
    static final long MR_LKEY = 36;
    static final long MR_RKEY = 40;
    static final long QP_NUM = 52;

    static final long QP_INIT_ATTR_BYTES = 64;
    static final long INIT_SEND_CQ = 8;
    static final long INIT_RECV_CQ = 16;
    static final long INIT_MAX_SEND_WR = 32;
    static final long INIT_MAX_RECV_WR = 36;
    static final long INIT_MAX_SEND_SGE = 40;
    static final long INIT_MAX_RECV_SGE = 44;
    static final long INIT_MAX_INLINE_DATA = 48;
    static final long INIT_QP_TYPE = 52;
    static final int QPT_RC = 2;

    static final long QP_ATTR_BYTES = 144;
    static final long QP_STATE = 0;
    static final long PATH_MTU = 8;
    static final long DEST_QP_NUM = 28;
    static final long QP_ACCESS_FLAGS = 32;
    static final long AH_DGID = 56;
    static final long AH_SGID_INDEX = 76;
    static final long AH_HOP_LIMIT = 77;
    static final long AH_TRAFFIC_CLASS = 78;
    static final long AH_DLID = 80;
    static final long AH_SL = 82;
    static final long AH_IS_GLOBAL = 85;
    static final long AH_PORT_NUM = 86;
    static final long PKEY_INDEX = 120;
    static final long MAX_RD_ATOMIC = 126;
    static final long MAX_DEST_RD_ATOMIC = 127;
    static final long MIN_RNR_TIMER = 128;
    static final long PORT_NUM = 129;
    static final long TIMEOUT = 130;
    static final long RETRY_CNT = 131;
    static final long RNR_RETRY = 132;

    static final int QPS_INIT = 1;
    static final int QPS_RTR = 2;
    static final int QPS_RTS = 3;
    static final int QPS_ERR = 6;

    static final int MASK_STATE = 1;
    /** State, index of the partition key, port, access. */
    static final int MASK_INIT = 0x1 | 0x10 | 0x20 | 0x8;
    /** State, address, MTU, the peer's number, first PSN of receives, reads that the peer may have, RNR timer. */
    static final int MASK_RTR = 0x1 | 0x80 | 0x100 | 0x10_0000 | 0x1000 | 0x2_0000 | 0x8000;
    /** State, timeout, retries, retries without a receive, first PSN of sends, reads under way. */
    static final int MASK_RTS = 0x1 | 0x200 | 0x400 | 0x800 | 0x1_0000 | 0x2000;

    static final long ASYNC_EVENT_BYTES = 16;
    static final long EVENT_ELEMENT = 0;
    static final long EVENT_TYPE = 8;
    static final int EVENT_LID_CHANGE = 11;
    static final int EVENT_PKEY_CHANGE = 12;
    static final int EVENT_SM_CHANGE = 13;
    static final int EVENT_CLIENT_REREGISTER = 17;

    private IbvLayout() {
    }
}
