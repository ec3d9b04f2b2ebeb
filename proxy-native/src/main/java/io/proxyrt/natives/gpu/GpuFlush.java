/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.device.DeviceCapability;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;

/** How a GPU flushes what networks wrote to its memory: by GDRCopy, or by its driver. */
final class GpuFlush {
    private static final Logger LOGGER = Subsystem.NET.logger();

    private final GpuDevice device;
    /** Null if the driver flushes. */
    private final GdrWord word;

    private GpuFlush(GpuDevice device, GdrWord word) {
        this.device = device;
        this.word = word;
    }

    /**
     * GDRCopy if it can be had, else a line in the log.
     *
     * @param gdrCopy null if it is not asked for
     */
    static GpuFlush of(GpuDevice device, GpuAllocator allocator, GdrCopy gdrCopy) {
        return new GpuFlush(device, gdrCopy == null ? null : word(device, allocator, gdrCopy));
    }

    private static GdrWord word(GpuDevice device, GpuAllocator allocator, GdrCopy gdrCopy) {
        String whyNot = gdrCopy.whyNot();
        try {
            if (whyNot.isEmpty()) {
                return GdrWord.map(gdrCopy.api(), allocator.allocate(GdrWord.MEMORY_BYTES));
            }
        } catch (ProxyException e) {
            whyNot = e.getMessage();
        }
        LOGGER.warn("{} does not flush by GDRCopy, and leaves that to the network: {}", device.name(), whyNot);
        return null;
    }

    /** What the device can, beside what its driver can. */
    Set<DeviceCapability> capabilities(Set<DeviceCapability> found) {
        if (word == null) {
            return found;
        }
        EnumSet<DeviceCapability> all = EnumSet.of(DeviceCapability.WRITE_FLUSH, DeviceCapability.GDRCOPY_FLUSH);
        all.addAll(found);
        return Collections.unmodifiableSet(all);
    }

    /** Returns 1, or a negated result. */
    int flush() {
        return word == null ? flushByDriver() : word.flush();
    }

    private int flushByDriver() {
        int entered = device.tryEnter();
        if (entered < 0) {
            return entered;
        }
        int code = device.api().flushRemoteWrites();
        return code == GpuApi.SUCCESS ? 1 : -device.api().result(code).code();
    }

    /** Before the device's memory goes. Returns null, or why something is left. */
    RuntimeException close() {
        try {
            if (word != null) {
                word.close();
            }
            return null;
        } catch (ProxyException | IllegalStateException e) {
            return e;
        }
    }
}
