/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.TunerLibrary;
import io.proxyrt.transport.collnet.CollNetProviders;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExternalCollNetProviderTest {
    private final FakeCollNetLibrary library = new FakeCollNetLibrary();
    private final NetLibraries libraries = new NetLibraries() {
        @Override
        public String whyNot() {
            return "";
        }

        @Override
        public NetLibrary open(String file) {
            throw new AssertionError("this test has no messages");
        }

        @Override
        public TunerLibrary openTuner(String file) {
            throw new AssertionError("this test has no tuner");
        }

        @Override
        public CollNetLibrary openCollNet(String file) {
            if (file.equals("librccl-net-tree.so")) {
                return library;
            }
            throw new ProxyException(file.equals("messages") ? ProxyResult.INVALID_USAGE : ProxyResult.SYSTEM_ERROR,
                    "cannot load " + file);
        }
    };

    private ExternalCollNetProvider provider(String entry) {
        return new ExternalCollNetProvider(libraries, CoreOptions.NET_PLUGIN, entry);
    }

    private static ProxyConfig.Builder config() {
        return ProxyConfig.builder().environment(Map.of());
    }

    @Test
    void shouldTakeTheFirstFileThatThereIs() {
        ExternalCollNetProvider provider = provider("tree");
        assertEquals("tree", provider.name());
        library.onInit = () -> library.name = "Tree";
        try (CollNetPlugin net = provider.create(config().build(), 0)) {
            assertEquals("Tree", net.name());
            assertEquals("Tree", provider.name());
            assertTrue(provider.isMissed(true));
            assertFalse(provider.isMissed(false), "it has collectives, and may have no device here");
        }
    }

    @Test
    void shouldSayEverythingThatItTried() {
        ExternalCollNetProvider provider = provider("messages");
        ProxyException failure = assertThrows(ProxyException.class, () -> provider.create(config().build(), 0));
        assertEquals("cannot load messages; cannot load libnccl-net-messages.so; cannot load librccl-net-messages.so; "
                + "see proxyrt.net.plugin", failure.getMessage());
        assertFalse(provider.isMissed(true), "it has messages, and no collectives");
    }

    @Test
    void shouldComeBeforeWhatIsInstalledInTheOrderOfTheList() {
        List<CollNetPluginProvider> providers = CollNetProviders.of(
                config().set(CoreOptions.NET_PLUGIN, "/no/first,/no/second").build());
        assertEquals(List.of("/no/first", "/no/second"),
                providers.stream().map(CollNetPluginProvider::name).limit(2).toList());
        assertTrue(providers.stream().skip(2).allMatch(provider -> provider.priority() < Integer.MAX_VALUE));
        assertTrue(CollNetProviders.of(config().set(CoreOptions.NET_PLUGIN, "none").build()).stream()
                .noneMatch(ExternalCollNetProvider.class::isInstance));
    }

    @Test
    void shouldNotWaitForEverAndFinishWhatComesTooLate() throws InterruptedException {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch finished = new CountDownLatch(1);
        library.onInit = () -> await(mayGoOn);
        library.onFinish = finished::countDown;
        ProxyConfig hurried = config().set(CoreOptions.CONNECT_TIMEOUT, Duration.ofMillis(50)).build();
        ProxyException failure = assertThrows(ProxyException.class,
                () -> provider("tree").create(hurried, 0));
        assertEquals(ProxyResult.TIMEOUT, failure.result());
        assertTrue(failure.getMessage().contains("libfake.so was not initialized in 50 ms"), failure.getMessage());
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
