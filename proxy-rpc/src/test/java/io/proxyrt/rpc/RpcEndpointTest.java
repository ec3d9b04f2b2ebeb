/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.RpcCall;
import io.proxyrt.core.service.RpcHandler;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RpcEndpointTest {
    @Test
    void shouldBeFoundOnTheModulePath() {
        Set<String> provided = RpcEndpoint.class.getModule().getDescriptor().provides().stream()
                .flatMap(provides -> provides.providers().stream()).collect(Collectors.toSet());

        assertEquals(Set.of(RpcOptions.class.getName(), RpcServiceEndpointProvider.class.getName()), provided);
        assertTrue(Rig.config().settings().stream().anyMatch(setting -> setting.option() == RpcOptions.PORT));
    }

    @Test
    void shouldKnowItsAddressRightAfterOpening() {
        try (Rig rig = new Rig()) {
            RpcEndpoint endpoint = rig.open(4, new FakeHandler());

            assertTrue(((InetSocketAddress) endpoint.address()).getAddress().isLoopbackAddress());
            assertNotEquals(0, Rig.port(endpoint));
            assertEquals("proxy-rpc-4", endpoint.name());
            assertEquals(0, endpoint.peers());
            assertEquals("service of rank 4 at 127.0.0.1:" + Rig.port(endpoint)
                    + ": 0 peers, 0 clients, 0 refused", endpoint.toString());
        }
    }

    @Test
    void shouldSayWhichPortIsInUseAndWhatToDo() {
        try (Rig rig = new Rig()) {
            InetSocketAddress taken = (InetSocketAddress) rig.open(0, new FakeHandler()).address();

            ProxyException failure = assertThrows(ProxyException.class, () -> rig.open(1, new FakeHandler(),
                    "rpc.port", Integer.toString(taken.getPort())));

            assertSame(ProxyResult.SYSTEM_ERROR, failure.result());
            assertEquals("the service of rank 1 cannot listen at 127.0.0.1:" + taken.getPort()
                    + ": Address already in use; set proxyrt.rpc.port to another port, or to 0 for any that is free,"
                    + " and proxyrt.rpc.address to an address of this host", failure.getMessage());
        }
    }

    @Test
    void shouldRefuseSettingsThatCannotWork() {
        assertSame(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                () -> Rig.endpoint(0, new FakeHandler(), "rpc.address", "no.such.host.invalid")).result());
        assertSame(ProxyResult.SYSTEM_ERROR, assertThrows(ProxyException.class,
                () -> Rig.endpoint(0, new FakeHandler(), "rpc.address", "192.0.2.1")).result());
        for (String timeout : List.of("0", "61m", "PT1000000000000S")) {
            assertSame(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                    () -> Rig.endpoint(0, new FakeHandler(), "rpc.hello.timeout", timeout)).result());
        }
    }

    @Test
    void shouldListenOnIpVersionSix() {
        try (Rig rig = new Rig()) {
            RpcEndpoint endpoint = rig.open(0, FakeHandler.silent(), "rpc.address", "::1");
            ProxyClient client = rig.connect(endpoint, endpoint);

            assertTrue(client.toString().startsWith("session with the service of rank 0 at [0:0:0:0:0:0:0:1]:"),
                    client::toString);
        }
    }

    @Test
    void shouldCloseOnceAndForAll() {
        RpcEndpoint endpoint = Rig.endpoint(0, new FakeHandler());
        endpoint.doWork();

        endpoint.onClose();
        endpoint.onClose();

        assertEquals(0, endpoint.doWork());
        endpoint.park(Long.MAX_VALUE);
        endpoint.wakeup(null);
        assertThrows(IOException.class, () -> SocketChannel.open(endpoint.address()).close());
    }

    @Test
    void shouldCloseBeforeItEverRan() {
        RpcEndpoint endpoint = Rig.endpoint(0, new FakeHandler());
        var session = endpoint.connect(endpoint.address());

        endpoint.onClose();

        assertTrue(session.isCompletedExceptionally());
        assertThrows(IOException.class, () -> SocketChannel.open(endpoint.address()).close());
    }

    @Test
    void shouldReportWhatTheHandlerThrowsWhileClosing() {
        RuntimeException bug = new IllegalStateException("a bug");
        RpcEndpoint endpoint = Rig.endpoint(0, new RpcHandler() {
            @Override
            public void onCall(RpcCall call) {
                FakeHandler.echo(call);
            }

            @Override
            public void onConnect(PeerId peer) {
                assertEquals(0, peer.rank());
            }

            @Override
            public void onDisconnect(PeerId peer) {
                throw bug;
            }
        });
        var session = endpoint.connect(endpoint.address());
        while (!session.isDone()) {
            endpoint.doWork();
        }

        assertSame(bug, assertThrows(IllegalStateException.class, endpoint::onClose));
        assertEquals(0, endpoint.peers());
    }

    @Test
    void shouldNotBeDrivenFromWithinItsOwnCallback() {
        try (Rig rig = new Rig()) {
            RpcEndpoint[] self = new RpcEndpoint[1];
            self[0] = rig.open(0, new FakeHandler(call -> self[0].doWork()));
            ProxyClient client = rig.connect(self[0], self[0]);

            ProxyException failure = rig.failure(client.call(MessageType.INIT, 0, FakeHandler.nothing()));

            assertSame(ProxyResult.INVALID_USAGE, failure.result());
            assertTrue(failure.getMessage().contains("from within one of its own callbacks"), failure.getMessage());
        }
    }

    @Test
    void shouldGiveBackEveryDescriptor() throws IOException {
        exercise();
        long before = Descriptors.open();

        for (int i = 0; i < 200; i++) {
            exercise();
        }

        assertEquals(before, Descriptors.open());
    }

    @Test
    void shouldStartNoThread() {
        exercise();

        List<String> names = Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.contains("netty") || name.contains("globalEvent") || name.contains("pool"))
                .toList();

        assertEquals(List.of(), names);
    }

    /** Open, a session with itself, one with an unauthenticated peer, a call, close. */
    private static void exercise() {
        try (Rig rig = new Rig()) {
            RpcEndpoint endpoint = rig.open(0, new FakeHandler());
            ProxyClient client = rig.connect(endpoint, endpoint);
            rig.raw(endpoint).send("x");
            rig.rawAccepted(endpoint, 1);
            rig.await(client.call(MessageType.SETUP, 0, Rig.bytes("x")));
        }
    }
}
