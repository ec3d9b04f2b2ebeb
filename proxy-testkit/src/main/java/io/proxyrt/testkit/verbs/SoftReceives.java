/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

/** A receive queue: of ids, as what arrives is written by RDMA. */
final class SoftReceives {
    private final long[] ids;
    private long posted;
    private long taken;
    private long freed;

    SoftReceives(int slots) {
        ids = new long[slots];
    }

    boolean isFull() {
        return posted - freed == ids.length;
    }

    boolean isEmpty() {
        return posted == taken;
    }

    void add(long id) {
        ids[(int) (posted++ % ids.length)] = id;
    }

    long take() {
        return ids[(int) (taken++ % ids.length)];
    }

    /** One that was taken is known to be. */
    void free() {
        freed++;
    }
}
