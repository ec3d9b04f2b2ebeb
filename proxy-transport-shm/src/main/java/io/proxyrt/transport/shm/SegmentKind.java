/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

/** How a segment gets from the rank that made it to its peer. */
public enum SegmentKind {
    /** By descriptor where both ranks can pass some, else as a file. */
    AUTO,
    /** Memory without a name, whose descriptor the peer gets by the UDS thread. */
    MEMFD,
    /** A file that both ranks map, without a name as soon as they have. */
    FILE
}
