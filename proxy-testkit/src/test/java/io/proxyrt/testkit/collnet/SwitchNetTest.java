/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.collnet;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.aggregation.AggregationSwitch;
import io.proxyrt.transport.collnet.aggregation.SwitchConfig;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/** The network of switches in software, over loopback. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwitchNetTest {
    @Nested
    class WithAnEmbeddedSwitch extends CollNetPluginConformance {
        @Override
        protected CollNetPlugin open(int rank) {
            return network("Switch", Map.of(), rank);
        }
    }

    @Nested
    class WithASwitchThatRunsByItself extends CollNetPluginConformance {
        private final AggregationSwitch running = AggregationSwitch.start(SwitchConfig.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ProxyConfig.builder().environment(Map.of()).build()));

        @Override
        protected CollNetPlugin open(int rank) {
            return network("switch", Map.of("collnet.switch", "127.0.0.1:" + running.address().getPort()), rank);
        }

        @AfterEach
        @Override
        void disconnect() {
            super.disconnect();
            running.close();
        }
    }
}
