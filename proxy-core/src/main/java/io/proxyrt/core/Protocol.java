/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/** How a step's data and its readiness travel, numbered as {@code NCCL_PROTO_*}. */
public enum Protocol {
    /** 16-byte lines, each carrying 8 bytes of data and its own flags. */
    LL,
    /** Long lines whose last 8 bytes are the flag. */
    LL128,
    /** Plain data; readiness is told by head and tail. */
    SIMPLE
}
