/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

/**
 * By what a peer finds memory. What the fields mean is up to the {@link MemoryWay}.
 *
 * @param key  a number that cannot be guessed; 0 if there is none
 * @param text an address or a handle, at most {@link #MAX_TEXT_BYTES}; not changed
 */
record MemoryName(long key, byte[] text) {
    /** As long as a driver's handle, or the path of a socket. */
    static final int MAX_TEXT_BYTES = 128;
}
