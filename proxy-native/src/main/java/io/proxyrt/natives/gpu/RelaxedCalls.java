/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.natives.CCalls;
import io.proxyrt.natives.CFunction;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Calls what a capture forbids to all threads, if another library has begun it in the global mode, as PyTorch does: a
 * query of an event, an allocation. Such a call would fail, and end that capture. So the calling thread's mode is
 * relaxed for as long as the call takes, as in NCCL.
 */
final class RelaxedCalls {
    private final CFunction exchange;
    private final Supplier<GpuScratch> scratch;

    /** A driver that has no such modes has no captures either. */
    RelaxedCalls(CFunction exchange, Supplier<GpuScratch> scratch) {
        this.exchange = exchange;
        this.scratch = scratch;
    }

    /** Returns where the mode is that the thread had before; 0 if it has none. */
    private long begin() {
        if (!exchange.exists()) {
            return 0;
        }
        long mode = scratch.get().mode(GpuGraphs.RELAXED);
        return CCalls.call(exchange, mode) == GpuApi.SUCCESS ? mode : 0;
    }

    private void end(long mode) {
        if (mode != 0) {
            CCalls.call(exchange, mode);
        }
    }

    int call(IntSupplier function) {
        long mode = begin();
        try {
            return function.getAsInt();
        } finally {
            end(mode);
        }
    }

    /** The same without an object, for queries. */
    int call(CFunction function, long a) {
        long mode = begin();
        try {
            return CCalls.call(function, a);
        } finally {
            end(mode);
        }
    }
}
