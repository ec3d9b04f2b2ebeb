/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.spi.Platform;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.Test;

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

    private static SocketEngine engine(String wanted, Platform platform) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set("proxyrt.net.socket.engine", wanted)
                .build();
        return SocketEngine.of(config, platform);
    }

    private static Platform unusable() {
        return (Platform) Proxy.newProxyInstance(Platform.class.getClassLoader(), new Class<?>[] {Platform.class},
                (proxy, method, arguments) -> method.getName().equals("whyNot") ? REASON : "none");
    }
}
