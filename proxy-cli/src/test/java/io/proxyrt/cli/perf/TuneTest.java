/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankThreads;
import io.proxyrt.collectives.Algorithm;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.collectives.TuningProfile;
import io.proxyrt.collectives.TuningTable;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The least that a profile can be measured by: two rounds, of which the last counts; and how a trial counts. */
class TuneTest {
    private static final long SLOT = 8 << 10;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    @TempDir
    private Path folder;

    private void tune(int nRanks, Path file) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.THREADING, ThreadingMode.INVOKER).set(CollectivesOptions.TRANSPORT, "SHM")
                .set(CoreOptions.DIRECTORY, folder.resolve("runtimes").toString())
                .set(CoreOptions.BUFFER_BYTES, 8 * SLOT).build();
        PrintStream printed = new PrintStream(out, true, StandardCharsets.UTF_8);
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                nRanks)) {
            assertEquals(0, RankThreads.run(0, nRanks, rank -> TuneSession.of(
                    new TunePlan("SHM", Duration.ofNanos(1), file), RankConfigs.same(config), printed,
                    new PrintStream(err, true, StandardCharsets.UTF_8)).run(root.id(), rank, nRanks, () -> { })
                    == RankOutcome.OK ? 0 : 1), () -> err.toString(StandardCharsets.UTF_8));
        }
    }

    @Test
    void shouldMeasureWhatCanBeCarriedOutAndKeepIt() {
        Path file = folder.resolve("profile");
        TuningTable other = new TuningTable("NET", CollFunction.REDUCE, 7,
                List.of(new TuningTable.Range(8, Algorithm.TREE)), Map.of());
        new TuningProfile(TuningProfile.thisMachine(), List.of(other)).write(file);
        tune(3, file);
        TuningProfile profile = TuningProfile.read(file);
        assertEquals(TuningProfile.thisMachine(), profile.machine());
        assertEquals(List.of(other.function(), CollFunction.ALL_REDUCE, CollFunction.ALL_GATHER,
                CollFunction.REDUCE_SCATTER, CollFunction.BROADCAST, CollFunction.REDUCE),
                profile.tables().stream().map(TuningTable::function).toList());
        Map<Algorithm, Map<Long, Double>> reducing = profile.tables().get(1).timesUs();
        assertEquals(Set.of(Algorithm.RING, Algorithm.DOUBLING, Algorithm.TREE), reducing.keySet());
        assertEquals(Set.of(8L, 32L, 128L, 512L, 2048L, 8192L), reducing.get(Algorithm.DOUBLING).keySet(), "of a slot");
        assertTrue(reducing.get(Algorithm.RING).containsKey(8L << 20));
        assertEquals(Set.of(Algorithm.RING, Algorithm.PAT), profile.tables().get(2).timesUs().keySet());
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("SHM        reduce_scatter      3  "), out::toString);
    }

    @Test
    void shouldCountTheFasterRoundsAndTellHowMuchTheyDiffer() {
        TuneTrial trial = new TuneTrial(Collective.REDUCE, CollFunction.REDUCE, 8, Algorithm.RING);
        trial.took(9e9);
        trial.restart();
        for (double us : new double[] {30, 12, 10, 15, 40}) {
            trial.took(us * 1e3);
        }
        assertEquals(12, trial.us());
        assertEquals(0.25, trial.noise(), 1e-9);
        assertEquals(200, trial.calls(), "of 10 us in two ms");
    }

    @Test
    void shouldHaveLongCallsInFewRounds() {
        TuneTrial trial = new TuneTrial(Collective.REDUCE, CollFunction.REDUCE, 8, Algorithm.RING);
        assertTrue(trial.isDue(0));
        trial.took(20e6);
        assertEquals(1, trial.calls());
        assertEquals(3, IntStream.range(0, 10).filter(trial::isDue).min().orElse(0));
        trial.took(1e6);
        assertEquals(1, IntStream.range(0, 10).filter(trial::isDue).min().orElse(0), "it was but disturbed");
    }

    @Test
    void shouldReplaceWhatIsOfNoUse() throws IOException {
        Path file = Files.writeString(folder.resolve("profile"), "nonsense");
        tune(2, file);
        assertEquals(5, TuningProfile.read(file).tables().size());
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("what was there is replaced: "), out::toString);
        new TuningProfile("abacus, 0 CPUs", TuningProfile.read(file).tables()).write(file);
        tune(2, file);
        assertEquals(TuningProfile.thisMachine(), TuningProfile.read(file).machine());
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("was of another machine, abacus"), out::toString);
    }
}
