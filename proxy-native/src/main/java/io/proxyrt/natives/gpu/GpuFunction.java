/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import java.lang.foreign.MemorySegment;

/**
 * A function of a driver.
 *
 * @param name    its symbol, for messages too
 * @param address where it is; NULL if this driver does not have it
 */
record GpuFunction(String name, MemorySegment address) {
    boolean exists() {
        return address.address() != 0;
    }
}
