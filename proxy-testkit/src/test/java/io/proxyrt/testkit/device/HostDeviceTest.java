/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.testkit.Extent;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

class HostDeviceTest {
    @Nested
    class AsItComes extends DeviceConformance {
        @Override
        protected DeviceFactory factory() {
            return new HostDeviceFactory();
        }
    }

    /** Nothing that takes a descriptor. */
    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithoutPlatform extends DeviceConformance {
        @Override
        protected DeviceFactory factory() {
            return new PlainFactory();
        }

        @Override
        protected boolean isHugeTested() {
            return false;
        }
    }

    /** The suite holds for memory as a GPU has it. */
    @Nested
    class WhoseMemoryIsFar extends DeviceConformance {
        @Override
        protected DeviceFactory factory() {
            return new FarFactory();
        }

        @Override
        protected boolean isHugeTested() {
            return false;
        }
    }

    /** Of devices that the CPU does not reach. */
    public static final class FarFactory implements DeviceFactory {
        /** For the suite, and the other process. */
        public FarFactory() {
        }

        @Override
        public Device open(int number) {
            return new FarDevice(number);
        }
    }

    /** Never in another process, for there is nothing that it could share. */
    private static final class PlainFactory implements DeviceFactory {
        @Override
        public Device open(int number) {
            return new HostDevice(number, (Platform) Proxy.newProxyInstance(Platform.class.getClassLoader(),
                    new Class<?>[] {Platform.class}, (proxy, method, arguments) -> "this test has no platform"));
        }
    }
}
