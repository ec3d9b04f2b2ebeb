/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.PciAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * NVIDIA's driver, by NVML. A driver that is stuck does not return from a call, so another thread makes them; as long
 * as one is stuck, nothing more is asked.
 */
public final class NvmlDriver implements NvidiaDriver {
    private static final String SONAME = "libnvidia-ml.so.1";
    private static final Map<List<Path>, Library> FOUND = new ConcurrentHashMap<>();

    private final List<Path> folders;

    /** What came of looking for it. Looked for once in a process, for libraries stay loaded. */
    private static final class Library {
        /** Null if it cannot be used. */
        private final NvmlApi api;
        private final String whyNot;
        /** One asks at a time. */
        private final ReentrantLock asking = new ReentrantLock();
        private FutureTask<Answer> asked;

        Library(NvmlApi api, String whyNot) {
            this.api = api;
            this.whyNot = whyNot;
        }

        Answer ask(List<PciAddress> gpus, Duration patience) {
            long deadline = System.nanoTime() + patience.toNanos();
            try {
                return asking.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS) ? locked(gpus, patience, deadline)
                        : still();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return notNow("NVML was not waited for any longer, for the thread that asked was interrupted");
            }
        }

        private Answer locked(List<PciAddress> gpus, Duration patience, long deadline) throws InterruptedException {
            try {
                if (asked != null && !asked.isDone()) {
                    return still();
                }
                FutureTask<Answer> reading = new FutureTask<>(() -> NvmlReading.of(api, gpus));
                Thread.ofPlatform().daemon().name("proxyrt-nvml").start(reading);
                asked = reading;
                return reading.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                return notNow("NVML has not answered for " + patience.toMillis() + " ms; does nvidia-smi?");
            } catch (ExecutionException e) {
                return notNow("NVML could not be asked: " + e.getCause());
            } finally {
                asking.unlock();
            }
        }

        private static Answer still() {
            return notNow("NVML still does not answer");
        }

        private static Answer notNow(String why) {
            return new Answer(List.of(), List.of(why), false);
        }
    }

    /** For {@link java.util.ServiceLoader}. */
    public NvmlDriver() {
        this(List.of());
    }

    NvmlDriver(List<Path> folders) {
        this.folders = folders;
    }

    @Override
    public Answer ask(List<PciAddress> gpus, Duration patience) {
        Library library = FOUND.computeIfAbsent(folders, NvmlDriver::open);
        return library.api == null ? new Answer(List.of(), List.of(library.whyNot), true)
                : library.ask(List.copyOf(gpus), patience);
    }

    private static Library open(List<Path> folders) {
        String whyNot = GpuDriver.whyNotNative();
        if (!whyNot.isEmpty()) {
            return new Library(null, whyNot);
        }
        GpuLibrary.Bound<NvmlApi> bound = GpuLibrary.bind(folders, NvmlApi::new, "there is no " + SONAME + ", which"
                + " comes with NVIDIA's driver, where the system looks, and " + GpuOptions.CUDA_LIBRARY_PATH.key()
                + " does not count for it; a container has it if its driver capabilities have utility", SONAME);
        return new Library(bound.api(), bound.whyNot());
    }
}
