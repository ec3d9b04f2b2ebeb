/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A register of an AMD GPU's host data path: a store of 1 there makes what kernels wrote to memory that the host sees
 * visible to other devices, and the other way round. Costs a bus transfer, so steps that a poke covered already are
 * remembered by their tail. Progress thread.
 */
final class HdpRegister {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private final MemorySegment register;
    private long flushed;

    /** Of one connection; the register may be of many. */
    HdpRegister(MemorySegment register) {
        this.register = register;
    }

    /** Before the network reads steps below tail. */
    void flush(long tail) {
        if (flushed < tail) {
            flushed = tail;
            INT.setVolatile(register, 0L, 1);
        }
    }
}
