/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HostDeviceMemoryTest {
    private final Platform platform = Platform.find();
    private final HostDevice device = new HostDevice(0, platform);

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void shouldHaveTheSizeAskedFor() {
        try (DeviceMemory memory = device.allocateShareable(5_000);
                DeviceMemory mapped = device.importFd(device.exportFd(memory))) {
            assertEquals(5_000, memory.segment().byteSize());
            assertEquals(5_000, mapped.segment().byteSize());
        }
    }

    /** What is mapped in vain is a system error; this is refused before. */
    @Test
    void shouldRefuseMoreThanItMaps() {
        for (long bytes : new long[] {1L << 47, HostDevice.MAX_IMPORT_BYTES + 1}) {
            OwnedFd fd = platform.descriptors().memfd("huge", bytes);
            String text = "host:0: " + fd + " is memory of " + bytes + " bytes; at most 68719476736 are mapped";

            ProxyException failure = assertThrows(ProxyException.class, () -> device.importFd(fd));

            assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
            assertEquals(text, failure.getMessage());
            assertEquals("no file descriptor", fd.toString());
        }
    }

    @Test
    void shouldGiveASegmentBackAtOnceThoughOthersHaveItsArena() throws Exception {
        device.allocateSegment(1).close();
        long before = memfds() + mappings();
        DeviceMemory gone = device.allocateSegment(5_000);
        DeviceMemory stays = device.allocateSegment(5_000);
        gone.segment().fill((byte) 1);
        stays.segment().fill((byte) 2);
        DeviceMemory view = device.importSegment(device.exportFd(stays));

        gone.close();
        assertEquals(before + 3, memfds() + mappings());
        assertEquals(0, gone.segment().get(ValueLayout.JAVA_BYTE, 4_999));
        stays.close();
        assertEquals(2, view.segment().get(ValueLayout.JAVA_BYTE, 4_999));

        view.close();
        assertFalse(gone.segment().scope().isAlive());
        assertFalse(view.segment().scope().isAlive());
        assertEquals(before, memfds() + mappings());
    }

    /** How often shareable memory is mapped. */
    private static long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("memfd:proxyrt-host")).count();
        }
    }

    @Test
    void shouldKeepWhatCannotBeClosedUntilItCan() throws Throwable {
        device.allocateShareable(1).close();
        long before = memfds();
        DeviceMemory memory = device.allocateShareable(64);

        assertInstanceOf(IllegalStateException.class, thrownWhileInUse(memory.segment(), memory::close));
        assertSame(memory, device.memory(memory.id()));
        device.exportFd(memory).close();

        memory.close();
        memory.close();
        assertThrows(ProxyException.class, () -> device.memory(memory.id()));
        assertEquals(before, memfds());
    }

    /** What an action throws while the C library sorts the memory, and asks what is greater. */
    @SuppressWarnings("restricted")
    private static Throwable thrownWhileInUse(MemorySegment segment, Runnable action) throws Throwable {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Runnable caught = () -> {
            try {
                action.run();
            } catch (RuntimeException e) {
                thrown.set(e);
            }
        };
        MethodHandle compare = MethodHandles.lookup().findStatic(HostDeviceMemoryTest.class, "compare",
                MethodType.methodType(int.class, Runnable.class, MemorySegment.class, MemorySegment.class))
                .bindTo(caught);
        MethodHandle sort = CLibrary.link("qsort",
                FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            sort.invokeExact(segment, 2L, 4L, Linker.nativeLinker().upcallStub(compare,
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS), arena));
        }
        return thrown.get();
    }

    private static int compare(Runnable action, MemorySegment left, MemorySegment right) {
        action.run();
        return Long.compare(left.address(), right.address());
    }

    private static long memfds() throws IOException {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(HostDeviceMemoryTest::isMemfd).count();
        }
    }

    private static boolean isMemfd(Path link) {
        try {
            return Files.readSymbolicLink(link).toString().startsWith("/memfd:proxyrt-host");
        } catch (IOException e) {
            return false;
        }
    }
}
