/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Plug-ins are found by what may be their names, and initialized in time or not at all. */
class ExternalNetProviderTest {
    private final FakePlugIns plugIn = FakePlugIns.of("/x");

    private static ProxyConfig.Builder config() {
        return ProxyConfig.builder().environment(Map.of());
    }

    @Test
    void shouldTakeTheFirstFileThatThereIs() {
        FakePlugIns plugIns = FakePlugIns.of("librccl-net-ofi.so");
        NetPluginProvider provider = plugIns.provider("ofi");

        assertEquals("ofi", provider.name());
        assertEquals(List.of(), plugIns.asked(), "a name loads nothing");
        try (NetPlugin net = provider.create(config().build(), 0)) {
            assertEquals("Fake", net.name());
            assertEquals("Fake", provider.name());
        }
        assertEquals(List.of("ofi", "libnccl-net-ofi.so", "librccl-net-ofi.so"), plugIns.asked(), "and loads it once");
    }

    @Test
    void shouldSayEverythingThatItTried() {
        FakePlugIns plugIns = FakePlugIns.of("");
        ExternalNetProvider provider = (ExternalNetProvider) plugIns.provider("ofi");
        assertEquals("ofi", provider.name());
        ProxyException failure = assertThrows(ProxyException.class, () -> provider.create(config().build(), 0));

        assertEquals("cannot load ofi; cannot load libnccl-net-ofi.so; cannot load librccl-net-ofi.so; see "
                + "proxyrt.net.plugin", failure.getMessage());
        assertEquals(3, plugIns.asked().size());
        assertTrue(provider.isMissed(true), "it is asked for");
        assertFalse(((ExternalNetProvider) plugIns.provider("")).isMissed(true));
    }

    @Test
    void shouldComeBeforeWhatIsInstalledInTheOrderOfTheList() {
        List<NetPluginProvider> providers = ExternalNetProvider.of(
                config().set("net.plugin", "/no/first,/no/second").build(), CoreOptions.NET_PLUGIN);

        assertEquals(List.of("/no/first", "/no/second"), providers.stream().map(NetPluginProvider::name).toList());
        assertTrue(providers.stream().allMatch(provider -> provider.priority() == Integer.MAX_VALUE));
        assertEquals(List.of(),
                ExternalNetProvider.of(config().set("net.plugin", "none").build(), CoreOptions.NET_PLUGIN));
        assertEquals(1, ExternalNetProvider.of(config().build(), CoreOptions.NET_PLUGIN).size());
    }

    @Test
    void shouldSayThatThePlugInFailed() {
        ProxyException failure = assertThrows(ProxyException.class,
                () -> plugIn.failing().provider("/x").create(config().build(), 0));

        assertEquals(ProxyResult.SYSTEM_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("init of Fake returned 2"), failure.getMessage());
    }

    @Test
    void shouldNotWaitForEverAndFinishWhatComesTooLate() throws InterruptedException {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        plugIn.library.onInit = () -> await(mayGoOn);
        assertLate("libfake.so was not initialized in 50 ms", mayGoOn);
    }

    @Test
    void shouldNotWaitForEverForALibraryThatIsBeingLoaded() throws InterruptedException {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        plugIn.onOpen = () -> await(mayGoOn);
        assertLate("/x was not loaded in 50 ms", mayGoOn);
    }

    private void assertLate(String message, CountDownLatch mayGoOn) throws InterruptedException {
        CountDownLatch finished = new CountDownLatch(1);
        plugIn.library.onFinish = finished::countDown;
        ProxyConfig hurried = config().set(CoreOptions.CONNECT_TIMEOUT, Duration.ofMillis(50)).build();
        ProxyException failure = assertThrows(ProxyException.class, () -> plugIn.provider("/x").create(hurried, 0));

        assertEquals(ProxyResult.TIMEOUT, failure.result());
        assertTrue(failure.getMessage().contains(message), failure.getMessage());
        mayGoOn.countDown();
        assertTrue(finished.await(60, TimeUnit.SECONDS));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
