/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ThreadingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadingChoiceTest {
    @ParameterizedTest
    @CsvSource({
        "1,1,INVOKER", "1,5,INVOKER", "1,6,DEDICATED", "1,128,DEDICATED",
        "2,2,INVOKER", "2,11,INVOKER", "2,12,DEDICATED", "2,16,DEDICATED", "3,16,INVOKER", "4,16,INVOKER",
        "4,24,DEDICATED", "8,47,INVOKER", "8,48,DEDICATED", "8,96,DEDICATED", "16,64,INVOKER", "16,96,DEDICATED",
        "256,2,INVOKER", "2000000000,2000000000,INVOKER"})
    void shouldTakeThreadsOnlyWhereTheyLeaveHalfOfTheCpus(int ranks, int cpus, ThreadingMode mode) {
        assertEquals(mode, auto(false, new HostLoad(cpus, ranks, 0, false)).mode());
    }

    @ParameterizedTest
    @CsvSource({"1,3,INVOKER", "1,4,DEDICATED", "4,15,INVOKER", "4,16,DEDICATED", "8,32,DEDICATED", "8,31,INVOKER"})
    void shouldCountNoStreamBesideAGpu(int ranks, int cpus, ThreadingMode mode) {
        assertEquals(mode, auto(true, new HostLoad(cpus, ranks, 0, false)).mode());
    }

    @ParameterizedTest
    @CsvSource({"2,0,DEDICATED", "1,1,DEDICATED", "2,1,INVOKER", "1,2,INVOKER"})
    void shouldCountRuntimesOfOtherJobs(int ranks, int others, ThreadingMode mode) {
        assertEquals(mode, auto(false, new HostLoad(16, ranks, others, false)).mode());
    }

    @ParameterizedTest
    @CsvSource({"2,2,0,false", "2,2,1,true", "4,2,0,false", "4,2,4,true", "1,2,1,false", "1,2,2,true", "4,16,12,false",
        "4,16,13,true"})
    void shouldSayWhetherOthersLeaveCpus(int ranks, int cpus, int others, boolean isOversubscribed) {
        ThreadingChoice choice = auto(false, new HostLoad(cpus, ranks, 0, false));
        assertEquals(isOversubscribed, choice.with(new HostLoad(cpus, ranks, others, false)).isOversubscribed());
    }

    /** One of threads of its own, three a rank, that came first. */
    @ParameterizedTest
    @CsvSource({"3,false", "4,true"})
    void shouldCountAllThreads(int others, boolean isOversubscribed) {
        ThreadingChoice choice = auto(false, new HostLoad(16, 2, 0, false));
        assertEquals(ThreadingMode.DEDICATED, choice.mode());
        assertEquals(isOversubscribed, choice.with(new HostLoad(16, 2, others, false)).isOversubscribed());
    }

    @Test
    void shouldSayWhy() {
        assertEquals("2 ranks of 3 threads leave half of 16 CPUs free",
                auto(false, new HostLoad(16, 2, 0, false)).reason());
        assertEquals("1 rank of 3 threads would not leave half of 1 CPU free",
                auto(false, new HostLoad(1, 1, 0, false)).reason());
        assertEquals("8 ranks and 1 other runtime of 2 threads would not leave half of 16 CPUs free",
                auto(true, new HostLoad(16, 8, 1, false)).reason());
    }

    @Test
    void shouldTakeWhatIsAskedFor() {
        HostLoad load = new HostLoad(1, 4, 0, false);
        assertEquals(new ThreadingChoice(ThreadingMode.SHARED, 3, load, ""),
                ThreadingChoice.of(ThreadingMode.SHARED, false, load));
    }

    @Test
    void shouldRefuseLoadsThatNoHostHas() {
        assertThrows(ProxyException.class, () -> new HostLoad(0, 1, 0, false));
        assertThrows(ProxyException.class, () -> new HostLoad(1, 0, 0, false));
        assertThrows(ProxyException.class, () -> new HostLoad(1, 1, -1, false));
    }

    private static ThreadingChoice auto(boolean isOnGpu, HostLoad load) {
        return ThreadingChoice.of(ThreadingMode.AUTO, isOnGpu, load);
    }
}
