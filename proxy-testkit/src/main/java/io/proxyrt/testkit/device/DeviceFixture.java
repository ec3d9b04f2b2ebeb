/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;

/** A device, and what tests do with one. What the CPU sees of memory, it sees by way of copies. */
abstract class DeviceFixture {
    static final Duration LONG = Duration.ofMinutes(2);
    static final int REFUSED = -ProxyResult.INVALID_ARGUMENT.code();
    static final int MISUSED = -ProxyResult.INVALID_USAGE.code();

    private static final VarHandle WORD = JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final long HOLD_TURNS = 1L << 40;

    Arena arena;
    Device device;

    /**
     * How devices are opened.
     *
     * @return with a class that another process can make one of
     */
    protected abstract DeviceFactory factory();

    @BeforeEach
    void open() {
        arena = Arena.ofShared();
        device = factory().open(0);
    }

    @AfterEach
    void close() {
        device.close();
        arena.close();
    }

    final boolean has(DeviceCapability capability) {
        return device.capabilities().contains(capability);
    }

    final void assume(DeviceCapability capability) {
        assumeTrue(has(capability), device.name() + " has no " + capability);
    }

    final DeviceStream stream(String name) {
        assume(DeviceCapability.ASYNC_COPY);
        return device.stream(name);
    }

    /** Memory that the CPU sees. */
    final DeviceMemory host(long bytes) {
        return device.allocateHost(bytes);
    }

    /** Memory of the device, with content of its own. */
    final DeviceMemory random(int bytes, long seed) {
        DeviceMemory memory = device.allocate(bytes);
        byte[] content = new byte[bytes];
        new Random(seed).nextBytes(content);
        try (DeviceStream stream = stream("proxy-random"); DeviceMemory source = host(bytes)) {
            source.segment().copyFrom(MemorySegment.ofArray(content));
            copy(stream, memory, 0, source, 0, bytes);
            stream.synchronize(LONG);
        }
        return memory;
    }

    /** What is in memory, wherever it lies. */
    final byte[] content(DeviceMemory memory) {
        if (memory.isHostAccessible()) {
            return memory.segment().toArray(JAVA_BYTE);
        }
        try (DeviceStream stream = stream("proxy-content"); DeviceMemory copy = host(memory.bytes())) {
            assertEquals(1, stream.copy(copy, 0, memory, 0, memory.bytes()));
            stream.synchronize(LONG);
            return copy.segment().toArray(JAVA_BYTE);
        }
    }

    /** Copies, and waits where the stream is full. */
    static void copy(DeviceStream stream, DeviceMemory to, long toOffset, DeviceMemory from, long fromOffset,
            long bytes) {
        int taken = stream.copy(to, toOffset, from, fromOffset, bytes);
        while (taken == 0) {
            Thread.yield();
            taken = stream.copy(to, toOffset, from, fromOffset, bytes);
        }
        if (taken < 0) {
            throw new AssertionError(taken + ": " + stream.failure());
        }
    }

    static int await(DeviceEvent event) {
        long deadline = System.nanoTime() + LONG.toNanos();
        int state = event.query();
        while (state == 0 && System.nanoTime() < deadline) {
            Thread.yield();
            state = event.query();
        }
        return state;
    }

    static ProxyException assertThrown(ProxyResult result, Executable call) {
        ProxyException failure = assertThrows(ProxyException.class, call);
        assertEquals(result, failure.result(), failure.getMessage());
        return failure;
    }

    static void assertRefused(DeviceStream stream, int result) {
        assertEquals(REFUSED, result);
        assertTrue(!stream.failure().isEmpty(), "it does not say why");
        assertTrue(stream.query() >= 0, "a refusal is no failure");
    }

    final DeviceKernel kernel(String name) {
        assume(DeviceCapability.MODULES);
        return factory().load(device, arena).kernel(name);
    }

    final MemorySegment arguments(long... values) {
        MemorySegment block = arena.allocate(Math.max(1, values.length) * (long) Long.BYTES, Long.BYTES);
        for (int i = 0; i < values.length; i++) {
            block.setAtIndex(JAVA_LONG, i, values[i]);
        }
        return block.asSlice(0, values.length * (long) Long.BYTES);
    }

    /** Holds a stream up until it is let go, so that what is under way at a moment is known. */
    final class Gate {
        private final DeviceMemory word = host(Long.BYTES);

        Gate(DeviceStream stream) {
            assertEquals(1, stream.launch(kernel(ConformanceKernels.HOLD), LaunchShape.of(1, 1),
                    arguments(word.address(), HOLD_TURNS)));
        }

        void open() {
            WORD.setRelease(word.segment(), 0L, 1L);
        }
    }

    /** A part of memory, as a pool hands it out that divides what a device gave. */
    record Part(DeviceMemory base, long baseOffset, long bytes) implements DeviceMemory {
        @Override
        public MemorySegment segment() {
            return base.segment().asSlice(baseOffset, bytes);
        }

        @Override
        public long id() {
            return base.id();
        }

        @Override
        public long address() {
            return base.address() + baseOffset;
        }

        @Override
        public boolean isHostAccessible() {
            return base.isHostAccessible();
        }

        @Override
        public void close() {
            // The whole has another owner.
        }
    }

    /** Memory of no device at all. */
    record ForeignMemory(MemorySegment segment) implements DeviceMemory {
        @Override
        public long id() {
            return 1;
        }

        @Override
        public void close() {
            // It is the arena's.
        }
    }
}
