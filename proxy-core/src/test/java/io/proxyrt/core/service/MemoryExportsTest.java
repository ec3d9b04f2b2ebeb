/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.TestRuntime;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.FakeDevice;
import io.proxyrt.core.progress.TransportContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryExportsTest {
    private static final PeerId ONE = new PeerId(1, 11);
    private static final PeerId TWO = new PeerId(2, 22);

    @TempDir
    Path directory;

    private final FakeDevice device = new FakeDevice();
    private final DeviceMemory memory = device.allocateShareable(4096);
    private long nowNs;
    private TestRuntime runtime;
    private MemoryExports exports;

    @BeforeEach
    void start() {
        runtime = new TestRuntime(directory);
        exports = new MemoryExports(new TransportContext(runtime.config(), 0, device, runtime.counters(), null),
                () -> nowNs);
    }

    @AfterEach
    void close() {
        exports.close();
        assertEquals(Set.of(), device.open, "descriptors left open");
        device.close();
        runtime.close();
    }

    @Test
    void shouldGiveADescriptorToThoseItIsFor() {
        long handle = exports.export(memory, Set.of(1, 3));
        List<OwnedFd> fds = exports.onGetFd(ONE, new long[] {handle, handle});
        assertEquals(2, device.open.size());
        assertNotEquals(fds.getFirst().number(), fds.getLast().number());
        fds.forEach(OwnedFd::close);
        assertEquals(2, runtime.counters().get(Counter.UDS_FDS_SENT));
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> exports.onGetFd(TWO, new long[] {handle}));
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
    }

    @Test
    void shouldGiveNoneIfOneIsRefused() {
        long good = exports.export(memory, Set.of(1));
        long other = exports.export(memory, Set.of(2));
        assertThrows(ProxyException.class, () -> exports.onGetFd(ONE, new long[] {good, good, other}));
        assertThrows(ProxyException.class, () -> exports.onGetFd(ONE, new long[] {good, good + 1}));
        assertEquals(Set.of(), device.open);
    }

    @Test
    void shouldGiveNoneAfterRevocation() {
        long handle = exports.export(memory, Set.of(1));
        assertTrue(exports.revoke(handle));
        assertFalse(exports.revoke(handle));
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> exports.onGetFd(ONE, new long[] {handle}));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
    }

    @Test
    void shouldRefuseToExportMemoryThatCannotBeShared() {
        DeviceMemory freed = device.allocateShareable(64);
        freed.close();
        assertThrows(ProxyException.class, () -> exports.export(freed, Set.of(1)));
    }

    @Test
    void shouldHandOverWhatWasSentOnceAndToItsSenderOnly() {
        int[] numbers = exports.onQueryFd(ONE, List.of(device.fd(), device.fd()));
        assertThrows(ProxyException.class, () -> exports.take(TWO, numbers[0]));
        assertThrows(ProxyException.class, () -> exports.take(new PeerId(1, 12), numbers[0]));
        assertThrows(ProxyException.class, () -> exports.take(ONE, numbers[0] + (1L << 32)));
        OwnedFd fd = exports.take(ONE, numbers[0]);
        assertEquals(numbers[0], fd.number());
        assertThrows(ProxyException.class, () -> exports.take(ONE, numbers[0]));
        assertEquals(1, exports.waiting());
        fd.close();
    }

    @Test
    void shouldCloseWhatIsNotUsedInTime() {
        exports.onQueryFd(ONE, List.of(device.fd()));
        nowNs = Duration.ofSeconds(20).toNanos();
        int[] later = exports.onQueryFd(ONE, List.of(device.fd()));
        nowNs = Duration.ofSeconds(30).toNanos() - 1;
        assertEquals(0, exports.expire());
        nowNs++;
        assertEquals(1, exports.expire());
        assertEquals(Set.of(later[0]), device.open);
        nowNs = Duration.ofSeconds(50).toNanos();
        assertEquals(1, exports.expire());
    }

    @Test
    void shouldCloseWhatAPeerSentThatIsGone() {
        exports.onQueryFd(ONE, List.of(device.fd()));
        int[] other = exports.onQueryFd(TWO, List.of(device.fd()));
        exports.onDisconnect(ONE);
        assertEquals(2, device.open.size(), "its Register comes by another socket");
        exports.forget(ONE);
        assertEquals(Set.of(other[0]), device.open);
    }

    @Test
    void shouldRefuseMoreThanItKeeps() {
        int each = MemoryExports.MAX_RECEIVED_OF_PEER;
        for (int rank = 1; rank <= MemoryExports.MAX_RECEIVED / each; rank++) {
            exports.onQueryFd(new PeerId(rank, 1), descriptors(each));
        }
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> exports.onQueryFd(new PeerId(99, 1), descriptors(1)));
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
        assertEquals(MemoryExports.MAX_RECEIVED, device.open.size());
    }

    @Test
    void shouldLetNoPeerTakeTheRoomOfOthers() {
        exports.onQueryFd(ONE, descriptors(MemoryExports.MAX_RECEIVED_OF_PEER));
        ProxyException refusal = assertThrows(ProxyException.class, () -> exports.onQueryFd(ONE, descriptors(1)));
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
        exports.onQueryFd(TWO, descriptors(1));
        assertEquals(MemoryExports.MAX_RECEIVED_OF_PEER + 1, device.open.size());
    }

    private List<OwnedFd> descriptors(int count) {
        return IntStream.range(0, count).mapToObj(i -> device.fd()).toList();
    }

    @Test
    void shouldCloseADescriptorOnceAndKnowWhenItIsGone() {
        OwnedFd fd = device.fd();
        fd.close();
        fd.close();
        assertThrows(ProxyException.class, fd::number);
        OwnedFd given = device.fd();
        int number = given.release();
        given.close();
        assertEquals(Set.of(number), device.open, "the receiver of the number closes it");
        device.open.clear();
        assertThrows(ProxyException.class, () -> new OwnedFd(-1, any -> { }));
    }
}
