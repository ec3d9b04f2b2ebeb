/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetProperties;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExternalCollNetTest {
    private final FakeCollNetLibrary library = new FakeCollNetLibrary();

    @Test
    void shouldTakeWhatADeviceSaysWithinBounds() {
        library.devices.add(FakeCollNetLibrary.device(" ", 1, 0));
        library.devices.add(FakeCollNetLibrary.device("vast", 7, 1L << 40));
        library.devices.add(FakeCollNetLibrary.device("gpus", 2, 1));
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            assertEquals(3, net.devices());
            assertEquals(new CollNetProperties("tree0", "/sys/fake", 1, 100, 10, 1 << 20), net.properties(0));
            assertEquals(new CollNetProperties("device 1", "/sys/fake", 1, 100, 10, 512 << 20), net.properties(1));
            assertEquals(Integer.MAX_VALUE, net.properties(2).maxCollBytes());
            assertEquals("gpus: not used, it does not take memory of the host", net.explain().get(3));
            assertThrows(ProxyException.class, () -> net.properties(3));
        }
    }

    @Test
    void shouldAskOnceWhatIsReduced() {
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            for (int i = 0; i < 3; i++) {
                assertTrue(net.reduceSupport(DataType.FLOAT32, RedOp.SUM));
                assertFalse(net.reduceSupport(DataType.FLOAT32, RedOp.PROD));
                assertFalse(net.reduceSupport(DataType.FLOAT16, RedOp.SUM));
                assertFalse(net.reduceSupport(DataType.FLOAT32, RedOp.AVG));
            }
            assertEquals(4L * DataType.values().length,
                    library.calls.stream().filter(call -> call.startsWith("reduceSupport")).count());
            assertTrue(library.calls.stream().noneMatch(call -> call.contains("AVG")));
        }
    }

    @Test
    void shouldReduceNothingOfWhatThePlugInCannotBeAsked() {
        library.codes.put("reduceSupport", 3);
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            assertFalse(net.reduceSupport(DataType.FLOAT32, RedOp.SUM));
            assertTrue(net.explain().contains("sum of float: not reduced, reduceSupport of Fake returned 3"),
                    net.explain()::toString);
        }
    }

    @Test
    void shouldSayWhatItIs() {
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            assertEquals("Fake: tree0 (plug-in libfake.so, ncclCollNet_v12)", net.describe());
            assertEquals(List.of("tree0: used, number 0 of the plug-in; calls of up to 1048576 bytes, 8 under way on a "
                    + "comm, memory of the host", "collectives: all_reduce, all_gather and reduce_scatter",
                    "plug-in: libfake.so, ncclCollNet_v12; another by proxyrt.net.plugin or NCCL_NET_PLUGIN"),
                    net.explain());
        }
        library.hasWindows = false;
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            assertFalse(net.hasWindows());
            assertTrue(net.explain().get(1).startsWith("collectives: all_reduce alone, for the plug-in has no "
                    + "iallgather"), net.explain()::toString);
        }
    }

    /** A plug-in cannot wake a thread. */
    @Test
    void shouldSleepShortlyHoweverLongItMay() {
        try (CollNetPlugin net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            net.park(TimeUnit.HOURS.toNanos(1));
        }
    }

    @Test
    void shouldHaveNoDeviceIfThePlugInHasNone() {
        for (int told : new int[] {0, -5}) {
            library.devicesTold = told;
            try (CollNetPlugin net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
                assertEquals(0, net.devices());
                assertTrue(net.describe().contains("the plug-in says " + told + ", so there is nothing to use"));
                assertFalse(net.reduceSupport(DataType.FLOAT32, RedOp.SUM));
            }
        }
        library.devicesTold = 1000;
        try (CollNetPlugin net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            assertEquals(256, net.devices());
        }
    }

    @Test
    void shouldFinishAPlugInThatFails() {
        library.codes.put("getProperties", 2);
        assertThrows(ProxyException.class, () -> ExternalCollNet.open(library, CoreOptions.NET_PLUGIN));
        assertEquals("finish[5]", library.calls.getLast());
    }

    @Test
    void shouldNotWaitInTheCallersThreadUntilAllAreThere() {
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            List<CollNetListenComm> listens = Stream.generate(() -> net.listen(0)).limit(2).toList();
            List<ByteBuffer> handles = listens.stream().map(CollNetListenComm::handle).toList();
            CollNetConnectComm first = net.connect(0, handles, 0, listens.get(0));
            assertNull(first.connect());
            assertNull(first.connect());
            CollNetConnectComm second = net.connect(0, handles, 1, listens.get(1));
            Participants.untilThere(List.of(second, first)).forEach(CollNetComm::close);
            assertEquals(2, library.calls.stream().filter(call -> call.startsWith("connect[")).count());
            listens.forEach(CollNetListenComm::close);
        }
        assertEquals("finish[5]", library.calls.getLast());
    }

    /** As ranks do that are heads of several groups. */
    @Test
    void shouldConnectGroupsInAnyOrder() {
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            List<CollNetListenComm> listens = Stream.generate(() -> net.listen(0)).limit(4).toList();
            List<CollNetConnectComm> one = Participants.attempts(net, listens.subList(0, 2));
            List<CollNetConnectComm> other = Participants.attempts(net, listens.subList(2, 4));
            assertNull(one.get(0).connect());
            assertNull(other.get(1).connect());
            Participants.untilThere(other).forEach(CollNetComm::close);
            Participants.untilThere(one).forEach(CollNetComm::close);
            listens.forEach(CollNetListenComm::close);
        }
    }

    @Test
    void shouldKeepAListenerAsLongAsAnAttemptMayUseIt() throws InterruptedException {
        ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN);
        List<CollNetListenComm> listens = Stream.generate(() -> net.listen(0)).limit(2).toList();
        List<CollNetConnectComm> attempts = Participants.attempts(net, listens);
        assertNull(attempts.get(0).connect());
        attempts.get(0).close();
        listens.get(0).close();
        net.close();
        assertEquals("connect[2, 0]", library.calls.getLast(), "nothing is closed under it");

        Participants.untilThere(attempts.get(1)).close();
        attempts.get(1).close();
        listens.get(1).close();
        while (!library.calls.getLast().equals("finish[5]")) {
            Thread.sleep(1);
        }
        assertEquals(2, library.calls.stream().filter(call -> call.equals("closeColl[]")).count());
        assertEquals(2, library.calls.stream().filter(call -> call.equals("closeListen[]")).count());
    }

    @Test
    void shouldRefuseStrangeHandlesAndListeners() {
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN);
                ExternalCollNet other = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            CollNetListenComm listen = net.listen(0);
            CollNetListenComm strange = other.listen(0);
            ByteBuffer handle = listen.handle();
            assertRefused(net, List.of(handle), 0, strange, "the listener is none of tree0");
            assertRefused(net, List.of(handle), 1, listen, "rank 1 of 1 participants");
            assertRefused(net, List.of(handle), -1, listen, "rank -1 of 1 participants");
            assertRefused(net, List.of(handle, strange.handle()), 1, listen, "is not the one that listens on tree0");
            assertRefused(net, List.of(handle, ByteBuffer.allocate(64)), 0, listen,
                    "a handle of 64 bytes, rank 1's, is none of tree0 of Fake (libfake.so), whose have 128");
            assertThrows(ProxyException.class, () -> net.connect(1, List.of(handle), 0, listen));
            listen.close();
            assertRefused(net, List.of(handle), 0, listen, "or was closed");
            strange.close();
        }
    }

    @Test
    void shouldFailIfThePlugInGivesNothing() {
        library.isConnectNull = true;
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            CollNetListenComm listen = net.listen(0);
            CollNetConnectComm attempt = net.connect(0, List.of(listen.handle()), 0, listen);
            ProxyException failure = assertThrows(ProxyException.class, () -> Participants.untilThere(attempt));
            assertEquals("tree0 of Fake (libfake.so) connects 1 participants, and gives no comm", failure.getMessage());
            attempt.close();
            listen.close();
            library.isListenNull = true;
            assertEquals(ProxyResult.INTERNAL_ERROR,
                    assertThrows(ProxyException.class, () -> net.listen(0)).result());
        }
        assertEquals("finish[5]", library.calls.getLast());
    }

    @Test
    void shouldBeDrivenByPlatformThreadsOnly() throws InterruptedException {
        try (ExternalCollNet net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN)) {
            ProxyException[] refusal = new ProxyException[1];
            Thread.ofVirtual().start(() -> refusal[0] = assertThrows(ProxyException.class, () -> net.listen(0))).join();
            assertEquals(ProxyResult.INVALID_USAGE, refusal[0].result());
        }
    }

    private static void assertRefused(ExternalCollNet net, List<ByteBuffer> handles, int rank, CollNetListenComm listen,
            String reason) {
        ProxyException refusal = assertThrows(ProxyException.class, () -> net.connect(0, handles, rank, listen));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }
}
