/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.device.DeviceConformance;
import org.junit.jupiter.api.BeforeAll;

/** What a GPU must do, by the binding of its driver, where a stand-in is that driver. */
abstract class StandInConformance extends DeviceConformance {
    @BeforeAll
    static void needCompiler() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu.whyNot());
    }

    /** That is the copy engine's trouble, and here there is none. */
    @Override
    protected boolean isHugeTested() {
        return false;
    }
}
