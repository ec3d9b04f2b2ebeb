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
        "1,1,INVOKER", "1,2,INVOKER", "1,3,DEDICATED", "1,128,DEDICATED",
        "2,2,INVOKER", "2,4,INVOKER", "2,5,INVOKER", "2,6,DEDICATED", "2,16,DEDICATED",
        "4,8,INVOKER", "4,11,INVOKER", "4,12,DEDICATED", "5,16,DEDICATED", "6,16,INVOKER", "8,16,INVOKER",
        "8,24,DEDICATED", "8,96,DEDICATED", "16,16,INVOKER", "16,32,INVOKER", "16,48,DEDICATED", "16,64,DEDICATED",
        "256,2,INVOKER", "2000000000,2000000000,INVOKER"})
    void shouldTakeThreadsOnlyWhereEachHasACpu(int ranks, int cpus, ThreadingMode mode) {
        assertEquals(mode, auto(false, new HostLoad(cpus, ranks, 0)).mode());
    }

    @ParameterizedTest
    @CsvSource({"1,1,INVOKER", "1,2,DEDICATED", "4,7,INVOKER", "4,8,DEDICATED", "8,16,DEDICATED", "8,15,INVOKER"})
    void shouldCountNoStreamBesideAGpu(int ranks, int cpus, ThreadingMode mode) {
        assertEquals(mode, auto(true, new HostLoad(cpus, ranks, 0)).mode());
    }

    @ParameterizedTest
    @CsvSource({"2,0,DEDICATED", "2,3,DEDICATED", "2,4,INVOKER", "5,0,DEDICATED", "5,1,INVOKER"})
    void shouldCountRuntimesOfOtherJobs(int ranks, int others, ThreadingMode mode) {
        assertEquals(mode, auto(false, new HostLoad(16, ranks, others)).mode());
    }

    @Test
    void shouldSayWhy() {
        assertEquals("5 ranks of 3 threads fit 16 CPUs of this process", auto(false, new HostLoad(16, 5, 0)).reason());
        assertEquals("1 rank of 3 threads are too many for 1 CPU of this process",
                auto(false, new HostLoad(1, 1, 0)).reason());
        assertEquals("8 ranks and 1 other runtime of 2 threads are too many for 16 CPUs of this process",
                auto(true, new HostLoad(16, 8, 1)).reason());
    }

    @Test
    void shouldTakeWhatIsAskedFor() {
        assertEquals(new ThreadingChoice(ThreadingMode.SHARED, ""),
                ThreadingChoice.of(ThreadingMode.SHARED, false, new HostLoad(1, 4, 0)));
    }

    @Test
    void shouldRefuseLoadsThatNoHostHas() {
        assertThrows(ProxyException.class, () -> new HostLoad(0, 1, 0));
        assertThrows(ProxyException.class, () -> new HostLoad(1, 0, 0));
        assertThrows(ProxyException.class, () -> new HostLoad(1, 1, -1));
    }

    private static ThreadingChoice auto(boolean isOnGpu, HostLoad load) {
        return ThreadingChoice.of(ThreadingMode.AUTO, isOnGpu, load);
    }
}
