/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceAttributes;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceMemoryKind;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.device.PeerDevice;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a device says of itself, all its kinds of memory, and what it refuses. */
abstract class DeviceMemoryConformance extends DeviceFixture {
    private static final long PAGE = 4096;
    private static final long EXPORT_BYTES = 2 << 20;
    private static final long TOO_MUCH = 1L << 60;
    private static final int REUSES = 3;

    @Test
    void shouldDescribeItself() {
        DeviceAttributes attributes = device.attributes();

        assertFalse(device.name().isBlank());
        assertEquals(device.name().replaceAll(":.*", ""), attributes.kind());
        assertFalse(attributes.architecture().isBlank());
        assertTrue(attributes.memoryBytes() > 0 && attributes.numaNode() >= -1, attributes.toString());
        assertTrue(attributes.limits().processors() > 0 && attributes.limits().warpSize() > 0
                && attributes.limits().asyncEngines() > 0 && attributes.limits().maxBlockThreads() > 0
                && attributes.limits().maxSharedBytes() >= 0, attributes.toString());
        assertEquals(1, Long.bitCount(attributes.limits().granularityBytes()), attributes.toString());
        assertEquals(attributes, device.attributes());
        assertEquals(device.capabilities(), device.capabilities());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4095, 4096, 1_000_003})
    void shouldAllocateZeroedMemoryOfEveryKind(int bytes) {
        Set<Long> ids = new HashSet<>();
        allocators().forEach((name, allocator) -> {
            DeviceMemory memory = allocator.apply(bytes);

            assertEquals(bytes, memory.bytes(), name);
            assertEquals(0, memory.address() % PAGE, name);
            assertTrue(ids.add(memory.id()), name + " has the id of other memory");
            assertSame(memory, device.memory(memory.id()));
            assertSame(memory, memory.base());
            assertEquals(memory.address(), device.deviceAddress(memory.range(), bytes), name);
            assertEquals(0, memory.baseOffset());
            assertEquals(name.equals("allocateHost") ? DeviceMemoryKind.HOST : DeviceMemoryKind.DEVICE, memory.kind());
            assertArrayEquals(new byte[bytes], content(memory), name);
            for (int again = 0; again < REUSES; again++) {
                // It is likely to get what was freed just now.
                DeviceMemory used = allocator.apply(bytes);
                assertArrayEquals(new byte[bytes], content(used), name);
                fill(used);
                used.close();
            }

            memory.close();
            memory.close();
            assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.memory(memory.id()));
        });
    }

    @Test
    void shouldLetTheCpuTouchWhatItSaysItMay() {
        DeviceMemory host = host(64);
        assertTrue(host.isHostAccessible());
        allocators().forEach((name, allocator) -> {
            DeviceMemory memory = allocator.apply(64);
            if (memory.isHostAccessible()) {
                memory.segment().set(JAVA_BYTE, 63, (byte) 5);
                assertEquals(5, content(memory)[63], name);
                assertEquals(64, memory.segment().byteSize());
            } else {
                assertThrown(ProxyResult.INVALID_USAGE, memory::segment);
            }
        });
    }

    @Test
    void shouldRefuseSizesThatCannotBe() {
        allocators().forEach((name, allocator) -> {
            for (long bytes : new long[] {0, -1, Long.MIN_VALUE}) {
                assertThrown(ProxyResult.INVALID_ARGUMENT, () -> allocator.apply(bytes));
            }
            assertThrown(ProxyResult.SYSTEM_ERROR, () -> allocator.apply(TOO_MUCH));
            allocator.apply(1).close();
        });
    }

    @Test
    void shouldNotKnowMemoryThatIsNotThere() {
        for (long id : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.memory(id));
        }
    }

    @Test
    void shouldFreeEverythingWhenClosed() {
        Device other = factory().open(1);
        DeviceMemory left = other.allocateHost(64);
        MemorySegment segment = left.segment();
        DeviceStream stream = has(DeviceCapability.ASYNC_COPY) ? other.stream("proxy-left") : null;

        other.close();
        other.close();

        assertFalse(segment.scope().isAlive());
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> other.memory(left.id()));
        if (stream != null) {
            assertTrue(stream.copy(left, 0, left, 32, 8) < 0);
            stream.close();
        }
        left.close();
    }

    @Test
    void shouldRefuseWhatItLacks() {
        refusals().forEach((capability, calls) -> {
            if (!has(capability)) {
                for (Executable call : calls) {
                    String text = assertThrown(ProxyResult.INVALID_USAGE, call).getMessage();
                    assertTrue(text.startsWith(device.name() + " has no " + capability), text);
                }
            }
        });
        assertEquals(Set.of(DeviceCapability.values()), refusals().keySet());
    }

    @Test
    void shouldReachRegisteredMemory(@TempDir Path folder) throws IOException {
        assume(DeviceCapability.HOST_REGISTRATION);
        try (FileChannel file = FileChannel.open(inMemory(folder).resolve("proxyrt-" + folder.getFileName()),
                StandardOpenOption.CREATE_NEW, StandardOpenOption.DELETE_ON_CLOSE, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MemorySegment mapped = file.map(MapMode.READ_WRITE, 0, 10_000, arena);
            for (MemorySegment memory : List.of(arena.allocate(10_000), mapped, mapped.asSlice(4096, 4096))) {
                DeviceMemory registered = device.register(memory);

                assertEquals(DeviceMemoryKind.REGISTERED, registered.kind());
                assertEquals(memory.byteSize(), registered.bytes());
                assertTrue(registered.isHostAccessible());
                assertSame(registered, device.memory(registered.id()));
                assertEquals(registered.address(), device.deviceAddress(memory, memory.byteSize()));
                assertCopied(registered);
                memory.set(JAVA_BYTE, 7, (byte) ~memory.get(JAVA_BYTE, 7));
                assertSeen(memory, registered);

                registered.close();
                registered.close();
                memory.set(JAVA_BYTE, 0, (byte) 1);
            }
        }
    }

    /** Pages of a file that are written to a disk cannot be pinned. */
    private static Path inMemory(Path otherwise) {
        Path shared = Path.of("/dev/shm");
        return Files.isWritable(shared) ? shared : otherwise;
    }

    @Test
    void shouldRefuseToRegisterWhatIsNotNative() {
        assume(DeviceCapability.HOST_REGISTRATION);
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.register(MemorySegment.ofArray(new byte[10])));
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.register(arena.allocate(10).asSlice(3, 0)));
    }

    @Test
    void shouldExportWhatItAllocatedToBeSharedAndNothingElse() {
        assume(DeviceCapability.SHAREABLE_MEMORY);
        DeviceMemory memory = device.allocateShareable(5000);
        try (OwnedFd one = device.exportFd(memory); OwnedFd two = device.exportFd(memory)) {
            assertNotEquals(one.number(), two.number());
        }
        DeviceMemory again = device.importFd(device.exportFd(memory), 5000);
        assertEquals(DeviceMemoryKind.IMPORTED, again.kind());
        assertEquals(5000, again.bytes());
        assertSame(again, device.memory(again.id()));
        assertCopied(memory);
        assertArrayEquals(content(memory), content(again));

        for (long bytes : new long[] {0, -1, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE}) {
            OwnedFd fd = device.exportFd(memory);
            assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.importFd(fd, bytes));
            assertEquals("no file descriptor", fd.toString());
        }
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.exportFd(host(64)));
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.exportFd(again));
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.exportFd(new ForeignMemory(arena.allocate(64))));
        memory.close();
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.exportFd(memory));
        assertEquals(again.bytes(), content(again).length);
    }

    @Test
    void shouldReachItsPeers() {
        assume(DeviceCapability.PEER_ACCESS);
        try (Device peer = factory().open(1)) {
            if (!device.canAccessPeer(peer)) {
                assertThrown(ProxyResult.INVALID_USAGE, () -> device.enablePeerAccess(peer));
                return;
            }
            device.enablePeerAccess(peer);
            device.enablePeerAccess(peer);
            DeviceMemory far = peer.allocate(10_000);
            DeviceMemory near = random(10_000, 4);
            DeviceMemory back = host(10_000);
            DeviceStream stream = stream("proxy-peer");
            copy(stream, far, 0, near, 0, 10_000);
            copy(stream, back, 0, far, 0, 10_000);
            stream.synchronize(LONG);
            assertArrayEquals(content(near), content(back));
        }
    }

    @Test
    void shouldSayWhoseMemoryItReaches() {
        assume(DeviceCapability.PEER_ACCESS);
        PeerDevice self = PeerDevice.of(device);
        assertEquals("", device.whyNoPeer(self));
        String why = device.whyNoPeer(new PeerDevice("other", "other:0", self.pciId(), self.capabilities()));
        assertTrue(why.startsWith(device.name()), why);
    }

    /** Drivers may refuse what they cut from larger blocks. */
    @Test
    void shouldExportPagesToAdapters() {
        assume(DeviceCapability.DMA_BUF);
        DeviceMemory memory = device.allocate(2 * EXPORT_BYTES);
        try (DmaBuf whole = device.exportDmaBuf(memory, 0, 2 * EXPORT_BYTES);
                DmaBuf half = device.exportDmaBuf(memory, 0, EXPORT_BYTES)) {
            assertNotEquals(whole.fd().number(), half.fd().number());
            assertTrue(whole.offset() >= 0 && half.offset() == whole.offset(), whole + " " + half);
        }
        long[][] wrong = {{1, PAGE}, {0, PAGE + 1}, {0, 0}, {0, -PAGE}, {-PAGE, PAGE}, {0, 4 * EXPORT_BYTES},
            {2 * EXPORT_BYTES, PAGE}, {PAGE, Long.MAX_VALUE & -PAGE}, {Long.MAX_VALUE & -PAGE, PAGE},
            {Long.MIN_VALUE, PAGE}, {0, Long.MIN_VALUE}};
        for (long[] range : wrong) {
            assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.exportDmaBuf(memory, range[0], range[1]));
        }
        assertThrown(ProxyResult.INVALID_ARGUMENT,
                () -> device.exportDmaBuf(new ForeignMemory(arena.allocate(PAGE)), 0, PAGE));
        memory.close();
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.exportDmaBuf(memory, 0, EXPORT_BYTES));
    }

    @Test
    void shouldFlushWhatAdaptersWrote() {
        assume(DeviceCapability.WRITE_FLUSH);
        assertEquals(1, device.flush());
    }

    @Test
    void shouldHaveAFlushRegister() {
        assume(DeviceCapability.HDP_REGISTER);
        MemorySegment register = device.hdpRegister();
        assertEquals(Integer.BYTES, register.byteSize());
        register.set(JAVA_INT, 0, 1);
    }

    /** What the CPU and the device see is the same memory. */
    private void assertSeen(MemorySegment expected, DeviceMemory memory) {
        assertEquals(-1, expected.mismatch(memory.segment()));
        if (has(DeviceCapability.ASYNC_COPY)) {
            try (DeviceStream stream = device.stream("proxy-seen"); DeviceMemory seen = host(memory.bytes());
                    DeviceMemory between = device.allocate(memory.bytes())) {
                copy(stream, between, 0, memory, 0, memory.bytes());
                copy(stream, seen, 0, between, 0, memory.bytes());
                stream.synchronize(LONG);
                assertEquals(-1, expected.mismatch(seen.segment()));
            }
        }
    }

    /** Copies there and back, if it can. */
    private void assertCopied(DeviceMemory memory) {
        if (has(DeviceCapability.ASYNC_COPY)) {
            int bytes = (int) memory.bytes();
            DeviceMemory source = random(bytes, bytes);
            try (DeviceStream stream = device.stream("proxy-copied")) {
                copy(stream, memory, 0, source, 0, bytes);
                stream.synchronize(LONG);
            }
            assertArrayEquals(content(source), content(memory));
        }
    }

    /** Leaves no byte zero. */
    private void fill(DeviceMemory memory) {
        if (memory.isHostAccessible()) {
            memory.segment().fill((byte) 0x5a);
            return;
        }
        try (DeviceStream stream = stream("proxy-fill"); DeviceMemory source = host(memory.bytes())) {
            source.segment().fill((byte) 0x5a);
            copy(stream, memory, 0, source, 0, memory.bytes());
            stream.synchronize(LONG);
        }
    }

    private Map<String, LongFunction<DeviceMemory>> allocators() {
        Map<String, LongFunction<DeviceMemory>> allocators = new LinkedHashMap<>();
        allocators.put("allocate", device::allocate);
        allocators.put("allocateHost", device::allocateHost);
        if (has(DeviceCapability.SHAREABLE_MEMORY)) {
            allocators.put("allocateShareable", device::allocateShareable);
        }
        if (has(DeviceCapability.IPC_HANDLES)) {
            allocators.put("allocateIpc", device::allocateIpc);
        }
        return allocators;
    }

    /** Every method that needs a capability; called only where that is lacking. */
    private Map<DeviceCapability, List<Executable>> refusals() {
        Map<DeviceCapability, List<Executable>> calls = new EnumMap<>(DeviceCapability.class);
        calls.put(DeviceCapability.SHAREABLE_MEMORY, List.of(() -> device.allocateShareable(64),
                () -> device.exportFd(host(64)),
                () -> device.importFd(new OwnedFd(0, number -> { })),
                () -> device.importFd(new OwnedFd(0, number -> { }), 64)));
        calls.put(DeviceCapability.IPC_HANDLES, List.of(() -> device.allocateIpc(64),
                () -> device.ipcHandle(host(64)), () -> device.openIpc(new byte[64])));
        calls.put(DeviceCapability.HOST_REGISTRATION, List.of(() -> device.register(arena.allocate(64))));
        calls.put(DeviceCapability.ASYNC_COPY, List.of(() -> device.stream("proxy-none"), device::event));
        calls.put(DeviceCapability.PEER_ACCESS, List.of(() -> device.enablePeerAccess(device)));
        calls.put(DeviceCapability.DMA_BUF, List.of(() -> device.exportDmaBuf(device.allocate(PAGE), 0, PAGE)));
        calls.put(DeviceCapability.MODULES, List.of(() -> device.loadModule(arena.allocate(64))));
        calls.put(DeviceCapability.COMPILER, List.of(() -> device.compile("none", "")));
        calls.put(DeviceCapability.HDP_REGISTER, List.of(device::hdpRegister));
        calls.put(DeviceCapability.WRITE_FLUSH, List.of(device::flush));
        calls.put(DeviceCapability.FOREIGN_HANDLES, List.of(() -> device.wrap(PAGE, 64),
                () -> device.wrapStream(PAGE, "proxy-none")));
        // How, not whether; what no method of a device needs, and what streams refuse by themselves.
        calls.put(DeviceCapability.GDRCOPY_FLUSH, List.of());
        calls.put(DeviceCapability.CONCURRENT_PROCESSES, List.of());
        calls.put(DeviceCapability.GRAPHS, List.of());
        return calls;
    }
}
