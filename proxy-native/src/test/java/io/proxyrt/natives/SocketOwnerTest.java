/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.SocketOwner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketOwnerTest {
    private final Platform platform = Platform.find();

    @ParameterizedTest
    @CsvSource({"127.0.0.1,INET", "127.0.0.1,INET6", "::1,INET6"})
    void shouldKnowBothEndsOfAConnection(String host, StandardProtocolFamily family) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open();
                SocketChannel caller = SocketChannel.open(family)) {
            server.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
            caller.connect(server.getLocalAddress());
            try (SocketChannel accepted = server.accept()) {
                Optional<SocketOwner> owner = platform.socketOwner((InetSocketAddress) accepted.getRemoteAddress(),
                        (InetSocketAddress) accepted.getLocalAddress());
                assumeTrue(owner.isPresent(), "this kernel does not answer questions about sockets");
                assertEquals(Optional.of(new SocketOwner(platform.userId(), true)), owner);
                assertEquals(owner, platform.socketOwner((InetSocketAddress) accepted.getLocalAddress(),
                        (InetSocketAddress) accepted.getRemoteAddress()));
                assertNotOpenWhenClosed(caller, accepted);
            }
        }
    }

    private void assertNotOpenWhenClosed(SocketChannel caller, SocketChannel accepted) throws IOException {
        caller.close();
        assertNotEquals(Optional.of(true), platform.socketOwner((InetSocketAddress) accepted.getRemoteAddress(),
                (InetSocketAddress) accepted.getLocalAddress()).map(SocketOwner::isOpen));
    }

    @Test
    void shouldNotKnowWhatThereIsNot() {
        assertEquals(Optional.empty(), platform.socketOwner(new InetSocketAddress("192.0.2.1", 1),
                new InetSocketAddress("192.0.2.2", 2)));
    }
}
