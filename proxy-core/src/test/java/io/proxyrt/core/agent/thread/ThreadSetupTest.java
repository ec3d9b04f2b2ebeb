/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.thread.ThreadSetup.Duty;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.IdleStrategyKind;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.ThreadName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadSetupTest {
    private final FakePlatform platform = new FakePlatform();

    @ParameterizedTest
    @CsvSource({
        "proxy-progress-0, prx-progress-0",
        "proxy-progress-12, prx-progress-12",
        "proxy-progress-123, prx-progres-123",
        "proxy-service-123456, prx-serv-123456",
        "proxy-progress-1234567, progres-1234567",
        "proxy-progress-2147483647, prog-2147483647",
        "proxy-uds-1234, prx-uds-1234",
        "my stream, my_stream",
        "größe, gr__e",
        "an-embedder's-long-name, an-embedder's-l",
        "99999999999999999999, 999999999999999"})
    void shouldKeepRoleAndWholeRankInTheName(String name, String osName) {
        assertEquals(osName, ThreadName.ofSystem(name));
    }

    @Test
    void shouldOnlyNameAndSlackenByDefault() {
        ThreadSetup setup = setup("", 0);

        assertFalse(setup.isDemanding());
        assertEquals("proxy-progress-3: named prx-progress-3, timer slack 1000 ns, CPUs 0-7",
                setup.apply("proxy-progress-3", Duty.PROGRESS));
        assertEquals(List.of("name prx-progress-3", "slack 1000"), platform.calls);
    }

    @Test
    void shouldGiveTheProgressThreadAllThatIsAskedFor() {
        ThreadSetup setup = setup("6-9,2", 50);

        assertTrue(setup.isDemanding());
        assertEquals("proxy-progress-3: named prx-progress-3, SCHED_FIFO 50, timer slack 1000 ns, CPUs 2,6-7",
                setup.apply("proxy-progress-3", Duty.PROGRESS));
        assertEquals(List.of("name prx-progress-3", "bind 2,6-7", "priority 50", "slack 1000"), platform.calls);
    }

    @Test
    void shouldGiveControlThreadsNoPriority() {
        assertEquals("proxy-service-3: named prx-service-3, time slice 100000 ns, CPUs 1",
                setup("1", 50).apply("proxy-service-3", Duty.CONTROL));
    }

    @Test
    void shouldGiveShortTurnsToAProgressThreadThatSleepsAndHasNoPriority() {
        assertEquals("proxy-progress-3: named prx-progress-3, timer slack 1000 ns, time slice 100000 ns, CPUs 0-7",
                learning(0).apply("proxy-progress-3", Duty.PROGRESS));
        assertEquals("proxy-progress-3: named prx-progress-3, SCHED_FIFO 7, timer slack 1000 ns, CPUs 0-7",
                learning(7).apply("proxy-progress-3", Duty.PROGRESS));
    }

    private ThreadSetup learning(int priority) {
        return ThreadSetup.of(platform, ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.IDLE_STRATEGY, IdleStrategyKind.LEARN)
                .set(CoreOptions.REALTIME_PRIORITY, priority).build(), 3);
    }

    @Test
    void shouldOnlyNameStreams() {
        assertEquals("proxy-stream-3: named prx-stream-3, CPUs 0-7", setup("1", 50).apply("proxy-stream-3",
                Duty.STREAM));
    }

    @Test
    void shouldDoWithoutAPlatformIfNothingIsAskedFor() {
        platform.whyNot = "this is no Linux";

        assertEquals("proxy-progress-3: as the JVM makes threads, because this is no Linux",
                setup("", 0).apply("proxy-progress-3", Duty.PROGRESS));
        assertEquals(List.of(), platform.calls);
    }

    @Test
    void shouldRefuseWhatTakesAPlatformWithoutOne() {
        platform.whyNot = "this is no Linux";

        refuse(ProxyResult.INVALID_USAGE, () -> setup("0", 0),
                "rank 3: proxyrt.cpuset (from builder) is '0' cannot be had: this is no Linux");
        refuse(ProxyResult.INVALID_USAGE, () -> setup("", 7),
                "rank 3: proxyrt.realtime.priority (from builder) is '7' cannot be had: this is no Linux");
    }

    @Test
    void shouldRefuseAMalformedListWithItsSource() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_PROXY_CPUSET", "0-")).build();

        refuse(ProxyResult.INVALID_ARGUMENT, () -> ThreadSetup.of(platform, config, 3),
                "rank 3: proxyrt.cpuset (from NCCL_PROXY_CPUSET) is '0-': '0-' is no CPU number or range; a list looks"
                        + " like 0-3,8");
    }

    @Test
    void shouldRefuseCpusThatTheProcessMayNotUse() {
        platform.processCpus = "0-3";

        refuse(ProxyResult.INVALID_ARGUMENT, () -> setup("4-5", 0), "rank 3: proxyrt.cpuset (from builder) is '4-5':"
                + " none of the CPUs 4-5 is among those that this process may use: 0-3; proxyrt.ignore.cpu.affinity"
                + " takes others too");
    }

    @Test
    void shouldBindToOtherCpusThanTheProcesssIfThoseAreToBeIgnored() {
        platform.processCpus = "0-3";
        ProxyConfig config = ProxyConfig.builder()
                .environment(Map.of("NCCL_PROXY_CPUSET", "3-5", "NCCL_IGNORE_CPU_AFFINITY", "1")).build();

        assertTrue(ThreadSetup.of(platform, config, 3).apply("proxy-progress-3", Duty.PROGRESS).endsWith("CPUs 3-5"));
        assertTrue(platform.calls.contains("bind 3-5"), platform.calls.toString());
    }

    @Test
    void shouldCarryOnWithoutCourtesies() {
        platform.refused = "name";

        assertEquals("proxy-progress-3: not named prx-progress-3: EPERM for name prx-progress-3, timer slack 1000 ns,"
                + " CPUs 0-7", setup("", 0).apply("proxy-progress-3", Duty.PROGRESS));
    }

    @Test
    void shouldHandARefusalToTheCallerThatStartsTheThread() {
        platform.refused = "priority";
        List<String> log = new ArrayList<>();
        AgentRunner runner = runner(setup("", 7), new Closing(log), log);

        runner.start();

        refuse(ProxyResult.SYSTEM_ERROR, runner::awaitSetUp,
                "rank 3: proxy-progress-3, proxyrt.realtime.priority: EPERM for priority 7");
        assertTrue(runner.join(Duration.ofMinutes(2)));
        assertEquals(List.of("closed"), log);
    }

    @Test
    void shouldReportABugOfThePlatform() {
        platform.bug = new AssertionError("another shape");
        List<String> log = new ArrayList<>();
        AgentRunner runner = runner(setup("", 0), new Closing(log), log);

        runner.start();

        refuse(ProxyResult.INTERNAL_ERROR, runner::awaitSetUp,
                "thread proxy-progress-3 died of java.lang.AssertionError: another shape");
        assertTrue(runner.join(Duration.ofMinutes(2)));
        assertEquals(List.of("java.lang.AssertionError: another shape", "closed"), log);
    }

    @Test
    void shouldSetUpBeforeTheFirstPass() throws Exception {
        CountDownLatch worked = new CountDownLatch(1);
        Agent agent = new Closing(new ArrayList<>()) {
            @Override
            public int doWork() {
                platform.calls.add("work");
                worked.countDown();
                return 0;
            }
        };
        AgentRunner runner = runner(setup("", 7), agent, new ArrayList<>());
        runner.start();
        worked.await();
        runner.stop(() -> true);
        assertTrue(runner.join(Duration.ofMinutes(2)));

        assertEquals(List.of("name prx-progress-3", "priority 7", "slack 1000", "work"), platform.calls.subList(0, 4));
    }

    private ThreadSetup setup(String cpuset, int priority) {
        return ThreadSetup.of(platform, config(cpuset, priority), 3);
    }

    private static ProxyConfig config(String cpuset, int priority) {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.CPUSET, cpuset)
                .set(CoreOptions.REALTIME_PRIORITY, priority).build();
    }

    private static AgentRunner runner(ThreadSetup setup, Agent agent, List<String> log) {
        return new AgentRunner(agent, setup, Duty.PROGRESS, new BackoffIdle(config("", 0)),
                bug -> log.add(bug.toString()));
    }

    private static void refuse(ProxyResult result, Runnable call, String message) {
        ProxyException e = assertThrows(ProxyException.class, call::run);
        assertEquals(message, e.getMessage());
        assertEquals(result, e.result());
    }

    private static class Closing implements Agent {
        private final List<String> log;

        Closing(List<String> log) {
            this.log = log;
        }

        @Override
        public String name() {
            return "proxy-progress-3";
        }

        @Override
        public int doWork() {
            return 0;
        }

        @Override
        public void onClose() {
            log.add("closed");
        }
    }
}
