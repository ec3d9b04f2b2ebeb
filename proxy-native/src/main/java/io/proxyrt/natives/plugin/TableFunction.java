/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * A function of a plug-in's table.
 *
 * @param name    as NCCL calls it, for messages
 * @param address where it is; NULL if the plug-in does not have it
 */
record TableFunction(String name, MemorySegment address) {
    /** Whose pointer stands in the table. */
    static TableFunction at(MemorySegment table, long offset, String name) {
        return new TableFunction(name, MemorySegment.ofAddress(table.get(JAVA_LONG, offset)));
    }

    /** Which the version does not have. */
    static TableFunction absent(String name) {
        return new TableFunction(name, MemorySegment.NULL);
    }

    boolean exists() {
        return address.address() != 0;
    }
}
