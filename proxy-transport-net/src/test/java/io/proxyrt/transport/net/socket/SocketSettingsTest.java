/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.SocketOptions;
import io.proxyrt.transport.net.spi.NetListenComm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SocketSettingsTest {
    @ParameterizedTest
    @CsvSource({
        "NCCL_SOCKET_IFNAME,           net.socket.ifname",
        "NCCL_SOCKET_FAMILY,           net.socket.family",
        "NCCL_SOCKET_RETRY_CNT,        net.socket.retry.count",
        "NCCL_SOCKET_RETRY_SLEEP_MSEC, net.socket.retry.sleep",
        "NCCL_SOCKET_RCVBUF,           net.socket.rcvbuf",
        "NCCL_SOCKET_SNDBUF,           net.socket.sndbuf",
        "RCCL_SOCKET_REUSEADDR,        net.socket.reuseaddr",
        "RCCL_SOCKET_LINGER,           net.socket.linger",
        "NCCL_SOCKET_NTHREADS,         net.socket.threads",
        "NCCL_NSOCKS_PERTHREAD,        net.socket.sockets.per.thread",
        "NCCL_SOCKET_INLINE,           net.socket.inline",
        "NCCL_SOCKET_MIN_TASKSIZE,     net.socket.chunk"})
    void shouldKnowTheNamesOfNccl(String alias, String key) {
        assertEquals("proxyrt." + key, new SocketOptions().options().stream()
                .filter(option -> option.alias().equals(alias)).findFirst().orElseThrow().key());
    }

    @Test
    void shouldReadTheEnvironmentOfNccl() {
        SocketSettings settings = SocketSettings.of(ProxyConfig.builder().environment(Map.of(
                "NCCL_SOCKET_NTHREADS", "3", "NCCL_NSOCKS_PERTHREAD", "2", "NCCL_SOCKET_INLINE", "128",
                "NCCL_SOCKET_MIN_TASKSIZE", "0x10000", "RCCL_SOCKET_REUSEADDR", "1", "RCCL_SOCKET_LINGER", "0"))
                .build(), 1);

        assertEquals(new SocketSettings.Sharing(3, 2, 128, 65_536), settings.sharing());
        assertEquals(new SocketSettings.Closing(true, 0), settings.closing());
    }

    @Test
    void shouldSetUpSocketsAsItSays() throws IOException {
        SocketSettings settings = Loopback.settings("net.socket.keepalive.idle", "7s",
                "net.socket.keepalive.interval", "1500ms", "net.socket.keepalive.count", "3",
                "net.socket.linger", "2");
        try (SocketChannel channel = SocketChannel.open()) {
            settings.applyTo(channel);

            assertTrue(channel.getOption(StandardSocketOptions.TCP_NODELAY));
            assertTrue(channel.getOption(StandardSocketOptions.SO_KEEPALIVE));
            assertEquals(7, channel.getOption(ExtendedSocketOptions.TCP_KEEPIDLE));
            assertEquals(2, channel.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL));
            assertEquals(3, channel.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT));
            assertEquals(2, channel.getOption(StandardSocketOptions.SO_LINGER));
        }
    }

    @ParameterizedTest
    @CsvSource({"20s, 30s, 5s, 6, 3, 3, 19", "2s, 30s, 5s, 6, 1, 1, 59", "10m, 30s, 5s, 6, 30, 5, 6",
            "60ms, 30s, 5s, 100, 1, 1, 127", "20s, 1s, 1s, 2, 1, 1, 2", "20s, 0, 5s, 6, 0, 3, 10"})
    void shouldAskOftenEnoughForTheBudgetOfABrokenConnection(String resume, String idle, String interval, String count,
            int idleSeconds, int intervalSeconds, int questions) {
        assertEquals(new SocketKeepAlive(idleSeconds, intervalSeconds, questions),
                Loopback.settings("net.socket.resume", resume, "net.socket.keepalive.idle", idle,
                        "net.socket.keepalive.interval", interval, "net.socket.keepalive.count", count).keepAlive());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldReuseAddressesAsItSays(int reuse) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            Loopback.settings("net.socket.reuseaddr", "" + reuse).applyTo(server);

            assertEquals(reuse == 1, server.getOption(StandardSocketOptions.SO_REUSEADDR));
        }
    }

    @Test
    void shouldNotProbeIdlePeersIfToldSo() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Loopback.settings("net.socket.keepalive.idle", "0").applyTo(channel);

            assertEquals(false, channel.getOption(StandardSocketOptions.SO_KEEPALIVE));
        }
    }

    @Test
    void shouldListenWithinThePortsAndSayWhenNoneIsFree() throws IOException {
        try (ServerSocketChannel taken = ServerSocketChannel.open()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = ((InetSocketAddress) taken.getLocalAddress()).getPort();
            int other = port == 65_535 ? port - 1 : port + 1;
            String range = Math.min(port, other) + "-" + Math.max(port, other);
            assumeTrue(isFree(other), "another process has the port next to ours");
            try (SocketNet net = Loopback.net("net.socket.ports", range); NetListenComm first = net.listen(0)) {
                assertEquals(other, SocketHandle.decode(first.handle()).address().getPort());

                ProxyException failure = assertThrows(ProxyException.class, () -> net.listen(0));
                assertEquals(ProxyResult.SYSTEM_ERROR, failure.result());
                assertTrue(failure.getMessage().contains(range), failure.getMessage());
                assertTrue(net.explain().contains("ports: " + range + ", see proxyrt.net.socket.ports"),
                        net.explain().toString());
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "7-5", "0-5", "5-70000", "a-b", "5-", "123456-123457"})
    void shouldRefusePortsThatAreNone(String range) {
        ProxyException failure = assertThrows(ProxyException.class,
                () -> Loopback.settings("net.socket.ports", range));
        assertTrue(failure.getMessage().contains("net.socket.ports is '" + range), failure.getMessage());
    }
}
