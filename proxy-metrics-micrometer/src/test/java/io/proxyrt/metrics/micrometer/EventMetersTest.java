/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.metrics.micrometer;

import static io.proxyrt.core.counters.Counter.OPS_COMPLETED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @TempDir
    Path directory;

    /** Who closes them may be interrupted, as threads of a program are that ends. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTimeWhatFlightRecorderHears(boolean isInterrupted) throws Exception {
        AtomicLong ops = new AtomicLong();
        try (EventMeters meters = new EventMeters()) {
            meters.bindTo(registry);
            TwoRanks.run(directory, comm -> ops.set(comm.proxy().counters().get(OPS_COMPLETED)));
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        assertEquals(isInterrupted, Thread.interrupted());
        Timer calls = registry.get("proxyrt.collective").tags("rank", "0", "function", "ALL_REDUCE", "failed", "false")
                .timer();
        assertEquals(TwoRanks.CALLS, calls.count());
        assertTrue(calls.totalTime(TimeUnit.NANOSECONDS) > 0);
        assertEquals(ops.get(), registry.get("proxyrt.op").tags("rank", "0", "transport", "NET", "result", "SUCCESS")
                .timers().stream().mapToLong(Timer::count).sum());
        assertTrue(registry.get("proxyrt.rpc.call").tags("type", "CONNECT", "result", "SUCCESS").timers().stream()
                .mapToLong(Timer::count).sum() >= 4);
        assertTrue(registry.find("proxyrt.errors").counters().isEmpty());
    }

    @Test
    void shouldCountWhatFails() throws Exception {
        try (EventMeters meters = new EventMeters()) {
            meters.bindTo(registry);
            ProxyException failure = new ProxyException(ProxyResult.REMOTE_ERROR, "for a test");
            assertThrows(ProxyException.class, () -> TwoRanks.run(directory,
                    comm -> comm.proxy().asyncResult().fail(failure)));
        }
        assertTrue(registry.get("proxyrt.errors").tags("rank", "0", "result", "REMOTE_ERROR").counter().count() >= 1);
    }

    @Test
    void shouldCountWhoWaitsInVain() throws Exception {
        try (EventMeters meters = new EventMeters()) {
            meters.bindTo(registry);
            assertThrows(ProxyException.class, () -> TwoRanks.run(directory,
                    config -> config.set(CollectivesOptions.STALL, Duration.ofMillis(500))
                            .set(CollectivesOptions.STALL_ABORT, true), comm -> TwoRanks.allReduce(comm, 1)));
        }
        Counter stuck = registry.get("proxyrt.stuck").tags("rank", "0", "reason", "not called").counter();
        assertEquals(1, stuck.count());
        assertFalse(stuck.getId().getTag("job").isEmpty());
    }

    @Test
    void shouldEndEachRecordingThatItBegan() {
        int before = recordings();
        EventMeters meters = new EventMeters();
        meters.bindTo(registry);
        meters.bindTo(new SimpleMeterRegistry());
        assertThrows(NullPointerException.class, () -> meters.bindTo(null));
        assertEquals(before + 2, recordings());
        meters.close();
        assertEquals(before, recordings());
        meters.close();
    }

    /** As by JFR.stop of jcmd. */
    @Test
    void shouldEndTheOthersThoughOneWasStopped() {
        List<Recording> before = FlightRecorder.getFlightRecorder().getRecordings();
        EventMeters meters = new EventMeters();
        meters.bindTo(registry);
        meters.bindTo(registry);
        List<Recording> begun = new ArrayList<>(FlightRecorder.getFlightRecorder().getRecordings());
        begun.removeAll(before);
        assertEquals(2, begun.size());
        begun.getFirst().stop();
        meters.close();
        assertEquals(before, FlightRecorder.getFlightRecorder().getRecordings());
    }

    private static int recordings() {
        return FlightRecorder.getFlightRecorder().getRecordings().size();
    }
}
