/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.PciAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;

/**
 * NVIDIA's driver, by NVML. A driver that is stuck does not return from a call, so another thread makes them; as long
 * as one is stuck, nothing more is asked.
 */
public final class NvmlDriver implements NvidiaDriver {
    /** Without its persistence mode a driver takes some seconds for each GPU. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String SONAME = "libnvidia-ml.so.1";
    private static final Map<List<Path>, Library> FOUND = new ConcurrentHashMap<>();

    private final List<Path> folders;
    private final Duration patience;

    /** What came of looking for it. Looked for once in a process, for libraries stay loaded. */
    private static final class Library {
        /** Null if it cannot be used. */
        private final NvmlApi api;
        private final String whyNot;
        private FutureTask<Answer> asked;

        Library(NvmlApi api, String whyNot) {
            this.api = api;
            this.whyNot = whyNot;
        }

        /** One asks at a time. */
        synchronized Answer ask(List<PciAddress> gpus, Duration patience) {
            if (asked != null && !asked.isDone()) {
                return nothing("NVML still does not answer");
            }
            asked = new FutureTask<>(() -> NvmlReading.of(api, gpus));
            Thread.ofPlatform().daemon().name("proxyrt-nvml").start(asked);
            try {
                return Uninterruptibly.get(asked, patience);
            } catch (TimeoutException e) {
                return nothing("NVML has not answered for " + patience.toSeconds() + " s; does nvidia-smi?");
            } catch (ExecutionException e) {
                return nothing("NVML could not be asked: " + e.getCause());
            }
        }
    }

    /** For {@link java.util.ServiceLoader}. */
    public NvmlDriver() {
        this(List.of(), PATIENCE);
    }

    NvmlDriver(List<Path> folders, Duration patience) {
        this.folders = folders;
        this.patience = patience;
    }

    @Override
    public Answer ask(List<PciAddress> gpus) {
        Library library = FOUND.computeIfAbsent(folders, NvmlDriver::open);
        return library.api == null ? nothing(library.whyNot) : library.ask(List.copyOf(gpus), patience);
    }

    private static Answer nothing(String why) {
        return new Answer(List.of(), List.of(why));
    }

    private static Library open(List<Path> folders) {
        String whyNot = GpuDriver.whyNotNative(System.getProperty("os.name"), System.getProperty("os.arch"),
                NvmlDriver.class.getModule());
        if (!whyNot.isEmpty()) {
            return new Library(null, whyNot);
        }
        List<String> failures = new ArrayList<>();
        Optional<GpuLibrary> library = GpuLibrary.find(folders, failures, SONAME);
        if (library.isEmpty()) {
            failures.add("there is no " + SONAME + ", which comes with NVIDIA's driver; a container has it if its"
                    + " driver capabilities have utility");
            return new Library(null, String.join("; ", failures));
        }
        GpuLibrary.Symbols symbols = new GpuLibrary.Symbols(library.get());
        NvmlApi api = new NvmlApi(symbols);
        return new Library(symbols.whyNot().isEmpty() ? api : null, symbols.whyNot());
    }
}
