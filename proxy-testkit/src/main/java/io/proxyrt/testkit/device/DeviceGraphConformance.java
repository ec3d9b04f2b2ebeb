/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceGraph;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Work that is captured and launched again and again, and tasks of the host among it. */
abstract class DeviceGraphConformance extends DeviceKernelConformance {
    private static final LaunchShape ONE = LaunchShape.of(1, 1);
    private static final int LAUNCHES = 1000;

    private DeviceStream graphStream(String name) {
        assume(DeviceCapability.GRAPHS);
        return stream(name);
    }

    private static void launch(DeviceGraph graph, DeviceStream stream) {
        int taken = graph.launch(stream);
        while (taken == 0) {
            Thread.yield();
            taken = graph.launch(stream);
        }
        assertEquals(1, taken, stream::failure);
    }

    private static long word(DeviceMemory memory) {
        return memory.segment().get(JAVA_LONG, 0);
    }

    @Test
    void shouldRunTasksOfTheHostInOrder() {
        DeviceStream stream = graphStream("proxy-tasks");
        DeviceMemory out = host(Long.BYTES);
        DeviceKernel fill = kernel(ConformanceKernels.FILL);
        long[] seen = new long[2];
        Gate gate = new Gate(stream);
        assertEquals(1, stream.launchHost(() -> seen[0] = 1 + word(out)));
        assertEquals(1, stream.launch(fill, ONE, arguments(out.address(), 1, 6)));
        assertEquals(1, stream.launchHost(() -> seen[1] = 1 + word(out)));
        assertEquals(0, stream.query());
        assertEquals(0, seen[0]);
        gate.open();
        stream.synchronize(LONG);
        assertEquals(1, seen[0]);
        assertEquals(7, seen[1]);
    }

    /** A driver would end the process. */
    @Test
    void shouldGoOnWhenATaskThrows() {
        DeviceStream stream = graphStream("proxy-throws");
        DeviceMemory out = host(Long.BYTES);
        assertEquals(1, stream.launchHost(() -> {
            throw new IllegalStateException("as the test wants");
        }));
        assertEquals(1, stream.write(out, 0, 3));
        stream.synchronize(LONG);
        assertEquals(3, word(out));
    }

    @Test
    void shouldDoWhatWasCapturedWithEachLaunch() {
        DeviceStream stream = graphStream("proxy-capture");
        DeviceKernel add = kernel(ConformanceKernels.ADD);
        DeviceMemory sum = host(Long.BYTES);
        DeviceMemory one = host(Long.BYTES);
        one.segment().set(JAVA_LONG, 0, 1);
        AtomicInteger runs = new AtomicInteger();
        assertFalse(stream.isCapturing());
        stream.beginCapture();
        assertTrue(stream.isCapturing());
        assertEquals(1, stream.launchHost(runs::incrementAndGet));
        assertEquals(1, stream.launch(add, ONE, arguments(sum.address(), sum.address(), one.address(), 1)));
        DeviceGraph graph = stream.endCapture();
        assertFalse(stream.isCapturing());
        stream.synchronize(LONG);
        assertEquals(0, runs.get() + word(sum));

        DeviceStream other = stream("proxy-launches");
        for (int i = 0; i < LAUNCHES; i++) {
            launch(graph, other);
        }
        graph.close();
        graph.close();
        other.synchronize(LONG);
        assertEquals(LAUNCHES, runs.get());
        assertEquals(LAUNCHES, word(sum));
        assertRefused(other, graph.launch(other));
    }

    /** What another stream recorded before each launch counts, and what each launch recorded. */
    @Test
    void shouldRecordAndAwaitEventsWithEachLaunch() {
        DeviceStream stream = graphStream("proxy-ordered");
        DeviceStream other = stream("proxy-before");
        DeviceMemory out = host(Long.BYTES);
        DeviceKernel fill = kernel(ConformanceKernels.FILL);
        DeviceEvent before = device.event();
        DeviceEvent after = device.event();
        stream.beginCapture();
        assertEquals(1, stream.await(before));
        assertEquals(1, stream.launch(fill, ONE, arguments(out.address(), 1, 1)));
        assertEquals(1, stream.record(after));
        try (DeviceGraph graph = stream.endCapture()) {
            assertEquals(1, after.query());
            for (int i = 0; i < 3; i++) {
                out.segment().set(JAVA_LONG, 0, 0);
                Gate gate = new Gate(other);
                assertEquals(1, other.record(before));
                launch(graph, stream);
                assertEquals(0, after.query());
                assertEquals(0, word(out));
                gate.open();
                assertEquals(1, await(after));
                assertEquals(1, word(out));
            }
            stream.synchronize(LONG);
        }
    }

    @Test
    void shouldForgetTheTasksOfAGraph() throws InterruptedException {
        DeviceStream stream = graphStream("proxy-forgets");
        int[] runs = new int[1];
        WeakReference<Runnable> task = captured(stream, runs);
        assertEquals(1, runs[0]);
        awaitForgotten(task);
    }

    @Test
    void shouldGiveGraphsBackWithTheDevice() throws InterruptedException {
        assume(DeviceCapability.GRAPHS);
        awaitForgotten(left());
    }

    private WeakReference<Runnable> left() {
        int[] runs = new int[1];
        Runnable task = () -> runs[0]++;
        try (Device other = factory().open(0)) {
            DeviceStream stream = other.stream("proxy-left");
            stream.beginCapture();
            assertEquals(1, stream.launchHost(task));
            launch(stream.endCapture(), stream);
            stream.synchronize(LONG);
        }
        assertEquals(1, runs[0]);
        return new WeakReference<>(task);
    }

    private static void awaitForgotten(WeakReference<Runnable> task) throws InterruptedException {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (task.get() != null && System.nanoTime() < deadline) {
            System.gc();
            Thread.sleep(1);
        }
        assertEquals(null, task.get());
    }

    private static WeakReference<Runnable> captured(DeviceStream stream, int[] runs) {
        Runnable task = () -> runs[0]++;
        stream.beginCapture();
        assertEquals(1, stream.launchHost(task));
        try (DeviceGraph graph = stream.endCapture()) {
            launch(graph, stream);
            stream.synchronize(LONG);
        }
        return new WeakReference<>(task);
    }

    /** A look at the stream is refused, and harms neither the capture nor the stream. */
    @Test
    void shouldSayWhatCannotBeDoneInACapture() {
        DeviceStream stream = graphStream("proxy-misused");
        DeviceMemory out = host(Long.BYTES);
        assertThrown(ProxyResult.INVALID_USAGE, stream::endCapture);
        stream.beginCapture();
        assertThrown(ProxyResult.INVALID_USAGE, stream::beginCapture);
        assertEquals(MISUSED, stream.query());
        assertThrown(ProxyResult.INVALID_USAGE, () -> stream.synchronize(LONG));
        assertTrue(stream.failure().contains("captured"), stream.failure());
        assertEquals(1, stream.launch(kernel(ConformanceKernels.FILL), ONE, arguments(out.address(), 1, 4)));
        try (DeviceGraph graph = stream.endCapture()) {
            launch(graph, stream);
            stream.synchronize(LONG);
        }
        assertEquals(4, word(out));
    }

    /** One wrapper of a stream plays the other library. */
    @Test
    void shouldSeeWhatAnotherLibraryDoesToACapture() {
        DeviceStream other = graphStream("proxy-other");
        assume(DeviceCapability.FOREIGN_HANDLES);
        DeviceMemory out = host(Long.BYTES);
        DeviceKernel fill = kernel(ConformanceKernels.FILL);
        DeviceStream stream = device.wrapStream(other.handle(), "proxy-wrapped");
        other.beginCapture();
        assertTrue(stream.isCapturing());
        assertEquals(1, stream.launch(fill, ONE, arguments(out.address(), 1, 8)));
        try (DeviceGraph graph = other.endCapture()) {
            stream.synchronize(LONG);
            assertEquals(1, stream.query(), stream::failure);
            assertEquals(0, word(out));
            launch(graph, stream);
            stream.synchronize(LONG);
            assertEquals(8, word(out));
        }
        other.beginCapture();
        assertEquals(MISUSED, stream.query());
        assertEquals(MISUSED, other.launch(fill, ONE, arguments(out.address(), 1, 9)));
        assertThrown(ProxyResult.INVALID_USAGE, other::endCapture);
        other.synchronize(LONG);
        assertEquals(8, word(out));
    }

    @Test
    void shouldRefuseToCaptureWithoutGraphs() {
        if (!has(DeviceCapability.GRAPHS) && has(DeviceCapability.ASYNC_COPY)) {
            DeviceStream stream = device.stream("proxy-plain");
            assertFalse(stream.isCapturing());
            assertThrown(ProxyResult.INVALID_USAGE, stream::beginCapture);
            assertThrown(ProxyResult.INVALID_USAGE, stream::endCapture);
            assertEquals(MISUSED, stream.launchHost(() -> { }));
        }
    }
}
