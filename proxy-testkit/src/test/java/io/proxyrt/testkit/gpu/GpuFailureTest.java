/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.testkit.Holdings;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drivers' calls that fail, and devices that do; on the CUDA stand-in, for the device above is the same for HIP. */
class GpuFailureTest {
    /** An error without a name: drivers have it for what they did not foresee. */
    private static final int UNKNOWN = 999;
    private static final int LAUNCH_FAILURE = 719;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(10);

    private static final Runnable NOTHING = () -> { };

    private StandInDevices devices;
    private Arena arena;

    @BeforeAll
    static void needCompiler() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu.whyNot());
    }

    @BeforeEach
    void open() {
        devices = new StandInDevices.Cuda();
        devices.gpu().reset();
        arena = Arena.ofShared();
    }

    @AfterEach
    void reset() {
        devices.gpu().reset();
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cudaDeviceEnablePeerAccess", "cudaMalloc", "cudaMemset", "cudaHostAlloc",
        "cudaHostRegister", "cudaHostGetDevicePointer", "cudaStreamCreateWithFlags", "cudaEventCreateWithFlags",
        "cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess", "cuMemExportToShareableHandle",
        "cuMemImportFromShareableHandle", "cudaIpcGetMemHandle", "cuMemGetHandleForAddressRange", "cuModuleLoadData",
        "cuModuleGetFunction", "cudaMemcpyAsync", "cudaMemcpyPeerAsync", "cudaEventRecord", "cudaStreamWaitEvent",
        "cuStreamWriteValue64_v2", "cuLaunchKernel"})
    void shouldSayWhatFailedAndGiveEverythingBack(String call) {
        GpuUse use = new GpuUse(devices);
        use.run(NOTHING);
        Holdings before = Holdings.now();

        RuntimeException failure = assertThrows(RuntimeException.class, () -> use.run(() -> fail(call)));

        assertTrue(failure.getMessage().contains("cudaErrorUnknown") && failure.getMessage().contains("999"),
                failure.getMessage());
        assertHeld(before);
        use.run(NOTHING);
    }

    /** What a driver will not give back is lost; all else is given back, and devices can be used again. */
    @ParameterizedTest
    @ValueSource(strings = {"cudaFree", "cudaFreeHost", "cudaStreamDestroy", "cudaEventDestroy",
        "cuMemUnmap", "cuMemRelease", "cuMemAddressFree", "cuModuleUnload"})
    void shouldGoOnWhenSomethingIsNotGivenBack(String call) {
        GpuUse use = new GpuUse(devices);
        try {
            use.run(() -> fail(call));
        } catch (ProxyException e) {
            assertTrue(e.getMessage().contains(call), e.getMessage());
        }
        use.run(NOTHING);
    }

    @Test
    void shouldTellWhatAKernelDidToItsDeviceAndToNoOther() {
        try (Device device = devices.open(0); Device other = devices.open(1)) {
            DeviceStream stream = device.stream("proxy-lost");
            fill(device, stream, Long.BYTES * 512L);
            ProxyException failure = assertThrows(ProxyException.class, () -> stream.synchronize(LONG));
            assertEquals(ProxyResult.UNHANDLED_DEVICE_ERROR, failure.result());
            assertTrue(failure.getMessage().contains("cudaErrorIllegalAddress")
                    && failure.getMessage().contains("700"), failure.getMessage());
            assertTrue(stream.query() < 0);
            String next = assertThrows(ProxyException.class, () -> device.allocate(64)).getMessage();
            assertTrue(next.contains("700"), next);

            DeviceStream sound = other.stream("proxy-sound");
            DeviceMemory memory = other.allocate(Long.BYTES);
            fill(other, sound, memory.address());
            sound.synchronize(LONG);
        }
    }

    @Test
    void shouldTellWhatFailedOnTheWay() {
        try (Device device = devices.open(0)) {
            DeviceStream stream = device.stream("proxy-way");
            DeviceMemory memory = device.allocate(64);
            devices.gpu().fail(StandInGpu.COPY, 1, LAUNCH_FAILURE);
            assertEquals(1, stream.copy(memory, 0, memory, 32, 8));
            assertThrows(ProxyException.class, () -> stream.synchronize(LONG));
            assertTrue(stream.failure().contains("719"), stream.failure());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cuPointerGetAttribute", "cuMemGetAddressRange_v2"})
    void shouldSayWhereItCouldNotAskWhatIsThere(String call) {
        try (Device device = devices.open(1)) {
            long address = device.allocate(64).address();
            devices.gpu().fail(call, 1, LAUNCH_FAILURE);
            ProxyException failure = assertThrows(ProxyException.class, () -> device.wrap(address, 64));
            assertEquals(ProxyResult.UNHANDLED_DEVICE_ERROR, failure.result());
            assertTrue(failure.getMessage().startsWith("cuda:1 cannot wrap 64 bytes at 0x" + Long.toHexString(address)
                    + ": " + call + ": cudaErrorLaunchFailure (719)"), failure.getMessage());
        }
    }

    @Test
    void shouldReachPeersByKernelsOnceAccessIsEnabled() {
        try (Device device = devices.open(0); Device peer = devices.open(1)) {
            DeviceMemory far = peer.allocate(Long.BYTES);
            DeviceStream early = device.stream("proxy-early");
            fill(device, early, far.address());
            assertThrows(ProxyException.class, () -> early.synchronize(LONG));
            devices.gpu().reset();

            device.enablePeerAccess(peer);
            DeviceStream stream = device.stream("proxy-late");
            fill(device, stream, far.address());
            stream.synchronize(LONG);
        }
    }

    @Test
    void shouldWaitForASlowDevice() {
        try (Device device = devices.open(0)) {
            DeviceStream stream = device.stream("proxy-slow");
            DeviceMemory word = device.allocateHost(64);
            devices.gpu().slow(Duration.ofMinutes(10));
            assertEquals(1, stream.write(word, 0, 5));
            assertEquals(0, stream.query());
            assertEquals(ProxyResult.TIMEOUT, assertThrows(ProxyException.class,
                    () -> stream.synchronize(Duration.ofMillis(1))).result());
            devices.gpu().slow(Duration.ZERO);
            stream.synchronize(LONG);
            assertEquals(5, word.segment().get(JAVA_LONG, 0));
        }
    }

    /** It takes the address of a descriptor or the descriptor, by its version. */
    @Test
    void shouldImportDescriptorsAsTheLatestHipWants() {
        StandInDevices hip = new StandInDevices.Hip7();
        new GpuUse(hip).run(NOTHING);
    }

    @Test
    void shouldHaveTheCompilerSayWhatIsWrong() {
        try (Device device = devices.open(0)) {
            String source = "extern \"C\" __global__ void k() {\n    there_is_no_such_thing();\n}\n";
            device.compileAhead("wrong.cu", source);
            ProxyException failure = assertThrows(ProxyException.class, () -> device.compile("wrong.cu", source));
            assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
            assertTrue(failure.getMessage().contains("wrong.cu:2") && failure.getMessage().contains("no_such_thing"),
                    failure.getMessage());
        }
    }

    private void fail(String call) {
        devices.gpu().fail(call, 1, UNKNOWN);
    }

    private void fill(Device device, DeviceStream stream, long address) {
        DeviceKernel kernel = devices.load(device, arena).kernel("fill");
        MemorySegment arguments = arena.allocate(JAVA_LONG, 3);
        arguments.setAtIndex(JAVA_LONG, 0, address);
        arguments.setAtIndex(JAVA_LONG, 1, 1);
        assertEquals(1, stream.launch(kernel, LaunchShape.of(1, 1), arguments));
    }

    private static void assertHeld(Holdings before) {
        long deadline = System.nanoTime() + SETTLE_NS;
        while (!before.equals(Holdings.now()) && System.nanoTime() < deadline) {
            Thread.yield();
        }
        assertEquals(before, Holdings.now());
    }
}
