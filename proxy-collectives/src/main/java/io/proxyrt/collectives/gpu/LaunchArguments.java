/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A kernel's parameters, all of eight bytes, in the order of its declaration. Filled anew for each launch, which copies
 * them. One thread; allocates nothing once made.
 */
public final class LaunchArguments {
    /** Parameters that all kernels have, and that {@link LaunchQueue} fills in. */
    public static final int COMMON = 5;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment words;

    /**
     * Parameters of a kernel.
     *
     * @param own how many it has beside those that all have
     */
    public LaunchArguments(int own) {
        this.words = Arena.ofAuto().allocate((long) (COMMON + own) * Long.BYTES, Long.BYTES);
    }

    /**
     * Sets one of the kernel's own parameters.
     *
     * @param index from 0, behind those that all kernels have
     * @param value number, or address of the device
     */
    public void set(int index, long value) {
        put(COMMON + index, value);
    }

    /** Sets all of the kernel's own parameters to 0, of which kernels do nothing. */
    public void clear() {
        for (long at = (long) COMMON * Long.BYTES; at < words.byteSize(); at += Long.BYTES) {
            LONG.set(words, at, 0L);
        }
    }

    void put(int index, long value) {
        LONG.set(words, (long) index * Long.BYTES, value);
    }

    MemorySegment words() {
        return words;
    }
}
