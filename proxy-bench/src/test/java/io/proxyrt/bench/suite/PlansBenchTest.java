/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlansBenchTest {
    private static final Scale SCALE = Scale.full(1);

    static Stream<Bench> benches() {
        return all(program -> "peer");
    }

    private static Stream<Bench> all(Peers peers) {
        return Stream.of(new OpsBench(SCALE, peers), new RpcBench(SCALE, peers), new NetBench(SCALE, peers),
                new ShmBench(SCALE, peers), new CollNetBench(SCALE, peers),
                new CollectivesBench(SCALE, peers), new SplitBench(SCALE, peers),
                new GpuBench(SCALE, peers, "cuda", 2, List.of(), () -> ""));
    }

    @Test
    void shouldLeaveOutThePeersInCWithoutACompiler() {
        assertFalse(all(program -> program.isC() ? null : "peer").flatMap(bench -> jobs(bench).stream())
                .anyMatch(job -> job.program().isC()));
    }

    @ParameterizedTest
    @MethodSource("benches")
    void shouldMeasureEveryContenderOnceARound(Bench bench) {
        List<String> jobs = jobs(bench).stream().map(Job::toString).toList();
        assertEquals(jobs, jobs.stream().distinct().toList());
    }

    private static List<Job> jobs(Bench bench) {
        return bench.groups().stream().flatMap(group -> group.jobs().stream()).toList();
    }
}
