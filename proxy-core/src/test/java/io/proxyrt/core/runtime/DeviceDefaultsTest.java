/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.host.Devices;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeviceDefaultsTest {
    private static ProxyConfig config(Map<String, String> options) {
        ProxyConfig.Builder builder = ProxyConfig.builder().properties(Map.of()).environment(Map.of());
        options.forEach(builder::set);
        return builder.build();
    }

    @Test
    void shouldLeaveTheHostAlone() {
        ProxyConfig config = config(Map.of());
        assertSame(config, DeviceDefaults.fit(config, Devices.HOST, 64));
    }

    @Test
    void shouldHaveThreadsBesideAGpuYieldWhereThereAreCpus() {
        ProxyConfig config = config(Map.of());
        assertEquals(100_000, DeviceDefaults.fit(config, "cuda", 16).get(CoreOptions.IDLE_YIELDS));
        assertEquals(1000, DeviceDefaults.fit(config, "cuda", 15).get(CoreOptions.IDLE_YIELDS));
        assertEquals(2 << 20, DeviceDefaults.fit(config, "hip", 2).get(CoreOptions.BUFFER_BYTES));
    }

    @Test
    void shouldTakeWhatWasSetExplicitly() {
        ProxyConfig fitted = DeviceDefaults.fit(config(Map.of("idle.yields", "7", "buffer.bytes", "1M")), "cuda", 64);
        assertEquals(7, fitted.get(CoreOptions.IDLE_YIELDS));
        assertEquals(1 << 20, fitted.get(CoreOptions.BUFFER_BYTES));
    }
}
