/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a driver's own double is needed for: calls that fail, streams that stop, and what is called when. */
class GpuDeviceTest {
    private static final int UNUSABLE = -ProxyResult.UNHANDLED_DEVICE_ERROR.code();
    private static final long BYTES = 5000;

    private final Arena arena = Arena.ofShared();
    private final ScriptedApi api = new ScriptedApi();
    private final GpuProcess process = new GpuProcess(api);
    private final GpuDevice device = new GpuDevice(process, 0);

    @AfterEach
    void close() {
        api.state = GpuApi.SUCCESS;
        api.isBusy = false;
        device.close();
        process.reclaimer().sweep();
        assertEquals(Map.of(), api.given);
        arena.close();
    }

    /** Each of its calls once, at whatever point. */
    @Test
    void shouldGiveEverythingBackWhenACallFails() {
        Map<Function<Device, DeviceMemory>, List<String>> wanted = Map.of(
                gpu -> gpu.allocate(BYTES), List.of("malloc", "memset"),
                gpu -> gpu.allocateShareable(BYTES), List.of("memCreate", "memMap", "memSetAccess", "memset"),
                gpu -> gpu.allocateIpc(BYTES), List.of("malloc", "ipcGetMemHandle", "memset"),
                gpu -> gpu.importFd(Platform.find().descriptors().memfd("proxyrt-imported", 1), BYTES),
                List.of("memImport", "memMap", "memSetAccess"),
                gpu -> gpu.register(arena.allocate(BYTES)), List.of("hostRegister"));
        wanted.forEach((allocation, calls) -> calls.forEach(call -> {
            api.fail(call, 0);
            Map<Long, String> before = Map.copyOf(api.given);

            ProxyException failure = assertThrows(ProxyException.class, () -> allocation.apply(device));

            assertTrue(failure.getMessage().contains(call), failure.getMessage());
            assertEquals(before, api.given, call);
            allocation.apply(device).close();
        }));
    }

    @Test
    void shouldGiveAStreamBackThatLacksItsEvents() {
        Map<Long, String> before = Map.copyOf(api.given);
        api.fail("eventCreate", 3);
        assertThrows(ProxyException.class, () -> device.stream("test"));
        assertEquals(before, api.given);
    }

    @Test
    void shouldLackWhatTheDriverRefusesWhenItIsOpened() {
        assertTrue(device.capabilities().containsAll(Set.of(DeviceCapability.SHAREABLE_MEMORY,
                DeviceCapability.IPC_HANDLES)));
        api.fail("memExport", 0);
        api.fail("ipcGetMemHandle", 0);
        try (GpuDevice poor = new GpuDevice(process, 0)) {
            assertFalse(poor.capabilities().contains(DeviceCapability.SHAREABLE_MEMORY));
            assertFalse(poor.capabilities().contains(DeviceCapability.IPC_HANDLES));
            assertEquals(1, poor.attributes().limits().granularityBytes());
        }
    }

    @Test
    void shouldSayWhyItHasNoCompiler() {
        device.compileAhead("any", "");
        assertEquals("cuda:0 has no COMPILER: none here",
                assertThrows(ProxyException.class, () -> device.compile("any", "")).getMessage());
    }

    @Test
    void shouldAlignWhatTheDriverDoesNot() {
        api.isAligned = false;
        try (DeviceMemory memory = device.allocate(BYTES)) {
            assertEquals(0, memory.address() % 4096);
            assertEquals(BYTES, memory.bytes());
        }
        api.isAligned = true;
    }

    @Test
    void shouldLeaveMemoryToThoseWhoHoldIt() {
        DeviceMemory disowned;
        try (GpuDevice gone = new GpuDevice(process, 1)) {
            disowned = gone.allocate(BYTES);
            gone.disown(disowned);
        }
        assertTrue(disowned.range().scope().isAlive());
        assertTrue(api.given.containsValue("malloc"));
        disowned.close();
        assertFalse(api.given.containsValue("malloc"));
    }

    /** Whichever of the process's ranks has it. */
    @Test
    void shouldKnowWhatKernelsReachByItsAddress() {
        try (GpuDevice twin = new GpuDevice(process, 0); GpuDevice other = new GpuDevice(process, 1)) {
            List<DeviceMemory> memories = Stream.generate(() -> device.allocate(BYTES)).limit(5).toList();
            for (DeviceMemory memory : memories) {
                assertEquals(memory.address(), twin.deviceAddress(memory.range(), BYTES));
                assertEquals(memory.address() + 17, device.deviceAddress(memory.range().asSlice(17), BYTES - 17));
                assertEquals(0, device.deviceAddress(memory.range(), BYTES + 1));
                assertEquals(0, other.deviceAddress(memory.range(), 1));
            }
            MemorySegment pageable = arena.allocate(BYTES);
            assertEquals(0, device.deviceAddress(pageable, BYTES));
            assertEquals(0, device.deviceAddress(MemorySegment.ofArray(new byte[1]), 0));
            try (DeviceMemory registered = device.register(pageable)) {
                assertEquals(registered.address(), device.deviceAddress(pageable, BYTES));
                assertEquals(registered.address(), other.deviceAddress(pageable, BYTES));
            }
            assertEquals(0, device.deviceAddress(pageable, BYTES));
            memories.get(2).close();
            assertEquals(List.of(true, true, false, true, true), memories.stream().map(memory ->
                    device.deviceAddress(memory.range(), BYTES) == memory.address()).toList());
        }
    }

    /** A driver's free waits for kernels, and a kernel may wait for who frees. */
    @Test
    void shouldFreeWhatAStreamMayUseWhenNoneHasWork() {
        List<DeviceMemory> memories = List.of(device.allocate(BYTES), device.allocateShareable(BYTES),
                device.allocateIpc(BYTES));
        DeviceStream stream = device.stream("test");
        GpuIpcHandle handle = GpuIpcHandle.decode("cuda", device.ipcHandle(memories.getLast()));
        handle.checkToken();
        long before = api.count("free");
        api.state = GpuApi.NOT_READY;

        memories.forEach(DeviceMemory::close);

        assertEquals("REMOTE_ERROR", thrown(handle::checkToken), "other processes are told at once");
        assertEquals(3, api.given.values().stream().filter(Set.of("malloc", "memMap")::contains).count());
        memories.forEach(memory -> {
            assertFalse(memory.range().scope().isAlive());
            assertThrows(ProxyException.class, () -> device.memory(memory.id()));
            assertTrue(stream.copy(memory, 0, memory, 100, 8) < 0);
        });
        api.isBusy = true;
        api.state = GpuApi.SUCCESS;
        process.reclaimer().sweep();
        assertEquals(0, api.count("free") - before);
        assertTrue(api.given.containsValue("memMap"), "a driver may wait to unmap as to free");
        api.isBusy = false;
        device.allocate(BYTES).close();
        assertFalse(api.given.containsValue("memMap"));
        assertEquals(3, api.count("free") - before);
        stream.close();
    }

    /** The driver would wait for a kernel that starts once its streams were found idle. */
    @Test
    void shouldStartNoKernelWhileMemoryIsFreed() {
        DeviceStream stream = device.stream("test");
        DeviceKernel kernel = kernel();
        List<Integer> launched = new ArrayList<>();
        api.during.put("free", () -> launched.add(launch(stream, kernel)));

        device.allocate(BYTES).close();

        assertEquals(List.of(0), launched);
        assertEquals(0, api.count("launch"));
        api.during.put("memUnmap", () -> launched.add(launch(stream, kernel)));
        device.allocateShareable(BYTES).close();
        assertEquals(List.of(0, 0), launched);
    }

    @Test
    void shouldFreeNothingWhileAKernelStarts() {
        DeviceStream stream = device.stream("test");
        DeviceKernel kernel = kernel();
        DeviceMemory memory = device.allocate(BYTES);
        long before = api.count("free");
        List<Long> freed = new ArrayList<>();
        api.during.put("launch", () -> {
            memory.close();
            freed.add(api.count("free") - before);
        });

        assertEquals(1, launch(stream, kernel));

        assertEquals(List.of(0L), freed);
        process.reclaimer().sweep();
        assertEquals(1, api.count("free") - before);
    }

    private DeviceKernel kernel() {
        return device.loadModule(MemorySegment.ofArray("// PTX".getBytes(StandardCharsets.UTF_8))).kernel("any");
    }

    private int launch(DeviceStream stream, DeviceKernel kernel) {
        return stream.launch(kernel, LaunchShape.of(1, 1), arena.allocate(Long.BYTES));
    }

    @Test
    void shouldWaitForStreamsBeforeRegisteredMemoryIsItsOwnersAgain() throws InterruptedException {
        DeviceMemory memory = device.register(arena.allocate(BYTES));
        DeviceStream stream = device.stream("test");
        api.state = GpuApi.NOT_READY;
        Thread closer = Thread.ofPlatform().start(memory::close);
        while (closer.isAlive() && closer.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertEquals(0, api.count("hostUnregister"));
        // The stream has got more to do, but has passed what it had.
        api.isBusy = true;
        api.state = GpuApi.SUCCESS;
        closer.join();
        assertEquals(1, api.count("hostUnregister"));
        api.isBusy = false;
        stream.close();
    }

    @Test
    void shouldBeFullBeforeTheDriverIsAndRecordAllTheSame() {
        DeviceStream stream = device.stream("test");
        DeviceMemory memory = device.allocate(BYTES);
        DeviceEvent event = device.event();
        api.state = GpuApi.NOT_READY;
        int copies = 0;
        while (copies < GpuStream.CAPACITY && stream.copy(memory, 0, memory, 100, 8) == 1) {
            assertEquals(1, stream.record(event));
            copies++;
        }
        assertEquals(GpuStream.CAPACITY / 2, copies);
        int records = 0;
        while (records < GpuStream.CAPACITY && stream.record(event) == 1) {
            records++;
        }
        assertTrue(records > 0 && records < GpuStream.CAPACITY, records + " records");

        api.state = GpuApi.SUCCESS;
        for (int i = 0; i < 10 * GpuStream.CAPACITY; i++) {
            assertEquals(1, stream.copy(memory, 0, memory, 100, 8));
        }
    }

    @Test
    void shouldTellARefusalFromAFailure() {
        DeviceStream stream = device.stream("test");
        DeviceMemory memory = device.allocate(BYTES);
        api.taken = ScriptedApi.REFUSED;
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), stream.copy(memory, 0, memory, 100, 8));
        assertTrue(stream.failure().contains("error (1)"), stream.failure());
        api.taken = GpuApi.SUCCESS;
        assertEquals(1, stream.copy(memory, 0, memory, 100, 8));

        api.state = ScriptedApi.FAILED;
        assertEquals(UNUSABLE, stream.query());
        api.state = GpuApi.SUCCESS;
        assertEquals(UNUSABLE, stream.query(), "what failed stays so");
        assertEquals(UNUSABLE, stream.copy(memory, 0, memory, 100, 8));
        ProxyException failure = assertThrows(ProxyException.class, () -> stream.synchronize(Duration.ofSeconds(1)));
        assertEquals(ProxyResult.UNHANDLED_DEVICE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("error (700)") && failure.getMessage().contains("test of cuda:0"),
                failure.getMessage());
    }

    @Test
    void shouldCopyMoreThanAnIntCounts() {
        long bytes = (1L << 31) + 17;
        try (GpuDevice other = new GpuDevice(process, 1)) {
            device.enablePeerAccess(other);
            DeviceStream stream = device.stream("test");
            DeviceMemory source = device.allocate(2 * bytes);
            for (GpuDevice owner : List.of(device, other)) {
                api.copiedBytes = 0;
                assertEquals(1, stream.copy(owner.allocate(bytes), 0, source, bytes, bytes));
                assertEquals(bytes, api.copiedBytes);
            }
            stream.close();
        }
    }

    @Test
    void shouldNoticeAFailureWhereItIsFull() {
        DeviceStream stream = device.stream("test");
        DeviceMemory memory = device.allocate(BYTES);
        api.state = GpuApi.NOT_READY;
        while (stream.copy(memory, 0, memory, 100, 8) == 1) {
            assertTrue(api.count("memcpyAsync") <= GpuStream.CAPACITY);
        }
        api.state = ScriptedApi.FAILED;
        assertEquals(UNUSABLE, stream.copy(memory, 0, memory, 100, 8));
    }

    /** What such a stream may use is the driver's until it ends. */
    @Test
    void shouldCloseInTimeWhereAStreamDoesNotEnd() {
        DeviceStream stream = device.stream("test");
        device.allocate(BYTES);
        device.register(arena.allocate(BYTES));
        device.register(arena.allocate(BYTES));
        api.state = GpuApi.NOT_READY;
        long begin = System.nanoTime();
        String pinned = assertThrows(ProxyException.class, device::close).getMessage();
        assertTrue(System.nanoTime() - begin < 2 * GpuDevice.CLOSE_TIMEOUT_NS, "one deadline for all");
        assertTrue(pinned.contains("cuda:0") && pinned.contains("stays pinned"), pinned);
        assertTrue(api.given.containsValue("streamCreate") && api.given.containsValue("malloc"), api.given.toString());
        assertTrue(stream.query() < 0);
    }

    @Test
    void shouldRefuseVirtualThreads() throws InterruptedException {
        DeviceStream stream = device.stream("test");
        DeviceMemory memory = device.allocate(BYTES);
        DeviceEvent event = device.event();
        assertEquals(List.of(-5, -5, -5, "INVALID_USAGE", "INVALID_USAGE", "INVALID_USAGE"), onVirtualThread(() ->
                List.of(stream.copy(memory, 0, memory, 100, 8), stream.query(), event.query(),
                        thrown(() -> device.allocate(BYTES)), thrown(memory::close), thrown(device::close))));
        assertTrue(stream.failure().contains("platform thread"), stream.failure());
        assertEquals(1, stream.copy(memory, 0, memory, 100, 8));
    }

    /** The double fails where no device is current. */
    @Test
    void shouldMakeItsDeviceEveryThreadsCurrentOne() throws InterruptedException {
        GpuDevice other = new GpuDevice(process, 1);
        DeviceStream near = device.stream("near");
        DeviceStream far = other.stream("far");
        DeviceMemory memory = device.allocate(BYTES);
        DeviceMemory farMemory = other.allocate(BYTES);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().uncaughtExceptionHandler((at, e) -> failure.set(e)).start(() -> {
            assertEquals(1, far.copy(farMemory, 0, farMemory, 100, 8));
            assertEquals(1, api.currentDevice());
            assertEquals(1, near.copy(memory, 0, memory, 100, 8));
            assertEquals(0, api.currentDevice());
            long before = api.count("setDevice");
            assertEquals(1, near.copy(memory, 0, memory, 100, 8));
            assertEquals(before, api.count("setDevice"), "it is the current one");
            assertEquals(1, far.query());
            assertEquals(1, api.currentDevice());
        });
        thread.join();
        assertEquals(null, failure.get());
        other.close();
    }

    @Test
    void shouldReachPeersWhenToldAndByTheirOwnCopies() {
        GpuDevice peer = new GpuDevice(process, 1);
        DeviceMemory far = peer.allocate(BYTES);
        peer.allocateShareable(BYTES);
        DeviceMemory near = device.allocate(BYTES);
        DeviceStream stream = device.stream("test");
        assertTrue(stream.copy(near, 0, far, 0, 8) < 0);

        long before = api.count("memSetAccess");
        device.enablePeerAccess(peer);
        assertEquals(before + 1, api.count("memSetAccess"), "what is allocated so far");
        peer.allocateShareable(BYTES);
        assertEquals(before + 3, api.count("memSetAccess"), "its own device, and the one that reaches it");

        assertEquals(1, stream.copy(near, 0, far, 0, 8));
        assertEquals(1, api.count("memcpyPeerAsync"));
        assertEquals(1, stream.copy(near, 0, near, 100, 8));
        assertEquals(1, api.count("memcpyPeerAsync"));
        peer.close();
    }

    @Test
    void shouldSayWhyADeviceIsNoPeer() {
        assertEquals("", device.whyNoPeer(new PeerDevice("cuda", "cuda:0", "0000:00:00.0", 0)));
        assertEquals("", device.whyNoPeer(new PeerDevice("cuda", "cuda:0", "0000:01:00.0", 0)));
        for (PeerDevice peer : List.of(new PeerDevice("hip", "hip:0", "0000:01:00.0", 0),
                new PeerDevice("cuda", "cuda:0", "0000:77:00.0", 0), new PeerDevice("cuda", "cuda:0", "", 0))) {
            String why = device.whyNoPeer(peer);
            assertTrue(why.startsWith("cuda:0 cannot reach"), why);
            assertTrue(why.contains(peer.pciId()) || why.contains("hip"), why);
        }
    }

    @Test
    void shouldNotUseWhatItClosed() {
        GpuDevice closed = new GpuDevice(process, 1);
        DeviceStream stream = closed.stream("test");
        DeviceEvent event = closed.event();
        closed.close();
        closed.close();
        assertTrue(stream.query() < 0 && event.query() < 0);
        assertEquals("INVALID_USAGE", thrown(() -> closed.allocate(BYTES)));
        assertEquals("INVALID_USAGE", thrown(() -> closed.stream("test")));
        assertEquals("INVALID_USAGE", thrown(closed::event));
        assertEquals("INVALID_USAGE", thrown(() -> closed.register(arena.allocate(8))));
    }

    private static String thrown(Runnable call) {
        return assertThrows(ProxyException.class, call::run).result().name();
    }

    private static <T> T onVirtualThread(Supplier<T> action) throws InterruptedException {
        AtomicReference<T> result = new AtomicReference<>();
        Thread.ofVirtual().start(() -> result.set(action.get())).join();
        return result.get();
    }
}
