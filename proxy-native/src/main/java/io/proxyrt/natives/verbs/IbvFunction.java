/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import java.lang.foreign.MemorySegment;

/**
 * A function of libibverbs, or of a driver of it.
 *
 * @param name    its symbol, for messages too
 * @param address where it is; NULL if this version does not have it
 */
record IbvFunction(String name, MemorySegment address) {
    boolean exists() {
        return address.address() != 0;
    }
}
