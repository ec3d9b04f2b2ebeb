/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A rank that does not call for a while, as the others' waits tell. */
class StallTest {
    private static final int COUNT = 50_000;
    private static final String NOT_CALLED = "rank 1 (pid " + ProcessHandle.current().pid()
            + ") has not called collective 2, all_reduce of " + COUNT + " FLOAT32 SUM; its last call, collective 1";

    @TempDir
    private Path directory;

    private List<ProxyConfig> configs(Way way, ThreadingMode mode, UnaryOperator<ProxyConfig.Builder> settings) {
        return way.configs(directory, mode, 2, settings);
    }

    private static void reduce(Communicator comm) {
        MemorySegment buffer = Way.memory(comm, 4L * COUNT);
        comm.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, RedOp.SUM);
        comm.synchronize();
    }

    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldTellWhomItWaitsForAndGoOn(Way way, ThreadingMode mode) throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        List<ProxyConfig> configs = configs(way, mode, config -> config.set(CollectivesOptions.STALL,
                Duration.ofMillis(600)));
        List<Throwable> failures = InProcessRanks.failures(configs, comm -> {
            reduce(comm);
            if (comm.rank() == 0) {
                comm.onStall(told::add);
            } else {
                String sentence = told.poll(50, TimeUnit.SECONDS);
                assertTrue(String.valueOf(sentence).startsWith("rank 0: nothing has moved for "), sentence);
                assertTrue(sentence.contains(NOT_CALLED), sentence);
            }
            reduce(comm);
        });
        assertEquals(Arrays.asList(null, null), failures);
        assertTrue(told.isEmpty(), told::toString);
    }

    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldEndWithThatAsTheErrorIfAsked(Way way, ThreadingMode mode) throws Exception {
        assertEndsWith(configs(way, mode, config -> config.set(CollectivesOptions.STALL, Duration.ofMillis(600))
                .set(CollectivesOptions.STALL_ABORT, true)));
    }

    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldSayItInTheErrorOfATimeLimit(Way way, ThreadingMode mode) throws Exception {
        assertEndsWith(configs(way, mode, config -> config.set(CollectivesOptions.STALL, Duration.ZERO)
                .set(CollectivesOptions.TIMEOUT, Duration.ofMillis(1500))));
    }

    /** Ranks whose files are in folders of their own see as much of each other as ranks on hosts of their own. */
    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldAskTheHostsOfRanksThatItDoesNotSee(Way way, ThreadingMode mode) throws Exception {
        List<ProxyConfig> configs = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            Path own = Files.createDirectory(directory.resolve("host" + rank));
            configs.add(way.configs(own, mode, 3, config -> config.set(CollectivesOptions.STALL,
                    Duration.ofMillis(600))).get(rank));
        }
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        List<Throwable> failures = InProcessRanks.failures(configs, comm -> {
            reduce(comm);
            if (comm.rank() == 1) {
                for (int others = 0; others < 2; others++) {
                    String sentence = told.poll(50, TimeUnit.SECONDS);
                    assertTrue(String.valueOf(sentence).contains(NOT_CALLED), sentence);
                }
            } else {
                comm.onStall(told::add);
            }
            reduce(comm);
        });
        assertEquals(Arrays.asList(null, null, null), failures);
    }

    private static void assertEndsWith(List<ProxyConfig> configs) throws Exception {
        CountDownLatch isOver = new CountDownLatch(1);
        List<Throwable> outcomes = InProcessRanks.outcomes(configs, comm -> {
            reduce(comm);
            if (comm.rank() == 0) {
                ProxyException end = assertThrows(ProxyException.class, () -> reduce(comm));
                isOver.countDown();
                assertEquals(ProxyResult.TIMEOUT, end.result(), end::getMessage);
                assertTrue(end.getMessage().contains(" ms: " + NOT_CALLED), end::getMessage);
            } else {
                assertTrue(isOver.await(50, TimeUnit.SECONDS));
                reduce(comm);
            }
        });
        assertEquals(null, outcomes.getFirst());
        assertTrue(outcomes.getLast().getMessage().contains(NOT_CALLED), outcomes::toString);
    }
}
