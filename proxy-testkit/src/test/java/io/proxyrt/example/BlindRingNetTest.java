/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.testkit.net.NetPluginConformance;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetProperties;
import java.nio.ByteBuffer;

/** A network that leaves to the interface what it may: it cannot tell when data come. */
class BlindRingNetTest extends NetPluginConformance {
    private record BlindRingNet(RingNet rings) implements NetPlugin {
        @Override
        public String name() {
            return rings.name();
        }

        @Override
        public int devices() {
            return rings.devices();
        }

        @Override
        public NetProperties properties(int dev) {
            return rings.properties(dev);
        }

        @Override
        public String describe() {
            return rings.describe();
        }

        @Override
        public NetListenComm listen(int dev) {
            return rings.listen(dev);
        }

        @Override
        public NetConnectComm connect(int dev, ByteBuffer handle) {
            return rings.connect(dev, handle);
        }

        @Override
        public void close() {
            rings.close();
        }
    }

    @Override
    protected NetPlugin open(int rank) {
        return new BlindRingNet(new RingNet(rank));
    }

    @Override
    protected boolean isHugeTested() {
        return false;
    }
}
