/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.testkit.Holdings;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What every device must do: the contract of {@link Device}, {@link DeviceMemory}, {@link DeviceStream} and {@link
 * DeviceEvent} as tests. A subclass says how the device is opened; JUnit does the rest:
 *
 * <pre>{@code
 * class CudaDeviceTest extends DeviceConformance {
 *     protected DeviceFactory factory() {
 *         return new CudaDeviceFactory();
 *     }
 * }
 * }</pre>
 *
 * <p>A test of what the device has no capability for is skipped, and one test sees that all of that is refused. Tests
 * that have to know what is under way hold a stream up with a kernel, and so need {@link DeviceCapability#MODULES}.
 */
public abstract class DeviceConformance extends DeviceProcessConformance {
    private static final int ROUNDS = 50;
    private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(10);

    /** For subclasses. */
    protected DeviceConformance() {
    }

    /** Half of it is given back by its owner, half by closing the device. */
    @Test
    void shouldGiveEverythingBack() {
        use(0);
        Holdings before = Holdings.now();
        for (int i = 0; i < ROUNDS; i++) {
            use(i);
        }
        long deadline = System.nanoTime() + SETTLE_NS;
        while (!before.equals(Holdings.now()) && System.nanoTime() < deadline) {
            Thread.yield();
        }
        assertEquals(before, Holdings.now());
    }

    private void use(int turn) {
        Device used = factory().open(0);
        DeviceMemory memory = used.allocate(4096);
        if (has(DeviceCapability.SHAREABLE_MEMORY)) {
            DeviceMemory shareable = used.allocateShareable(4096);
            DeviceMemory imported = used.importFd(used.exportFd(shareable), 4096);
            closeIf(turn % 2 == 0, shareable, imported);
        }
        if (has(DeviceCapability.IPC_HANDLES)) {
            closeIf(turn % 2 == 0, used.allocateIpc(4096));
        }
        if (has(DeviceCapability.ASYNC_COPY)) {
            DeviceStream stream = used.stream("proxy-used");
            assertEquals(1, stream.copy(memory, 0, memory, 2048, 64));
            closeIf(turn % 3 == 0, stream, used.event());
        }
        closeIf(turn % 2 == 0, memory);
        used.close();
    }

    private static void closeIf(boolean isWanted, AutoCloseable... all) {
        for (AutoCloseable each : all) {
            if (isWanted) {
                try {
                    each.close();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
