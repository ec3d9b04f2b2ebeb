/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceGraph;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kernels that do not end by themselves. */
class LaunchQueueTest {
    /** More than a stream takes. */
    private static final int MANY = 10_000;
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final String ENDLESS = """
            extern "C" __global__ void endless(u64, u64, const u64* abortWord, u64, u64) {
                while (loadRelaxed(abortWord) == 0) {
                    pauseSpin();
                }
            }

            extern "C" __global__ void peek(u64, u64, const u64*, u64, u64, const u64* from, u64* to) {
                *to = *from;
            }
            """;
    private static final Duration LONG = Duration.ofSeconds(20);

    private final LaunchArguments arguments = new LaunchArguments(0);
    private Device device;
    private DeviceModule module;
    private DeviceKernel endless;
    private LaunchQueue queue;

    @BeforeEach
    void open() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        device = Devices.open("cuda:0", 0, StandInGpu.of(GpuAbi.CUDA).config());
        module = device.compile("endless", KernelSource.functors() + ENDLESS);
        endless = module.kernel("endless");
        queue = new LaunchQueue(device, "rank 7", 1, 1, Duration.ofSeconds(1), SHORT);
    }

    @AfterEach
    void close() {
        if (device != null) {
            device.close();
        }
    }

    /** Connections that are put into a table while launches are captured. */
    @Test
    void shouldHaveGraphsFollowCopies() {
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        int copies = 8;
        try (DeviceMemory from = device.allocateHost(copies * Long.BYTES);
                DeviceMemory table = device.allocate(copies * Long.BYTES);
                DeviceMemory answer = device.allocateHost(Long.BYTES)) {
            from.segment().setAtIndex(JAVA_LONG, copies - 1, 7);
            DeviceStream user = device.stream("proxy-user");
            user.beginCapture();
            queue.beginCapture(user);
            gpu.slow(Duration.ofMillis(50));
            for (int i = 0; i < copies; i++) {
                queue.copy(table, from, (long) i * Long.BYTES, Long.BYTES);
            }
            LaunchArguments words = new LaunchArguments(2);
            words.set(0, table.address() + (copies - 1L) * Long.BYTES);
            words.set(1, answer.address());
            queue.capture(user, module.kernel("peek"), 1, words, null, null);
            queue.finishCapture(user);
            try (DeviceGraph graph = user.endCapture()) {
                assertEquals(1, graph.launch(user));
                user.synchronize(LONG);
                assertEquals(7, answer.segment().get(JAVA_LONG, 0));
            }
        } finally {
            gpu.reset();
        }
        queue.close();
    }

    /** The launch that found no room is missing: what came behind it would move its data in the wrong steps. */
    @Test
    void shouldLaunchNothingAnyMoreAfterTheStreamWasFullForTooLong() {
        ProxyException failure = assertThrows(ProxyException.class, () -> {
            for (int i = 0; i < MANY; i++) {
                queue.launch(endless, 1, arguments, null);
            }
        });
        assertEquals(ProxyResult.TIMEOUT, failure.result());
        assertTrue(failure.getMessage().startsWith("rank 7: cuda:0: the stream was full for 50 ms"),
                failure.getMessage());
        assertSame(failure, queue.failure());
        queue.abort();
        assertSame(failure, assertThrows(ProxyException.class, () -> {
            queue.synchronize(Duration.ofSeconds(5));
            queue.launch(endless, 1, arguments, null);
        }));
        queue.close();
    }

    @Test
    void shouldSayWhoseKernelsDoNotEnd() {
        queue.launch(endless, 1, arguments, null);
        ProxyException failure = assertThrows(ProxyException.class, () -> queue.synchronize(SHORT));
        assertEquals(ProxyResult.TIMEOUT, failure.result());
        assertTrue(failure.getMessage().contains("rank 7 of cuda:0"), failure.getMessage());
        assertEquals(1, queue.outstanding());
        queue.close();
    }

    @Test
    void shouldEndKernelsWhenItCloses() {
        for (int i = 0; i < 20; i++) {
            queue.launch(endless, 1, arguments, null);
        }
        long start = System.nanoTime();
        queue.close();
        queue.close();
        queue.abort();
        long tookNs = System.nanoTime() - start;
        assertTrue(tookNs < TimeUnit.SECONDS.toNanos(4), tookNs + " ns for closing");
    }
}
