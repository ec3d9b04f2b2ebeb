/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PeerInfoTest {
    static Stream<SocketAddress> shouldTravelAsItIs() throws UnknownHostException {
        return Stream.of(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 1),
                new InetSocketAddress(InetAddress.getByName("fe80::1"), 65535),
                UnixDomainSocketAddress.of("/tmp/größe/socket"));
    }

    @ParameterizedTest
    @MethodSource
    void shouldTravelAsItIs(SocketAddress service) {
        for (String uds : new String[] {"", "@proxyrt-socket-0-12ab", "/run/user/0/socket"}) {
            PeerInfo info = new PeerInfo(3, new PeerProcess(-4, 5, -6, -7, -8, 9, 10, -11), service, uds);
            assertEquals(info, PeerInfo.decode(info.encode()));
        }
    }

    @Test
    void shouldRefuseWhatIsBroken() throws UnknownHostException {
        byte[] good = new PeerInfo(3, new PeerProcess(4, 5, 6, 7, 8, 9),
                new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 1), "@x").encode();
        for (int length = 0; length < good.length; length++) {
            byte[] part = Arrays.copyOf(good, length);
            assertEquals(ProxyResult.REMOTE_ERROR,
                    assertThrows(ProxyException.class, () -> PeerInfo.decode(part)).result());
        }
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = good.clone();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            bytes[28 + random.nextInt(4)] = (byte) random.nextInt();
            try {
                PeerInfo.decode(bytes);
            } catch (ProxyException e) {
                assertEquals(ProxyResult.REMOTE_ERROR, e.result());
            }
        }
    }
}
