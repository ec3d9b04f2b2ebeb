/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.StreamSocket;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketEngineTest {
    private static final String REASON = "this is a test";

    @Test
    void shouldUseThePlatformWhereItCanBeUsed() {
        assertTrue(engine("auto", Platform.find()).toString().contains("linux"));
        assertTrue(engine("native", Platform.find()).toString().contains("linux"));
    }

    @Test
    void shouldLeaveItAloneIfAskedTo() {
        assertEquals("the JDK's channels; see proxyrt.net.socket.engine", engine("nio", Platform.find()).toString());
    }

    @Test
    void shouldDoWithoutAndSayWhy() {
        assertEquals("the JDK's channels: " + REASON + "; see proxyrt.net.socket.engine",
                engine("auto", unusable()).toString());
    }

    @Test
    void shouldRefuseToDoWithoutIfAskedNotTo() {
        ProxyException refusal = assertThrows(ProxyException.class, () -> engine("native", unusable()));
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
        assertTrue(refusal.getMessage().contains(REASON), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"auto, 'reno, reno, close, close'", "system, close"})
    void shouldNotPaceWithinAHost(String congestion, String calls) throws IOException {
        StringJoiner made = new StringJoiner(", ");
        StreamSocket socket = proxy(StreamSocket.class, (proxy, method, arguments) -> {
            made.add(arguments == null ? method.getName() : (String) arguments[0]);
            return method.getName().equals("congestionControl") ? true : null;
        });
        Platform platform = proxy(Platform.class, (proxy, method, arguments) ->
                method.getName().equals("streamSocket") ? Optional.of(socket) : "");
        SocketEngine engine = SocketEngine.of(ProxyConfig.builder().environment(Map.of())
                .set("proxyrt.net.socket.congestion", congestion).build(), platform);
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel channel = SocketChannel.open(server.getLocalAddress())) {
            SocketWire wire = engine.wire(channel);
            assertSame(channel, engine.unpaced(channel));
            wire.close();
            assertEquals(calls, made.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.1, true", "192.0.2.1, 192.0.2.1, true", "::1, ::1, true",
        "192.0.2.1, 192.0.2.2, false", "2001:db8::1, 2001:db8::2, false"})
    void shouldTellAPeerOfThisHostByItsAddress(String local, String remote, boolean isWithinHost) {
        assertEquals(isWithinHost,
                SocketEngine.isWithinHost(new InetSocketAddress(local, 1), new InetSocketAddress(remote, 2)));
    }

    private static SocketEngine engine(String wanted, Platform platform) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set("proxyrt.net.socket.engine", wanted)
                .build();
        return SocketEngine.of(config, platform);
    }

    private static Platform unusable() {
        return proxy(Platform.class, (proxy, method, arguments) -> method.getName().equals("whyNot") ? REASON : "none");
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
