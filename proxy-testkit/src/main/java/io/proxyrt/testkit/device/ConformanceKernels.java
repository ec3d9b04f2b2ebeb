/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.device.host.HostLaunch;
import io.proxyrt.core.device.host.HostModule;
import io.proxyrt.core.device.host.HostProgram;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * The suite's kernels, for the host device. For a GPU they are the {@linkplain #source source} in {@code
 * conformance.cu}, with every parameter 64 bits wide:
 *
 * <pre>{@code
 * extern "C" __global__ void fill(u64 *out, u64 count, u64 first)    // out[i] = first + i
 * extern "C" __global__ void add(u64 *out, u64 *a, u64 *b, u64 count) // out[i] = a[i] + b[i]
 * extern "C" __global__ void hold(volatile u64 *word, u64 limit)     // returns once *word != 0, or limit turns later
 * }</pre>
 *
 * <p>The first two go through the array with all threads of the grid; {@code hold} is launched with one.
 */
public final class ConformanceKernels implements HostModule {
    /** By what the host device loads it. */
    public static final String NAME = "proxyrt-conformance";
    /** Of {@link #FILL}. */
    static final String FILL = "fill";
    /** Of {@link #ADD}. */
    static final String ADD = "add";
    /** Of {@link #HOLD}. */
    static final String HOLD = "hold";

    private static final VarHandle WORD = JAVA_LONG.varHandle().withInvokeExactBehavior();

    /** For {@link java.util.ServiceLoader}. */
    public ConformanceKernels() {
    }

    /**
     * What a GPU's compiler compiles.
     *
     * @return for {@link io.proxyrt.core.device.Device#compile}
     */
    public static String source() {
        try (InputStream stream = ConformanceKernels.class.getResourceAsStream("conformance.cu")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public HostProgram program(String kernel) {
        return switch (kernel) {
            case FILL -> launch -> new Once(() -> fill(launch));
            case ADD -> launch -> new Once(() -> add(launch));
            case HOLD -> Hold::new;
            default -> null;
        };
    }

    private static long argument(HostLaunch launch, int index) {
        return launch.arguments().getAtIndex(JAVA_LONG, index);
    }

    private static MemorySegment array(HostLaunch launch, int index, long count) {
        return launch.memory(argument(launch, index), count * Long.BYTES);
    }

    private static void fill(HostLaunch launch) {
        long count = argument(launch, 1);
        MemorySegment out = array(launch, 0, count);
        for (long i = 0; i < count; i++) {
            out.setAtIndex(JAVA_LONG, i, argument(launch, 2) + i);
        }
    }

    private static void add(HostLaunch launch) {
        long count = argument(launch, 3);
        MemorySegment out = array(launch, 0, count);
        MemorySegment a = array(launch, 1, count);
        MemorySegment b = array(launch, 2, count);
        for (long i = 0; i < count; i++) {
            out.setAtIndex(JAVA_LONG, i, a.getAtIndex(JAVA_LONG, i) + b.getAtIndex(JAVA_LONG, i));
        }
    }

    /** Is done in one turn. */
    private static final class Once implements HostKernel {
        private final Runnable work;
        private boolean isDone;

        Once(Runnable work) {
            this.work = work;
        }

        @Override
        public int doWork() {
            work.run();
            isDone = true;
            return 1;
        }

        @Override
        public boolean isDone() {
            return isDone;
        }

        @Override
        public void onRetired(boolean isDropped) {
            // It holds nothing.
        }
    }

    private static final class Hold implements HostKernel {
        private final MemorySegment word;
        private long left;
        private boolean isDone;

        Hold(HostLaunch launch) {
            word = array(launch, 0, 1);
            left = argument(launch, 1);
        }

        @Override
        public int doWork() {
            isDone = (long) WORD.getAcquire(word, 0L) != 0 || --left <= 0;
            return 0;
        }

        @Override
        public boolean isDone() {
            return isDone;
        }

        @Override
        public void onRetired(boolean isDropped) {
            // It holds nothing.
        }
    }
}
