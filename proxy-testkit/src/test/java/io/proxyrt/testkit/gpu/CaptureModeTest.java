/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.core.device.host.Devices;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another library captures a stream in the global mode, which forbids much to all threads but relaxed ones. */
class CaptureModeTest {
    private static final int GLOBAL = 0;
    private static final int UNSUPPORTED = 900;
    private static final int INVALIDATED = 901;
    private static final String NOTHING = "extern \"C\" __global__ void nothing() { }";
    private static final Duration LONG = Duration.ofSeconds(20);

    /** What another library calls. */
    @SuppressWarnings("restricted")
    private record Library(SymbolLookup symbols, String create, String begin, String end, String query) {
        static Library of(StandInGpu gpu) {
            String prefix = gpu.abi().kind();
            return new Library(SymbolLookup.libraryLookup(gpu.folder().resolve(gpu.abi().library()), Arena.global()),
                    prefix + "StreamCreateWithFlags", prefix + "StreamBeginCapture", prefix + "StreamEndCapture",
                    prefix + "StreamQuery");
        }

        static Library ofDriver() {
            return new Library(SymbolLookup.libraryLookup("libcuda.so.1", Arena.global()),
                    "cuStreamCreate", "cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuStreamQuery");
        }

        /** A stream that does not wait for the default one, nor it for that. */
        long stream() {
            MemorySegment stream = Arena.ofAuto().allocate(JAVA_LONG);
            assertEquals(0, call(create, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), stream, 1));
            return stream.get(JAVA_LONG, 0);
        }

        int begin(long stream) {
            return call(begin, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT), stream, GLOBAL);
        }

        int end(long stream) {
            return call(end, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, ADDRESS), stream,
                    Arena.ofAuto().allocate(JAVA_LONG));
        }

        int query(long stream) {
            return call(query, FunctionDescriptor.of(JAVA_INT, JAVA_LONG), stream);
        }

        private int call(String name, FunctionDescriptor descriptor, Object... arguments) {
            MethodHandle function = Linker.nativeLinker().downcallHandle(symbols.findOrThrow(name), descriptor);
            try {
                return (int) function.invokeWithArguments(arguments);
            } catch (Throwable e) {
                throw new AssertionError(name, e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = GpuAbi.class, names = {"CUDA", "HIP7"})
    void shouldLeaveACaptureOfAnotherLibraryAlone(GpuAbi abi) {
        StandInGpu gpu = StandInGpu.of(abi);
        ProxyConfig config = ProxyConfig.builder().set(gpu.option(), gpu.folder().toString()).build();
        leavesAlone(config, abi.kind() + ":0", Library.of(gpu));
    }

    @ParameterizedTest
    @EnumSource(value = GpuAbi.class, names = {"CUDA", "HIP7"})
    void shouldReachAnotherDeviceDuringACapture(GpuAbi abi) {
        StandInGpu gpu = StandInGpu.of(abi);
        Library library = Library.of(gpu);
        ProxyConfig config = ProxyConfig.builder().set(gpu.option(), gpu.folder().toString()).build();
        try (Device peer = Devices.open(abi.kind() + ":1", 0, config);
                Device device = Devices.open(abi.kind() + ":0", 0, config)) {
            long captured = library.stream();
            assertEquals(0, library.begin(captured));
            device.enablePeerAccess(peer);
            assertEquals(0, library.end(captured));
        } finally {
            gpu.reset();
        }
    }

    @Test
    @Tag("installed-gpu")
    void shouldLeaveACaptureOnARealGpuAlone() {
        assumeTrue("cuda".equals(System.getProperty("testkit.device", "")), "no NVIDIA GPU");
        leavesAlone(ProxyConfig.builder().build(), "cuda:0", Library.ofDriver());
    }

    /** Which shows that the stand-in forbids what drivers do. */
    @ParameterizedTest
    @EnumSource(value = GpuAbi.class, names = {"CUDA", "HIP7"})
    void shouldSeeACaptureEndWithoutThatCare(GpuAbi abi) {
        StandInGpu gpu = StandInGpu.of(abi);
        Library library = Library.of(gpu);
        ProxyConfig config = ProxyConfig.builder().set(gpu.option(), gpu.folder().toString()).build();
        try (Device device = Devices.open(abi.kind() + ":0", 0, config)) {
            long captured = library.stream();
            DeviceStream other = device.stream("proxy-other");
            assertEquals(0, library.begin(captured));
            assertEquals(UNSUPPORTED, CompletableFuture.supplyAsync(() -> library.query(other.handle())).join());
            assertEquals(INVALIDATED, library.end(captured));
        }
    }

    private static void leavesAlone(ProxyConfig config, String name, Library library) {
        try (Device device = Devices.open(name, 0, config)) {
            long captured = library.stream();
            DeviceStream other = device.stream("proxy-other");
            DeviceEvent event = device.event();
            assertEquals(1, other.record(event));
            other.synchronize(LONG);
            assertEquals(0, library.begin(captured));
            use(device, other, event);
            CompletableFuture.runAsync(() -> use(device, other, event)).join();
            assertEquals(0, library.end(captured));
        }
    }

    /** All that a communicator may do at any time. */
    private static void use(Device device, DeviceStream other, DeviceEvent event) {
        assertEquals(1, event.query());
        assertEquals(1, other.query());
        MemorySegment registered = Arena.ofAuto().allocate(1 << 16, 1 << 12);
        try (DeviceMemory memory = device.allocate(1 << 16); DeviceMemory host = device.allocateHost(1 << 16);
                DeviceModule module = device.compile("nothing", NOTHING);
                DeviceMemory pinned = device.register(registered)) {
            assertEquals(1 << 16, memory.bytes());
            assertEquals(1 << 16, host.bytes());
            assertEquals(1 << 16, pinned.bytes());
            assertEquals(1, other.launch(module.kernel("nothing"), LaunchShape.of(1, 1), MemorySegment.NULL));
            other.synchronize(LONG);
        }
    }
}
