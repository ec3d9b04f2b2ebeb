/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.testkit.device.DeviceFactory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** Something of all that a device can do, in one go; whatever is refused or fails ends it. */
final class GpuUse {
    static final int BYTES = 2 << 20;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final DeviceFactory factory;

    GpuUse(DeviceFactory factory) {
        this.factory = factory;
    }

    /** Throws what failed, and has closed the devices then, too. @param opened is run once they are open */
    void run(Runnable opened) {
        try (Arena arena = Arena.ofShared(); Device peer = factory.open(1); Device device = factory.open(0)) {
            opened.run();
            device.enablePeerAccess(peer);
            DeviceMemory memory = device.allocate(BYTES);
            share(device);
            if (device.capabilities().contains(DeviceCapability.DMA_BUF)) {
                device.exportDmaBuf(memory, 0, BYTES).fd().close();
            }
            DeviceMemory registered = device.register(arena.allocate(BYTES, BYTES));
            move(device, memory, registered, peer.allocate(BYTES));
            launch(device, memory, arena);
            registered.close();
        }
    }

    private static void share(Device device) {
        if (device.capabilities().contains(DeviceCapability.SHAREABLE_MEMORY)) {
            DeviceMemory shareable = device.allocateShareable(BYTES);
            OwnedFd fd = device.exportFd(shareable);
            device.importFd(fd, BYTES).close();
        }
        device.ipcHandle(device.allocateIpc(BYTES));
    }

    private static void move(Device device, DeviceMemory memory, DeviceMemory registered, DeviceMemory far) {
        DeviceMemory word = device.allocateHost(Long.BYTES);
        try (DeviceStream stream = device.stream("proxy-use"); DeviceStream other = device.stream("proxy-use-too");
                DeviceEvent event = device.event()) {
            check(stream, stream.copy(memory, 0, registered, 0, BYTES));
            check(stream, stream.copy(far, 0, memory, 0, BYTES));
            check(stream, stream.record(event));
            check(other, other.await(event));
            check(other, other.write(word, 0, 7));
            other.synchronize(TIMEOUT);
        }
    }

    private void launch(Device device, DeviceMemory memory, Arena arena) {
        try (DeviceModule module = factory.load(device, arena); DeviceStream stream = device.stream("proxy-use")) {
            MemorySegment arguments = arena.allocate(JAVA_LONG, 3);
            arguments.setAtIndex(JAVA_LONG, 0, memory.address());
            arguments.setAtIndex(JAVA_LONG, 1, BYTES / Long.BYTES);
            check(stream, stream.launch(module.kernel("fill"), LaunchShape.of(2, 32), arguments));
            stream.synchronize(TIMEOUT);
        }
    }

    private static void check(DeviceStream stream, int result) {
        if (result != 1) {
            throw new IllegalStateException(result + ": " + stream.failure());
        }
    }
}
