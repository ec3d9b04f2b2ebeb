/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

/** What is in the other process of a rig: there once it has been made, then given an order a line. One thread. */
interface Peer extends AutoCloseable {
    /**
     * Does what it is told; unless it says otherwise, it takes no orders.
     *
     * @param order in words
     * @param rig   where to say what has come of it
     */
    default void obey(String[] order, Talk rig) {
        throw new IllegalArgumentException("no such order: " + order[0]);
    }

    @Override
    void close();
}
