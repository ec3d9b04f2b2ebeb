/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.auth.PeerText;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process listens elsewhere and forwards what a caller and a service of the job say to each other. */
class ForwarderTest {
    private final Rig rig = new Rig();
    private final FakeHandler handler = new FakeHandler();

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        rig.close();
    }

    private static ServerSocketChannel listener() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** What the caller that dialled the listener gets, and passes the service's words on until then. */
    private ProxyException forwarded(ServerSocketChannel listener, RpcEndpoint service) throws IOException {
        RpcEndpoint caller = rig.open(0, new FakeHandler());
        CompletableFuture<ProxyClient> session = caller.connect(listener.getLocalAddress());
        caller.doWork();
        RawPeer near = rig.add(new RawPeer(listener.accept()));
        RawPeer far = rig.raw(service);
        rig.await(() -> {
            pass(near, far);
            pass(far, near);
            return session.isDone();
        });
        return rig.failure(session);
    }

    private static void pass(RawPeer from, RawPeer to) {
        to.send(from.received());
        from.forget();
    }

    private void assertRefused(ProxyException failure, RpcEndpoint service) {
        String dialled = "dialled another address than " + PeerText.address(service.address()) + ", where it arrived";
        assertSame(ProxyResult.INVALID_USAGE, failure.result());
        assertTrue(failure.getMessage().contains(dialled), failure.getMessage());
        assertTrue(service.refusals().last().contains(dialled), service.refusals().last());
        assertEquals(0, service.peers());
        assertEquals(List.of(), handler.come);
    }

    @Test
    void shouldRefuseACallerThatDialledAnotherAddress() throws IOException {
        RpcEndpoint service = rig.open(1, handler);
        try (ServerSocketChannel elsewhere = listener()) {
            assertRefused(forwarded(elsewhere, service), service);
        }
    }

    @Test
    void shouldRefuseACallerThatDialledAnotherUnixSocket() throws IOException {
        RpcEndpoint service = rig.open(1, handler, "rpc.listen", "unix", "rpc.directory", directory.toString());
        try (ServerSocketChannel elsewhere = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(directory.resolve("elsewhere")))) {
            assertRefused(forwarded(elsewhere, service), service);
        }
    }

    /** A service that does not look at the address, as one of another make may not. */
    @Test
    void shouldRefuseAServiceThatWasReachedElsewhere() throws IOException {
        RpcEndpoint caller = rig.open(0, new FakeHandler());
        try (ServerSocketChannel dialled = listener(); ServerSocketChannel reached = listener()) {
            CompletableFuture<ProxyClient> session = caller.connect(dialled.getLocalAddress());
            caller.doWork();
            RawPeer near = rig.add(new RawPeer(dialled.accept()));
            RawPeer elsewhere = rig.raw(reached.getLocalAddress());
            rig.await(() -> near.received().length == RpcFrameDescriptor.HELLO_BYTES);
            byte[] hello = near.received();
            near.send(RawPeer.challenge(8));

            near.send(elsewhere.ack(hello, RawPeer.challenge(8), 8, Rig.SECRET));

            ProxyException failure = rig.failure(session);
            assertSame(ProxyResult.REMOTE_ERROR, failure.result());
            assertTrue(failure.getMessage().contains("or one in between forwards to it"), failure.getMessage());
        }
    }

    @Test
    void shouldServeAtEachAddressOfAWildcard() {
        RpcEndpoint service = rig.open(1, handler, "rpc.address", "0.0.0.0");
        RpcEndpoint caller = rig.open(0, new FakeHandler());

        for (String host : List.of("127.0.0.1", "127.0.0.2", "0.0.0.0")) {
            SocketAddress address = new InetSocketAddress(host, Rig.port(service));
            ProxyClient client = rig.await(caller.connect(address));
            rig.await(client.call(MessageType.SETUP, 0, Rig.bytes("x")));
        }
    }

    @Test
    void shouldNameAnAddressAsBothEndsDo() throws IOException {
        byte[] linkLocal = InetAddress.getByName("fe80::1").getAddress();

        assertEquals("127.0.0.1:7", Addresses.dialled(new InetSocketAddress("127.0.0.1", 7)));
        assertEquals("[fe80:0:0:0:0:0:0:1]:7",
                Addresses.dialled(new InetSocketAddress(Inet6Address.getByAddress(null, linkLocal, 2), 7)));
        assertEquals("/tmp/50%/socket", Addresses.dialled(UnixDomainSocketAddress.of("/tmp/50%/socket")));
    }
}
