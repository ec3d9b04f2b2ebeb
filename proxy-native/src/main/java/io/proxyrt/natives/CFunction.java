/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * A function of a library that may not be there, or may not have it.
 *
 * @param name    its symbol, or what it is called in a table of functions; for messages too
 * @param address where it is; NULL if there is none
 */
public record CFunction(String name, MemorySegment address) {
    /**
     * A function whose pointer stands in a table.
     *
     * @param table  of pointers
     * @param offset of the pointer
     * @param name   for messages
     * @return absent if the pointer is NULL
     */
    public static CFunction at(MemorySegment table, long offset, String name) {
        return new CFunction(name, MemorySegment.ofAddress(table.get(JAVA_LONG, offset)));
    }

    /**
     * A function that is not there.
     *
     * @param name for messages
     * @return one that cannot be called
     */
    public static CFunction absent(String name) {
        return new CFunction(name, MemorySegment.NULL);
    }

    /**
     * Whether it can be called.
     *
     * @return false if the library does not have it
     */
    public boolean exists() {
        return address.address() != 0;
    }
}
