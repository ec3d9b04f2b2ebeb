/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Scale;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GpuPlanBenchTest {
    @Test
    void shouldMeasureEveryCallOverEveryTransport() {
        List<Group> groups = bench(Scale.full(1), "cuda", 2).groups();
        assertEquals(List.of(GpuBench.PING_PONG, GpuBench.ONE_WAY, GpuBench.BOTH_WAYS, GpuBench.ALL_REDUCE),
                groups.stream().map(Group::name).toList());
        for (Group group : groups.subList(1, groups.size())) {
            assertEquals(List.of("proxyrt-p2p", "proxyrt-p2p_ce", "proxyrt-shm", "proxyrt-net"),
                    group.jobs().stream().map(Job::contender).toList());
            assertEquals(List.of("P2P", "P2P", "SHM", "NET"),
                    group.jobs().stream().map(job -> value(job, "coll.transport")).toList());
            assertTrue(group.jobs().stream().allMatch(job -> value(job, "call").equals(group.name())));
        }
    }

    /** One with memory of the other GPU's, one with copy engines. */
    @Test
    void shouldTellTheTwoWaysOfP2pApart() {
        List<String> copied = calls(bench(Scale.full(1), "cuda", 2)).stream()
                .filter(job -> job.words().contains("p2p.use.memcpy=1")).map(Job::contender).distinct().toList();
        assertEquals(List.of("proxyrt-p2p_ce"), copied);
    }

    /** Within one, the driver copies by kernels, behind those that wait for the copy. */
    @Test
    void shouldNotAskOneGpuForItsCopyEngine() {
        assertEquals(Set.of("proxyrt-p2p", "proxyrt-shm", "proxyrt-net"),
                calls(bench(Scale.full(1), "cuda", 1)).stream().map(Job::contender).collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldTellRigsWhichDevicesThereAre(int gpus) {
        for (Job job : calls(bench(Scale.full(1), "hip", gpus))) {
            assertEquals("hip", value(job, "device"));
            assertEquals(Integer.toString(gpus), value(job, "gpus"));
        }
    }

    @Test
    void shouldTakeSmallMessagesAndFewCallsForASmokeRun() {
        assertEquals(List.of("1024", "4096", "16384", "65536"), sizes(Scale.smoke(1)));
        assertEquals("268435456", sizes(Scale.full(1)).getLast());
        assertTrue(Integer.parseInt(value(first(Scale.smoke(1)), "calls"))
                < Integer.parseInt(value(first(Scale.full(1)), "calls")));
    }

    private static List<String> sizes(Scale scale) {
        return Arrays.asList(value(first(scale), "sizes").split(","));
    }

    private static Job first(Scale scale) {
        return calls(bench(scale, "cuda", 2)).getFirst();
    }

    private static List<Job> calls(GpuBench plan) {
        return plan.groups().stream().flatMap(group -> group.jobs().stream())
                .filter(job -> job.words().getFirst().equals("gpucomm")).toList();
    }

    private static String value(Job job, String key) {
        return job.words().stream().filter(word -> word.startsWith(key + '=')).map(word -> word.split("=", 2)[1])
                .findFirst().orElse("");
    }

    private static GpuBench bench(Scale scale, String kind, int gpus) {
        return new GpuBench(scale, program -> null, kind, gpus, List.of(), () -> "");
    }
}
