/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.ConnectionEnd;
import io.proxyrt.core.runtime.HostLoad;
import io.proxyrt.core.runtime.ThreadingChoice;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WaitStyleTest {
    private static final int TURNS = 10_000;
    private static final ProxyConfig CONFIG = ProxyConfig.builder().properties(Map.of()).environment(Map.of())
            .set(CoreOptions.THREADING, ThreadingMode.INVOKER).build();

    @ParameterizedTest
    @ValueSource(ints = {1, 1 << 20})
    void shouldNotSleepSoonWhereNothingWakesIt(int localRanks) {
        assertEquals(0, sleeps(localRanks, ring(false)));
        assertTrue(sleeps(localRanks, ring(true)) > 0);
        assertEquals(0, sleeps(localRanks, ring(false), ring(true)));
        assertEquals(0, sleeps(localRanks, ring(true, false)));
    }

    @ParameterizedTest
    @CsvSource({"16, 8, 2, false", "16, 16, 16, false", "16, 16, 1, true", "16, 17, 16, true"})
    void shouldYieldSoonWhereOtherThreadsNeedTheCpu(int cpus, int localRanks, int ownCpus, boolean isSoon) {
        int turns = turns(new HostLoad(cpus, localRanks, 0, false), ownCpus, ring(true));
        assertEquals(isSoon, turns < 1000, turns + " turns before it sleeps");
    }

    @Test
    void shouldSleepSoonWhereCpuTimeIsRationed() {
        assertTrue(turns(new HostLoad(2, 2, 0, true), 2, ring(false)) < 1000);
        assertTrue(turns(new HostLoad(2, 2, 0, true), 2, ring(true)) < 1000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveWayOnceOthersCome(boolean needsProxy) {
        ThreadingChoice alone = ThreadingChoice.of(ThreadingMode.AUTO, false, new HostLoad(2, 2, 0, false));
        ThreadingChoice beset = ThreadingChoice.of(ThreadingMode.AUTO, false, new HostLoad(2, 2, 2, false));
        AtomicReference<ThreadingChoice> now = new AtomicReference<>(alone);
        IdleStrategy idle = WaitStyle.ofHost(CONFIG, now::get, 2, new Ring[] {ring(needsProxy)});
        final int usual = turns(idle);
        now.set(beset);
        idle.reset();
        int giving = turns(idle);
        assertTrue(giving < usual - 1000, giving + " turns before it sleeps, " + usual + " while it is alone");
        now.set(alone);
        idle.reset();
        assertEquals(usual, turns(idle));
    }

    /** They give way more than ranks that have a CPU each. */
    @ParameterizedTest
    @CsvSource({"4, false", "2, true"})
    void shouldGoOnGivingWayWhenOthersCome(int ranks, boolean isRationed) {
        HostLoad alone = new HostLoad(2, ranks, 0, isRationed);
        HostLoad beset = new HostLoad(2, ranks, 2, isRationed);
        for (boolean needsProxy : new boolean[] {false, true}) {
            int usual = turns(auto(alone, ring(needsProxy)));
            assertEquals(usual, turns(auto(beset, ring(needsProxy))), "needs proxy " + needsProxy);
        }
    }

    private static IdleStrategy auto(HostLoad load, Ring ring) {
        ThreadingChoice choice = ThreadingChoice.of(ThreadingMode.AUTO, false, load);
        return WaitStyle.ofHost(CONFIG, () -> choice, 2, new Ring[] {ring});
    }

    private static int turns(HostLoad load, int ownCpus, Ring ring) {
        return turns(WaitStyle.ofHost(CONFIG, () -> asked(load), ownCpus, new Ring[] {ring}));
    }

    private static int turns(IdleStrategy idle) {
        Sleeper sleeper = new Sleeper();
        int turns = 0;
        while (sleeper.sleeps == 0) {
            idle.idle(0, sleeper);
            turns++;
        }
        return turns;
    }

    /** No data of the network tell that a kernel is done. */
    @Test
    void shouldNotSleepInTheNetworkBesideAGpu() {
        ProxyConfig config = CONFIG.with(CoreOptions.IDLE_YIELDS, TURNS);
        assertEquals(0, sleeps(WaitStyle.ofGpu(config, () -> asked(new HostLoad(2, 1, 0, false)))));
    }

    private static long sleeps(int localRanks, Ring... rings) {
        return sleeps(WaitStyle.ofHost(CONFIG, () -> asked(new HostLoad(2, localRanks, 0, false)), 2, rings));
    }

    private static long sleeps(IdleStrategy idle) {
        Sleeper sleeper = new Sleeper();
        for (int i = 0; i < TURNS; i++) {
            idle.idle(0, sleeper);
        }
        return sleeper.sleeps;
    }

    private static ThreadingChoice asked(HostLoad load) {
        return ThreadingChoice.of(ThreadingMode.INVOKER, false, load);
    }

    private static Ring ring(boolean needsProxy) {
        return ring(needsProxy, needsProxy);
    }

    private static Ring ring(boolean doesRecvNeedProxy, boolean doesSendNeedProxy) {
        return new Ring(0, new ConnectionEnd(1, 1, doesRecvNeedProxy, null, null),
                new ConnectionEnd(1, 1, doesSendNeedProxy, null, null));
    }

    private static final class Sleeper implements Agent {
        private long sleeps;

        @Override
        public String name() {
            return "sleeper";
        }

        @Override
        public int doWork() {
            return 0;
        }

        @Override
        public void park(long maxNs) {
            sleeps++;
        }
    }
}
