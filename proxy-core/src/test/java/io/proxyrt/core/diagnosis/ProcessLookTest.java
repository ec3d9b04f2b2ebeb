/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.diagnosis.ProcessLook.Task;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessLookTest {
    private static final long SECOND_NS = 1_000_000_000;

    private static ProcessLook look(double cpuSeconds, long callerNs, long compilerNs) {
        return new ProcessLook('S', cpuSeconds, List.of(new Task(1, "main", 0, callerNs),
                new Task(2, "C2 CompilerThre", 0, compilerNs)));
    }

    @Test
    void shouldTellHowLongAThreadOfAStarvedProcessWaited() {
        assertEquals(0.8, look(10.05, 900_000_000, SECOND_NS).noCpuSince(look(10, 100_000_000, 0), SECOND_NS), 1e-9);
    }

    @Test
    void shouldNotTakeOneForStarvedThatGoesOnBesideOthers() {
        assertEquals(0, look(10.3, 900_000_000, 0).noCpuSince(look(10, 100_000_000, 0), SECOND_NS));
    }

    @Test
    void shouldSayNothingIfTheClockStoodStillOrWentBack() {
        assertEquals(0, look(10, SECOND_NS, 0).noCpuSince(look(10, 0, 0), 0));
        assertEquals(0, look(10, SECOND_NS, 0).noCpuSince(look(10, 0, 0), -SECOND_NS));
    }
}
