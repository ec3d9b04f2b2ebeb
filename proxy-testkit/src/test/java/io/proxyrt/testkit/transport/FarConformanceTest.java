/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import io.proxyrt.core.device.Device;
import io.proxyrt.testkit.device.FarDevice;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/** The transports serve kernels of a device whose own memory the CPU cannot touch. */
class FarConformanceTest {
    /** On such a device. */
    private abstract static class FarConformance extends TransportConformance {
        @Override
        protected final Device device(int rank) {
            return new FarDevice(rank);
        }

        @Override
        protected final long largest() {
            return 5_000_001;
        }
    }

    /** By memory that the device registers. */
    private abstract static class ShmConformance extends FarConformance {
        @Override
        protected final String transport() {
            return "SHM";
        }

        @Override
        protected final int transportId() {
            return 1;
        }
    }

    @Nested
    class BySegmentsWithoutNames extends ShmConformance {
        @Override
        protected Map<String, String> options() {
            return Map.of();
        }
    }

    @Nested
    class BySegmentsThatAreFiles extends ShmConformance {
        @Override
        protected Map<String, String> options() {
            return Map.of("shm.segment", "file", "shm.locality", "1");
        }
    }

    /** Nothing is copied by the CPU, however small it is. */
    @Nested
    class ByCopyEngines extends ShmConformance {
        @Override
        protected Map<String, String> options() {
            return Map.of("shm.use.memcpy", "1", "shm.memcpy.mode", "3");
        }
    }

    @Nested
    class BySockets extends FarConformance {
        @Override
        protected String transport() {
            return "NET";
        }

        @Override
        protected int transportId() {
            return 2;
        }

        @Override
        protected Map<String, String> options() {
            return Map.of("net.socket.ifname", "lo");
        }
    }
}
