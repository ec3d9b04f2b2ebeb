/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.testkit.Extent;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The IB network over adapters of software, in all ways in which options and ports change what is posted. */
class IbNetTest {
    /** Between these hosts. */
    abstract static class Shape extends NetPluginConformance {
        private final IbHosts hosts;

        Shape(IbHosts hosts) {
            this.hosts = hosts;
        }

        @Override
        protected NetPlugin open(int rank) {
            return hosts.open(rank);
        }
    }

    @Nested
    class OverRoce extends Shape {
        OverRoce() {
            super(IbHosts.roce(Map.of()));
        }
    }

    /** Packets may pass each other, so large messages are told of by a write of their own. */
    @Tag(Extent.ONLY_FULL)
    @Nested
    class OverInfiniBand extends Shape {
        OverInfiniBand() {
            super(IbHosts.infiniBand(Map.of()));
        }
    }

    /** Messages take turns. */
    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithThreeQueuePairs extends Shape {
        WithThreeQueuePairs() {
            super(IbHosts.roce(Map.of("net.ib.qps.per.connection", "3")));
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithMessagesSplitOverFourQueuePairs extends Shape {
        WithMessagesSplitOverFourQueuePairs() {
            super(IbHosts.infiniBand(Map.of("net.ib.qps.per.connection", "4", "net.ib.split.data.on.qps", "1")));
        }
    }

    /** Two ports at one end, three at the other. */
    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithMergedPorts extends Shape {
        WithMergedPorts() {
            super(IbHosts.roce(Map.of("net.ib.qps.per.connection", "2")).merge(0, 2).merge(1, 3));
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithFailover extends Shape {
        WithFailover() {
            super(IbHosts.roce(Map.of("net.ib.failover", "1", "net.ib.qps.per.connection", "2")));
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithoutInline extends Shape {
        WithoutInline() {
            super(IbHosts.roce(Map.of("net.ib.use.inline", "0")));
        }
    }

    /** Each message is several writes, and flushes are posted though they are not needed. */
    @Nested
    class WithSmallWritesAndFlushes extends Shape {
        WithSmallWritesAndFlushes() {
            super(IbHosts.roce(Map.of("net.force.flush", "1")).maxMessageBytes(3 << 20));
        }
    }
}
