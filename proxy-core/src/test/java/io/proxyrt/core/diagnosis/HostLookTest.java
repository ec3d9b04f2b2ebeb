/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.ActiveOps;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.EventRing;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.diagnosis.RankObservation.KernelWait;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.op.OpsPoster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On files that the test writes. */
class HostLookTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final Duration SPAN = Duration.ofMillis(20);

    @TempDir
    private Path base;
    private RuntimeDirectory directory;
    private Counters counters;
    private OpsPool pool;
    private OpsPoster poster;
    private EventRing caller;

    @BeforeEach
    void start() {
        directory = RuntimeDirectory.create(config(), 1);
        counters = Counters.create(directory.counters(), "a job", 1, 4);
        counters.heartbeat(System.currentTimeMillis());
        caller = counters.blackBox().caller("rank 1");
        pool = OpsPool.create(directory.ops(), 1, config());
        poster = pool.poster();
    }

    @AfterEach
    void close() {
        poster.close();
        pool.close();
        counters.close();
        directory.close();
    }

    private ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, base.toString()).build();
    }

    private RankObservation look() {
        HostLook look = HostLook.at(RuntimeDirectory.list(config()), SPAN);
        assertEquals(List.of(), look.problems());
        JobObservation job = look.jobs().getFirst();
        assertEquals("a job", job.job());
        assertEquals(4, job.nRanks());
        return job.ranks().getFirst();
    }

    private void post(int ops) {
        for (int i = 1; i <= ops; i++) {
            poster.append(i).connection(1).nsteps(1);
        }
        poster.post();
    }

    private void publish(String kernel) {
        ActiveOps ops = counters.blackBox().activeOps();
        long now = System.nanoTime();
        ops.begin(now);
        ops.next();
        ops.op(12, 0x100000000L, now - 4 * SECOND_NS, now - 3 * SECOND_NS);
        ops.way(Direction.RECV, 2, 1, "NET");
        ops.kind(2, CollFunction.ALL_REDUCE.ordinal(), 7, 0);
        ops.size(65536, 16, 32);
        ops.steps(12, 4, 4, 4);
        ops.place(2, 0, 0);
        ops.wait(now - 2 * SECOND_NS, kernel);
        ops.end();
    }

    @Test
    void shouldSeeWhatARankWaitsFor() {
        post(3);
        pool.fetcher().fetch(op -> { }, 2);
        publish("s: a kernel: waits for step 3 from rank 0, channel 0 (SHM)");
        caller.called(System.nanoTime(), 1, 7, 8, EventRing.NO_PEER);
        RankObservation rank = look();
        assertEquals(1, rank.rank());
        assertEquals(RankObservation.Process.RUNNING, rank.process());
        assertEquals(Duration.ofSeconds(3), rank.ops().getFirst().still());
        assertEquals(Set.of(0), rank.kernels().getFirst().peers());
        assertEquals(Duration.ofSeconds(2), rank.kernels().getFirst().still());
        assertFalse(rank.hasMoved());
        assertFalse(rank.hasThreads());
        CommunicatorCalls calls = rank.communicators().getFirst();
        assertEquals("", calls.communicator());
        assertEquals(1, calls.lastNumber());
        assertFalse(calls.isIdle());
    }

    @Test
    void shouldForgetOpsAndKernelsThatHaveEnded() {
        publish("s: a kernel: waits for step 3 from rank 0, channel 0 (SHM)");
        caller.called(System.nanoTime(), 1, 7, 8, EventRing.NO_PEER);
        assertEquals(List.of(), look().ops());
        assertEquals(1, look().kernels().size());
        caller.finished(1);
        assertEquals(List.of(), look().kernels());
        caller.called(System.nanoTime(), 0, 7, 8, 3);
        assertEquals(1, look().kernels().size());
    }

    @Test
    void shouldSeeThatACallerWaits() {
        caller.called(System.nanoTime(), 1, 7, 8, EventRing.NO_PEER);
        assertEquals(Duration.ZERO, look().communicators().getFirst().waits());
        caller.add(EventType.WAITS, 0, 0, 5000);
        Duration waits = look().communicators().getFirst().waits();
        assertTrue(waits.toMillis() >= 5000 && waits.toMillis() < 60_000, waits::toString);
        caller.add(EventType.RESUMED, 0, 0, 5000);
        assertEquals(Duration.ZERO, look().communicators().getFirst().waits());
    }

    @Test
    void shouldTellCommunicatorsByTheNameThatAllTheirRanksHave() {
        assertEquals("", RuntimeLook.communicator("rank 17"));
        assertEquals("split 2 (color 0) of job a#1",
                RuntimeLook.communicator("rank 5, 1 of split 2 (color 0) of job a#1"));
        assertEquals("anything", RuntimeLook.communicator("anything"));
    }

    @Test
    void shouldReadTheRanksOfAKernelsText() {
        KernelWait wait = new KernelWait("proxy-stream-0: all_reduce #4 of 8 FLOAT32 SUM: waits for step 3 from rank "
                + "12, channel 0 (SHM); waits until rank 1, channel 1 (P2P) has read what was sent; moves; 2 kernels "
                + "behind it", Duration.ZERO);
        assertEquals(Set.of(1, 12), wait.peers());
        assertEquals("all_reduce #4 of 8 FLOAT32 SUM: waits for step 3 from rank 12, channel 0 (SHM)",
                wait.clause(12));
        assertEquals("all_reduce #4 of 8 FLOAT32 SUM: waits until rank 1, channel 1 (P2P) has read what was sent",
                wait.clause(1));
    }

    @Test
    void shouldLookAtTheJobOfARuntimeAlone() {
        try (RuntimeDirectory other = RuntimeDirectory.create(config(), 2);
                Counters ofOther = Counters.create(other.counters(), "another job", 2, 4)) {
            ofOther.heartbeat(System.currentTimeMillis());
            JobObservation job = HostLook.at(config(), HostLook.job(directory.counters()).orElseThrow()).orElseThrow();
            assertEquals(List.of(1), job.ranks().stream().map(RankObservation::rank).toList());
        }
        assertTrue(Diagnosis.ofJobOf(config(), base.resolve("nowhere"), CallWords.NONE, RemoteRanks.NONE).isEmpty());
    }

    @Test
    void shouldShareALookAmongTheRanksOfAProcess() {
        try (RuntimeDirectory other = RuntimeDirectory.create(config(), 2);
                Counters ofOther = Counters.create(other.counters(), "a job", 2, 4)) {
            ofOther.heartbeat(System.currentTimeMillis());
            // A busy machine may take longer than a look is shared.
            assertTrue(IntStream.range(0, 60).anyMatch(_ -> diagnosis(directory) == diagnosis(other)));
        }
    }

    private Diagnosis diagnosis(RuntimeDirectory of) {
        return Diagnosis.ofJobOf(config(), of.path(), CallWords.NONE, RemoteRanks.NONE).orElseThrow();
    }

    @Test
    void shouldNotTakeAProcessOfAnotherContainerForOneOfItsNumber() throws IOException {
        Process stopped = new ProcessBuilder("sleep", "60").start();
        try {
            new ProcessBuilder("kill", "-STOP", Long.toString(stopped.pid())).start().onExit().join();
            Path folder = Files.createDirectory(base.resolve("r2-p" + stopped.pid() + "-s1-n1-0"));
            Files.copy(directory.counters(), folder.resolve("counters"));
            List<RankObservation> ranks = HostLook.at(RuntimeDirectory.list(config()), SPAN).jobs().getFirst().ranks();
            assertEquals(List.of(1, 2), ranks.stream().map(RankObservation::rank).toList());
            assertEquals(RankObservation.Process.RUNNING, ranks.getLast().process());
        } finally {
            stopped.destroyForcibly().onExit().join();
        }
    }

    /** The head stays, so that the reader goes on to the rest. */
    @Test
    void shouldBearNoiseInTheFile() throws IOException {
        publish("a kernel");
        byte[] good = Files.readAllBytes(directory.counters());
        Random random = new Random(7);
        try (RuntimeDirectory noise = RuntimeDirectory.create(config(), 2)) {
            for (int i = 0; i < 20; i++) {
                byte[] bytes = good.clone();
                for (int at = 64; at < bytes.length; at += 1 + random.nextInt(40)) {
                    bytes[at] = (byte) random.nextInt();
                }
                Files.write(noise.counters(), bytes);
                HostLook look = HostLook.at(RuntimeDirectory.list(config()), Duration.ZERO);
                look.jobs().forEach(job -> {
                    Diagnosis.of(job, new NoWords());
                    Straggler.of(job).ifPresent(Straggler::sentence);
                });
            }
        }
    }

    private static final class NoWords implements CallWords {
        @Override
        public String describe(long word, long bytes) {
            return "";
        }

        @Override
        public String difference(long word, long bytes, long otherWord, long otherBytes) {
            return "";
        }
    }
}
