/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent;

/** What a thread does between passes of its agent in which nothing moved. Each thread has one of its own. */
public interface IdleStrategy {
    /**
     * Waits a little, if nothing was done. Allocates nothing.
     *
     * @param workCount what {@link Agent#doWork()} returned
     * @param agent     knows how to park
     */
    void idle(int workCount, Agent agent);

    /** Forgets how long it has waited: starts over with spinning. */
    void reset();
}
