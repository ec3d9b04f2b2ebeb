/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

/**
 * Where a peer finds a segment.
 *
 * @param kind  MEMFD or FILE
 * @param place the address of the maker's UDS thread, or the file's path
 * @param key   the handle that the UDS thread knows it by; 0 for a file
 */
record SegmentAddress(SegmentKind kind, String place, long key) {
}
