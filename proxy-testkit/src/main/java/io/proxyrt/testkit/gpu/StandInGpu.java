/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * A driver of GPUs that are none: their memory is the host's, their kernels run on threads of the process. A C compiler
 * makes it when it is first asked for; with {@link #folder} as the value of {@link #option}, the bindings find it under
 * the names of the real libraries. Its devices are two, unless {@link #DEVICES} says otherwise.
 *
 * <p>It is as strict as drivers are, and as unkind: memory comes with old bytes, queues are bounded and block, freeing
 * waits for the device, what a kernel or a copy fails of sticks to its device, and peers' memory and mapped memory are
 * out of reach until access is given. Kernels take parameters of eight bytes, at most 24 of them.
 *
 * <p>What the methods {@link #fail}, {@link #slow} and {@link #reset} do, they do to this process, and all threads may
 * call them; they need native access for this module. Other processes get it by their environment.
 */
public final class StandInGpu {
    /** A variable: how many devices there are. */
    public static final String DEVICES = "STAND_IN_GPU_DEVICES";
    /** A variable: 0 if no device reaches another. */
    public static final String PEERS = "STAND_IN_GPU_PEERS";
    /** A variable: calls that fail, as {@code cudaMalloc:3:2}, the third one with code 2; commas between several. */
    public static final String FAIL = "STAND_IN_GPU_FAIL";
    /** A variable: how much longer everything on a stream takes, in nanoseconds. */
    public static final String SLOW_NS = "STAND_IN_GPU_SLOW_NS";
    /** For {@link #fail}: a copy or a fill, when it is done. */
    public static final String COPY = "copy";
    /** For {@link #fail}: a kernel, when it is run. */
    public static final String KERNEL = "kernel";

    private static final Map<GpuAbi, StandInGpu> BUILT = new EnumMap<>(GpuAbi.class);

    private final GpuAbi abi;
    private final Path folder;

    private StandInGpu(GpuAbi abi, Path folder) {
        this.abi = abi;
        this.folder = folder;
    }

    /**
     * Why there is none.
     *
     * @return empty if there can be one, else what is missing, and where it is to be had
     */
    public static String whyNot() {
        return StandInBuild.whyNot();
    }

    /**
     * Makes one, if that was not done before. Blocks for some seconds then.
     *
     * @param abi which driver it takes after
     * @return for all threads
     * @throws IllegalStateException if it cannot be compiled, with what the compiler says
     */
    public static StandInGpu of(GpuAbi abi) {
        synchronized (BUILT) {
            return BUILT.computeIfAbsent(abi, key -> new StandInGpu(key, StandInBuild.folder(key)));
        }
    }

    /**
     * Which driver it takes after.
     *
     * @return as asked for
     */
    public GpuAbi abi() {
        return abi;
    }

    /**
     * Where its libraries are.
     *
     * @return absolute; has files with the names of the real ones
     */
    public Path folder() {
        return folder;
    }

    /**
     * By what its devices are found.
     *
     * @return with no other settings, of the environment neither
     */
    public ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of()).set("proxyrt." + option(), folder.toString()).build();
    }

    /**
     * The option that names the folder.
     *
     * @return such as {@code cuda.library.path}
     */
    public String option() {
        return abi.kind() + ".library.path";
    }

    /**
     * Has a call fail, once.
     *
     * @param call name of the function, or {@link #COPY} or {@link #KERNEL}
     * @param nth  1 for the next one, of any thread
     * @param code that it returns; if it is one of those that stick, it sticks to the thread's device
     */
    public void fail(String call, int nth, int code) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(call);
            int result = (int) invoke("proxyrt_gpu_fail", FunctionDescriptor.of(ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT), name, (long) nth, code);
            if (result != 0) {
                throw new IllegalArgumentException(call + ", " + nth + ": cannot be asked for");
            }
        }
    }

    /**
     * Makes streams slow.
     *
     * @param time how much longer everything on them takes; zero undoes it, for what waits already too
     */
    public void slow(Duration time) {
        invoke("proxyrt_gpu_slow", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG), time.toNanos());
    }

    /** Forgets what was asked of it, and takes back what sticks to devices, and their access to peers. */
    public void reset() {
        invoke("proxyrt_gpu_reset", FunctionDescriptor.ofVoid());
    }

    @SuppressWarnings("restricted")
    private Object invoke(String function, FunctionDescriptor descriptor, Object... arguments) {
        SymbolLookup library = SymbolLookup.libraryLookup(folder.resolve(abi.library()), Arena.global());
        try {
            return Linker.nativeLinker().downcallHandle(library.findOrThrow(function), descriptor)
                    .invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(function + " of " + folder, e);
        }
    }

    @Override
    public String toString() {
        return "a stand-in for " + abi + " in " + folder;
    }
}
