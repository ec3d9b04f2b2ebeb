/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/** What the user asked for, numbered as RCCL's {@code ncclFunc_t}. */
public enum CollFunction {
    /** One rank's buffer to all. */
    BROADCAST,
    /** All ranks' buffers combined at one. */
    REDUCE,
    /** Every rank's part to all. */
    ALL_GATHER,
    /** All ranks' buffers combined, a part to each. */
    REDUCE_SCATTER,
    /** All ranks' buffers combined, the whole to each. */
    ALL_REDUCE,
    /** A message each way. */
    SEND_RECV,
    /** A message out. */
    SEND,
    /** A message in. */
    RECV,
    /** Every rank's parts, one to each. */
    ALL_TO_ALL,
    /** One rank's parts, one to each. */
    SCATTER,
    /** Every rank's buffer, one behind the other, to one rank. */
    GATHER,
    /** As {@link #ALL_TO_ALL}, with parts of any sizes. */
    ALL_TO_ALLV,
    /** As {@link #ALL_GATHER}, with parts of any sizes. */
    ALL_GATHERV,
    /** As {@link #REDUCE_SCATTER}, with parts of any sizes. */
    REDUCE_SCATTERV
}
