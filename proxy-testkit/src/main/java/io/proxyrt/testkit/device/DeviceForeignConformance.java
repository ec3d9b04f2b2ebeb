/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceMemoryKind;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Memory and streams that the device did not give: here another object for the same device gave them. */
abstract class DeviceForeignConformance extends DeviceGraphConformance {
    private static final int BYTES = 10_000;
    private static final int OFFSET = 1000;
    private static final int PART = 5000;
    private static final int COUNT = BYTES / Long.BYTES;
    private static final int LOOKS = 1000;
    /** For ever, if nobody opens. */
    private static final long TURNS = 1L << 40;

    @Test
    void shouldTakeMemoryThatAnotherAllocated() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        try (Device other = factory().open(0)) {
            DeviceMemory whole = other.allocate(BYTES);
            DeviceMemory part = device.wrap(whole.address() + OFFSET, PART);

            assertEquals(DeviceMemoryKind.FOREIGN, part.kind());
            assertEquals(PART, part.bytes());
            assertEquals(whole.address() + OFFSET, part.address());
            assertSame(part, device.memory(part.id()));
            assertEquals(part.address(), device.deviceAddress(part.range(), PART));
            assertThrown(ProxyResult.INVALID_USAGE, part::segment);
            DeviceMemory source = random(PART, 7);
            try (DeviceStream stream = stream("proxy-wrapped")) {
                copy(stream, part, 0, source, 0, PART);
                stream.synchronize(LONG);
            }
            assertArrayEquals(content(source), content(part));

            part.close();
            part.close();
            assertFalse(part.range().scope().isAlive());
            assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.memory(part.id()));
            DeviceMemory again = device.wrap(whole.address(), BYTES);
            assertArrayEquals(content(source), Arrays.copyOfRange(content(again), OFFSET, OFFSET + PART));
        }
    }

    @Test
    void shouldTakePinnedMemoryThatAnotherAllocated() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        try (Device other = factory().open(0); DeviceMemory pinned = other.allocateHost(BYTES);
                DeviceMemory registered = other.register(arena.allocate(BYTES))) {
            for (DeviceMemory memory : new DeviceMemory[] {pinned, registered}) {
                MemorySegment there = memory.segment();
                try (DeviceMemory wrapped = device.wrap(there.address(), BYTES)) {
                    assertTrue(wrapped.isHostAccessible());
                    wrapped.segment().set(JAVA_BYTE, BYTES - 1, (byte) 5);
                    assertEquals(5, there.get(JAVA_BYTE, BYTES - 1));
                    assertEquals(memory.address(), device.deviceAddress(wrapped.segment(), BYTES));
                }
                assertEquals(5, there.get(JAVA_BYTE, BYTES - 1));
            }
        }
    }

    /** Tensors are parts of what their library got at once, and may be wrapped each by itself. */
    @Test
    void shouldKnowMemoryThatIsWrappedTwice() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        try (Device other = factory().open(0)) {
            DeviceMemory memory = other.allocate(BYTES);
            DeviceMemory whole = device.wrap(memory.address(), BYTES);
            DeviceMemory part = device.wrap(memory.address() + OFFSET, PART);
            DeviceMemory partAgain = device.wrap(memory.address() + OFFSET, 1);
            for (int at : new int[] {0, OFFSET - 1, OFFSET, OFFSET + 1, OFFSET + PART, BYTES - 1}) {
                MemorySegment rest = whole.range().asSlice(at);
                assertEquals(memory.address() + at, device.deviceAddress(rest, rest.byteSize()), at + " of it");
            }
            assertEquals(0, device.deviceAddress(whole.range(), BYTES + 1));
            whole.close();
            memory.close();
            assertEquals(part.address(), device.deviceAddress(part.range(), PART));
            partAgain.close();
            part.close();
        }
    }

    @Test
    void shouldRefuseAddressesThatAreNotItsMemory() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        DeviceMemory memory = device.allocate(4 << 20);
        long end = memory.address() + memory.bytes();
        long[][] wrong = {{0, 64}, {memory.address(), 0}, {memory.address(), -1}, {memory.address(), Long.MAX_VALUE},
            {arena.allocate(64).address(), 64}, {end - 10, 1 << 30}, {-1, 1}, {Long.MIN_VALUE, 1}};
        for (long[] range : wrong) {
            String why = assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.wrap(range[0], range[1])).getMessage();
            assertTrue(why.startsWith(device.name() + " cannot wrap " + range[1] + " bytes at 0x"), why);
        }
        try (Device other = factory().open(1)) {
            DeviceMemory far = other.allocate(64);
            if (!other.name().equals(device.name())) {
                String why = assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.wrap(far.address(), 64))
                        .getMessage();
                assertTrue(why.contains("memory of " + other.name()), why);
            }
        }
    }

    /** It names no file, and no process opens it by a handle. */
    @Test
    void shouldNotShareWhatIsNotItsOwn() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        try (Device other = factory().open(0)) {
            DeviceMemory wrapped = device.wrap(other.allocate(BYTES).address(), BYTES);
            if (has(DeviceCapability.SHAREABLE_MEMORY)) {
                assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.exportFd(wrapped));
            }
            if (has(DeviceCapability.IPC_HANDLES)) {
                assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.ipcHandle(wrapped));
            }
            wrapped.close();
        }
    }

    /** A kernel that fills, and one that reads what it filled, each put on its stream by another. */
    @Test
    void shouldPutKernelsBehindThoseOfAnothersStream() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        DeviceStream ours = stream("proxy-ours");
        DeviceKernel add = kernel(ConformanceKernels.ADD);
        try (Device other = factory().open(0); DeviceStream theirs = other.stream("proxy-theirs")) {
            DeviceModule module = factory().load(other, arena);
            DeviceStream wrapped = device.wrapStream(theirs.handle(), "proxy-wrapped");
            DeviceEvent filled = device.event();
            DeviceMemory word = host(Long.BYTES);
            DeviceMemory numbers = device.allocate(BYTES);
            DeviceMemory sum = host(BYTES);
            assertEquals(1, theirs.launch(module.kernel(ConformanceKernels.HOLD), LaunchShape.of(1, 1),
                    arguments(word.address(), TURNS)));
            assertEquals(1, theirs.launch(module.kernel(ConformanceKernels.FILL), LaunchShape.of(2, 32),
                    arguments(numbers.address(), COUNT, 5)));

            assertEquals(1, wrapped.record(filled));
            assertEquals(1, ours.await(filled));
            assertEquals(1, ours.launch(add, LaunchShape.of(2, 32),
                    arguments(sum.address(), numbers.address(), numbers.address(), COUNT)));
            for (int i = 0; i < LOOKS; i++) {
                assertEquals(0, ours.query());
                assertEquals(0, wrapped.query());
            }
            word.segment().set(JAVA_LONG, 0, 1);
            ours.synchronize(LONG);

            for (int i = 0; i < COUNT; i++) {
                assertEquals(2 * (5 + i), sum.segment().getAtIndex(JAVA_LONG, i));
            }
            wrapped.close();
        }
    }

    @Test
    void shouldPutAnothersWorkBehindItsOwn() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        DeviceStream ours = stream("proxy-ours");
        DeviceMemory source = random(BYTES, 8);
        DeviceMemory between = device.allocate(BYTES);
        try (Device other = factory().open(0); DeviceStream theirs = other.stream("proxy-theirs");
                DeviceStream wrapped = device.wrapStream(theirs.handle(), "proxy-wrapped")) {
            DeviceEvent copied = device.event();
            DeviceMemory seen = other.allocateHost(BYTES);
            DeviceMemory there = other.wrap(between.address(), BYTES);
            Gate gate = new Gate(ours);
            copy(ours, between, 0, source, 0, BYTES);
            assertEquals(1, ours.record(copied));
            assertEquals(1, wrapped.await(copied));
            copy(theirs, seen, 0, there, 0, BYTES);
            for (int i = 0; i < LOOKS; i++) {
                assertEquals(0, theirs.query());
            }
            gate.open();
            theirs.synchronize(LONG);
            assertArrayEquals(content(source), content(seen));
        }
    }

    /** Its owner may have work there for ever. */
    @Test
    void shouldLeaveAnothersStreamAsItIs() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        DeviceMemory source = random(BYTES, 9);
        DeviceMemory seen = host(BYTES);
        DeviceMemory word = host(Long.BYTES);
        try (Device other = factory().open(0); DeviceStream theirs = other.stream("proxy-theirs")) {
            DeviceStream wrapped = device.wrapStream(theirs.handle(), "proxy-wrapped");
            assertEquals(theirs.handle(), wrapped.handle());
            CopyList copies = new CopyList(2);
            copies.add(seen, 0, source, 0, OFFSET);
            copies.add(seen, OFFSET, source, OFFSET, BYTES - OFFSET);
            assertEquals(1, wrapped.copyAll(copies));
            assertEquals(1, wrapped.write(word, 0, 0));
            wrapped.synchronize(LONG);
            assertArrayEquals(content(source), content(seen));

            assertEquals(1, theirs.launch(factory().load(other, arena).kernel(ConformanceKernels.HOLD),
                    LaunchShape.of(1, 1), arguments(word.address(), TURNS)));
            wrapped.close();
            wrapped.close();
            assertEquals(0, theirs.query(), "nobody waits for it");
            assertEquals(MISUSED, wrapped.write(word, 0, 2));
            word.segment().set(JAVA_LONG, 0, 1);
            theirs.synchronize(LONG);
        }
    }

    @Test
    void shouldTakeTheDriversDefaultStream() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        DeviceMemory source = random(BYTES, 10);
        DeviceMemory seen = host(BYTES);
        try (DeviceStream stream = device.wrapStream(0, "proxy-default")) {
            assertEquals(0, stream.handle());
            CopyList copies = new CopyList(2);
            copies.add(seen, 0, source, 0, OFFSET);
            copies.add(seen, OFFSET, source, OFFSET, BYTES - OFFSET);
            assertEquals(1, stream.copyAll(copies));
            stream.synchronize(LONG);
            assertArrayEquals(content(source), content(seen));
        }
    }

    @Test
    void shouldRefuseStreamsOfOtherDevices() {
        assume(DeviceCapability.FOREIGN_HANDLES);
        try (Device other = factory().open(1); DeviceStream far = other.stream("proxy-far")) {
            if (!other.name().equals(device.name())) {
                String why = assertThrown(ProxyResult.INVALID_ARGUMENT,
                        () -> device.wrapStream(far.handle(), "proxy-wrapped")).getMessage();
                assertTrue(why.startsWith(device.name() + " cannot wrap stream 0x" + Long.toHexString(far.handle())),
                        why);
            }
        }
    }
}
