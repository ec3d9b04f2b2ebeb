/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShmPlanBenchTest {
    /** A rig takes for the runtime's options what has a dot; the caller's thread is to do all the work on its CPU. */
    @Test
    void shouldHaveCommunicatorsDrivenByTheirCaller() {
        List<Job> jobs = new ShmBench(Scale.full(1), program -> "peer").groups().stream()
                .flatMap(group -> group.jobs().stream())
                .filter(job -> job.words().getFirst().startsWith("comm")).toList();
        assertEquals(5, jobs.size());
        for (Job job : jobs) {
            assertTrue(job.words().stream().anyMatch("proxyrt.threading=invoker"::equals), job.toString());
        }
    }
}
