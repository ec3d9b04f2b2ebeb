/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.RuntimeHealth;
import io.proxyrt.core.counters.RuntimeHealth.State;
import io.proxyrt.core.diagnosis.RankObservation.KernelWait;
import io.proxyrt.core.diagnosis.RankObservation.Process;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthLookTest {
    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(9);

    @TempDir
    private Path base;

    @Test
    void shouldNameTheFirstThatIsWrong() {
        assertHealth(State.HEALTHY, "", seen(Process.RUNNING, SOON, true, "", SOON));
        assertHealth(State.DEAD, "its process is gone", seen(Process.DEAD, LONG, true, "a failure", LONG));
        assertHealth(State.STOPPED, "its process is stopped, by a signal or a debugger",
                seen(Process.STOPPED, LONG, true, "a failure", LONG));
        assertHealth(State.FAILED, "a failure", seen(Process.RUNNING, LONG, true, "a failure", LONG));
        assertHealth(State.SILENT, "its progress thread has not been at work for 9.0 s",
                seen(Process.RUNNING, LONG, true, "", LONG));
        assertHealth(State.STILL, "something has not moved for 9.0 s", seen(Process.RUNNING, SOON, true, "", LONG));
    }

    @Test
    void shouldNotMindACallerThatDoesNotDriveItsRuntime() {
        assertHealth(State.HEALTHY, "", seen(Process.RUNNING, LONG, false, "", SOON));
    }

    @Test
    void shouldLetOpsStandStillUnlessALimitIsAskedFor() {
        assertTrue(HealthLook.of(seen(Process.RUNNING, SOON, true, "", LONG), Duration.ZERO).isHealthy());
        assertFalse(HealthLook.of(seen(Process.RUNNING, SOON, true, "", LONG), Duration.ofSeconds(8)).isHealthy());
    }

    @Test
    void shouldLookAtARuntimeOfThisProcess() throws IOException {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, base.toString()).build();
        Path folder;
        try (RuntimeDirectory directory = RuntimeDirectory.create(config, 3);
                Counters counters = Counters.create(directory.counters(), "a job", 3, 4)) {
            folder = directory.path();
            assertEquals(State.HEALTHY, HealthLook.at(3, folder, Duration.ZERO).state());
            counters.failure(ProxyResult.TIMEOUT.code(), "nothing moved");
            RuntimeHealth failed = HealthLook.at(3, folder, Duration.ZERO);
            assertEquals("rank 3 (pid " + ProcessHandle.current().pid() + "): failed: nothing moved",
                    failed.toString());
            Files.write(directory.counters(), new byte[100]);
            assertEquals(State.UNREADABLE, HealthLook.at(3, folder, Duration.ZERO).state());
        }
        assertEquals(State.UNREADABLE, HealthLook.at(3, folder, Duration.ZERO).state());
    }

    private static void assertHealth(State state, String why, RankObservation rank) {
        assertEquals(new RuntimeHealth(1, 101, state, why), HealthLook.of(rank, Duration.ofSeconds(5)));
    }

    private static RankObservation seen(Process process, Duration heartbeat, boolean hasThreads, String failure,
            Duration kernelStill) {
        return new RankObservation(1, 101, process, Optional.of(heartbeat), hasThreads, 0, false, List.of(),
                List.of(new KernelWait("a kernel", kernelStill)), 0, List.of(), failure);
    }
}
