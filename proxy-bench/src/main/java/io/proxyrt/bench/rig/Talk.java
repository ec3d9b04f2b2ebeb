/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

/** Lines to another process, and from it. */
interface Talk {
    /** Reads the next line of what it says. */
    String line();

    /** Tells it something. */
    void tell(String line);

    /** Has the other process end, if it is this one that started it, and waits for that. Idempotent. */
    default void end() {
    }
}
