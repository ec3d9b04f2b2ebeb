/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetProperties;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Devices, listeners and attempts to connect of a plug-in, however odd it is. */
class ExternalNetTest {
    private final FakeNetLibrary library = new FakeNetLibrary();

    private ExternalNet net() {
        return ExternalNet.open(library, CoreOptions.NET_PLUGIN);
    }

    private NetProperties taken(NetLibraryProperties told) {
        library.devices.set(0, told);
        return net().properties(0);
    }

    @Test
    void shouldTakeWhatThePlugInSaysOfItsDevice() {
        assertEquals(new NetProperties("fake0", "/sys/fake", 1, 100, 10, 1, 1 << 20, false),
                taken(FakeNetLibrary.PLAIN));
        assertEquals(new NetProperties("fake0", "/sys/fake", 1, 100, 10, 8, 1 << 20, true),
                taken(new NetLibraryProperties("fake0", "/sys/fake", 1, 7, false, 100, 10, 8, 0, 0, 1 << 20, 0)));
    }

    @Test
    void shouldBringIntoBoundsWhatCannotBe() {
        assertEquals(new NetProperties("device 0", "", 0, 10_000, 65_536, 1, 1L << 30, false),
                taken(new NetLibraryProperties(null, null, 0, 1, false, 0, 0, 0, 0, 0, 0, 0)));
        assertEquals(new NetProperties("device 0", "", 0, 10_000, 65_536, 1, 1L << 30, false),
                taken(new NetLibraryProperties(" ", "", 0, 1, false, -1, -1, -1, 0, 0, -1, 0)));
        assertEquals(new NetProperties("a", "", 0, 5, 5, 8, Integer.MAX_VALUE, false),
                taken(new NetLibraryProperties("a", "", 0, 1, false, 5, 5, Integer.MAX_VALUE, 0, 0, 1L << 40, 0)));
    }

    @Test
    void shouldLeaveOutDevicesOfNoUseAndSayWhy() {
        library.devices.clear();
        library.devices.add(new NetLibraryProperties("gpu0", "", 1, 2, false, 1, 1, 1, 0, 0, 1, 0));
        library.devices.add(new NetLibraryProperties("tcpx0", "", 2, 1, false, 1, 1, 1, 1, 7, 1, 0));
        library.devices.add(new NetLibraryProperties("gin0", "", 3, 1, false, 1, 1, 1, 3, 0, 1, 0));
        library.devices.add(FakeNetLibrary.PLAIN);
        ExternalNet net = net();
        library.calls.clear();
        net.listen(0).close();

        assertEquals(1, net.devices());
        assertTrue(library.calls.getFirst().equals("listen[5, 3]"), library.calls::toString);
        String lines = String.join("\n", net.explain());
        for (String part : List.of("gpu0: not used, it does not take memory of the host", "tcpx0: not used, GPUs have",
                "version 7", "gin0: not used, GPUs have to drive it, by offload type 3", "fake0: used, number 3",
                "plug-in: libfake.so, by its ncclNet_v9", "NCCL_NET_PLUGIN")) {
            assertTrue(lines.contains(part), lines);
        }
        assertEquals("Fake: fake0 (plug-in libfake.so, ncclNet_v9)", net.describe());
    }

    @Test
    void shouldHaveNoDeviceIfThePlugInSaysSo() {
        for (int told : new int[] {0, -3}) {
            library.devicesTold = told;
            assertEquals(0, net().devices());
            assertTrue(net().describe().contains("the plug-in says " + told), net().describe());
        }
        library.devicesTold = Integer.MAX_VALUE;
        assertEquals(256, net().devices());
    }

    @Test
    void shouldFinishWhatItInitialized() {
        net().close();
        assertEquals(List.of("init[]", "devices[]", "getProperties[0]", "finish[5]"), library.calls);
        library.calls.clear();
        library.codes.put("getProperties", 2);
        assertThrows(ProxyException.class, this::net);
        assertEquals("finish[5]", library.calls.getLast());
        library.calls.clear();
        library.codes.put("init", 2);
        assertThrows(ProxyException.class, this::net);
        assertEquals(List.of("init[]"), library.calls);
    }

    @Test
    void shouldFinishOnceAndAfterItsLastConnection() {
        ExternalNet net = net();
        NetListenComm listen = net.listen(0);
        NetSendComm send = ExternalCommFixture.untilThere(net.connect(0, listen.handle())::connect);
        listen.close();
        net.close();
        net.close();
        assertTrue(library.calls.getLast().startsWith("closeListen"), library.calls::toString);
        send.close();
        assertEquals("finish[5]", library.calls.getLast());
        assertEquals(1, library.calls.stream().filter("finish[5]"::equals).count());
    }

    @Test
    void shouldFinishOnAThreadThatMayBlock() {
        AtomicReference<String> thread = new AtomicReference<>();
        library.onFinish = () -> thread.set(Thread.currentThread().getName());
        net().close();
        assertEquals("proxyrt-plugin-close", thread.get());
    }

    @Test
    void shouldCloseDespiteAPlugInThatFailsToFinish() {
        library.codes.put("finish", 3);
        net().close();
        assertEquals("finish[5]", library.calls.getLast());
    }

    @Test
    void shouldConnectWithAHandleOfTheAttempts() {
        ExternalNet net = net();
        NetListenComm listen = net.listen(0);
        ByteBuffer handle = listen.handle();
        library.pendingConnects = 2;
        NetConnectComm attempt = net.connect(0, handle);
        ExternalCommFixture.untilThere(attempt::connect);

        assertEquals(3, library.calls.stream().filter("connect[5, 0]"::equals).count());
        assertEquals(10, library.connectHandle.get(ValueLayout.JAVA_BYTE, 100), "its state is kept");
        assertEquals(NetPlugin.HANDLE_BYTES, handle.remaining());
        assertEquals(7, handle.get(100));
        assertEquals(7, listen.handle().get(100));
        assertNull(attempt.connect(), "not after it succeeded");
        attempt.close();
        attempt.close();
    }

    @Test
    void shouldNotWaitForAPlugInThatBlocksInAccept() {
        ExternalNet net = net();
        CountDownLatch comes = new CountDownLatch(1);
        library.onAccept = () -> await(comes);
        NetListenComm blocking = net.listen(0);
        assertNull(blocking.accept());
        NetListenComm other = net.listen(0);
        assertNull(other.accept());
        NetSendComm send = ExternalCommFixture.untilThere(net.connect(0, other.handle())::connect);
        comes.countDown();
        ExternalCommFixture.untilThere(blocking::accept).close();
        ExternalCommFixture.untilThere(other::accept).close();
        send.close();
    }

    @Test
    void shouldCloseAListenerWhenItsAcceptReturnsAndGoOnWithOthersMeanwhile() {
        ExternalNet net = net();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch comes = new CountDownLatch(1);
        library.onAccept = () -> {
            begun.countDown();
            await(comes);
        };
        NetListenComm blocking = net.listen(0);
        assertNull(blocking.accept());
        await(begun);
        NetListenComm other = net.listen(0);
        assertNull(other.accept());
        library.onAccept = () -> { };
        blocking.close();
        assertTrue(library.calls.stream().noneMatch(call -> call.startsWith("closeListen")), library.calls::toString);
        ExternalCommFixture.untilThere(other::accept).close();
        other.close();
        net.close();
        CountDownLatch finished = new CountDownLatch(1);
        library.onFinish = finished::countDown;
        comes.countDown();
        await(finished);

        assertEquals(List.of("closeRecv", "closeListen", "finish"), library.calls.subList(library.calls.size() - 3,
                library.calls.size()).stream().map(call -> call.replaceAll("\\[.*", "")).toList());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldGiveUpAnAttempt() {
        ExternalNet net = net();
        NetConnectComm attempt = net.connect(0, net.listen(0).handle());
        attempt.close();
        library.calls.clear();

        assertNull(attempt.connect());
        assertEquals(List.of(), library.calls);
    }

    @Test
    void shouldAcceptAsOftenAsPeersConnect() {
        NetListenComm listen = net().listen(0);
        library.pendingConnects = 1;
        ExternalCommFixture.untilThere(listen::accept).close();
        assertEquals(2, library.calls.stream().filter(call -> call.startsWith("accept")).count());
        listen.close();
        listen.close();
        assertNull(listen.accept());
        assertEquals(1, library.calls.stream().filter(call -> call.startsWith("closeListen")).count());
    }

    @Test
    void shouldRefuseHandlesThatNoPlugInGives() {
        ExternalNet net = net();
        for (int bytes : new int[] {0, 1, 127, 128, 129}) {
            assertInvalid(() -> net.connect(0, ByteBuffer.allocate(bytes)));
        }
    }

    @Test
    void shouldRefuseDevicesThatAreNotThere() {
        ExternalNet net = net();
        for (int dev : new int[] {-1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertInvalid(() -> net.listen(dev));
            assertInvalid(() -> net.properties(dev));
            assertInvalid(() -> net.isRegistrationGlobal(dev));
            assertInvalid(() -> net.connect(dev, ByteBuffer.allocate(128).put(0, (byte) 1)));
        }
    }

    private static void assertInvalid(Runnable call) {
        assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class, call::run).result());
    }

    @Test
    void shouldSayThatAConnectFailed() {
        ExternalNet net = net();
        NetListenComm listen = net.listen(0);
        library.codes.put("connect", 6);
        library.codes.put("accept", 2);

        assertEquals(ProxyResult.REMOTE_ERROR, assertThrows(ProxyException.class, () ->
                ExternalCommFixture.untilThere(net.connect(0, listen.handle())::connect)).result());
        assertEquals(ProxyResult.SYSTEM_ERROR, assertThrows(ProxyException.class,
                () -> ExternalCommFixture.untilThere(listen::accept)).result());
        library.isListenNull = true;
        assertEquals(ProxyResult.INTERNAL_ERROR, assertThrows(ProxyException.class, () -> net.listen(0)).result());
    }

    @Test
    void shouldNotBeCalledByVirtualThreads() throws InterruptedException {
        ExternalNet net = net();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread virtual = Thread.ofVirtual().unstarted(() -> net.listen(0));
        virtual.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
        virtual.start();
        virtual.join();

        assertTrue(failure.get() instanceof ProxyException refused && refused.result() == ProxyResult.INVALID_USAGE,
                () -> "thrown: " + failure.get());
    }
}
