/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.testkit.device.DeviceConformance;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a GPU must do, by the binding of its driver, where a stand-in is that driver. */
abstract class StandInConformance extends DeviceConformance {
    @BeforeAll
    static void needCompiler() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu.whyNot());
    }

    /** What this driver has not: there the suite sees to it that calls are refused, and skips what they would do. */
    abstract Set<DeviceCapability> lacking();

    /**
     * A device leaves out what does not work, and the suite what it left out: that has to be what it should be. GDRCopy
     * takes an option.
     */
    @Test
    void shouldFindAllThatTheDriverHas() {
        try (Device device = factory().open(0)) {
            EnumSet<DeviceCapability> expected = EnumSet.complementOf(EnumSet.of(DeviceCapability.GDRCOPY_FLUSH));
            expected.removeAll(lacking());
            assertEquals(expected, device.capabilities());
        }
    }

    /** By its driver's compiler, on another thread. */
    @Test
    void shouldLoadWhatIsCompiledAhead() {
        String source = "extern \"C\" __global__ void ahead() {\n}\n";
        try (Device device = factory().open(0)) {
            device.compileAhead("ahead.cu", source);
            device.compileAhead("other.cu", source.replace("ahead", "other"));
            assertEquals("ahead", device.compile("ahead.cu", source).kernel("ahead").name());
            assertEquals("other", device.compile("other.cu", source.replace("ahead", "other")).kernel("other").name());
        }
    }

    /**
     * It takes 20 s, for a copy engine that is not there. That bindings hand on all of the bytes is shown without any
     * memory: GpuDeviceTest copies as much.
     */
    @Override
    protected boolean isHugeTested() {
        return false;
    }
}
