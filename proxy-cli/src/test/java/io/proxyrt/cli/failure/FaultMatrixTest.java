/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.failure.FaultCell.Api;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What ranks see of a fault of another one: each cell of the table in docs/transports.md, over each transport. Each
 * fault is tried over one transport only, unless tests are long.
 */
@Tag(Extent.SCALED)
class FaultMatrixTest {
    private static final boolean IS_LONG = Extent.asked() == Extent.LONG;
    private static final int MANY_DESCRIPTORS = 256;

    /** How ranks are connected. */
    private enum Way {
        SHM("SHM"),
        SHM_COPY("SHM", "shm.use.memcpy=1"),
        P2P("P2P", "p2p.host=1"),
        NET("NET");

        private final String transport;
        private final List<String> options;

        Way(String transport, String... options) {
            this.transport = transport;
            this.options = List.of(options);
        }
    }

    @TempDir
    private Path folder;

    static Stream<Arguments> cells() {
        Way[] ways = Way.values();
        Stream<Arguments> all = FaultCell.all().flatMap(cell -> Stream.of(ways)
                .filter(way -> cell.fault() == Fault.MEMORY ? way == Way.SHM : IS_LONG
                        || way.ordinal() == (cell.fault().ordinal() + cell.api().ordinal()) % ways.length)
                .map(way -> Arguments.of(cell, way)));
        return Extent.sample(4, all);
    }

    @ParameterizedTest
    @MethodSource("cells")
    void shouldSeeWhatTheTableSays(FaultCell cell, Way way) throws Exception {
        switch (cell.fault()) {
            case DESCRIPTORS -> starve(cell, way);
            case MEMORY -> fill(cell, way);
            default -> strike(cell, way);
        }
    }

    @Test
    void shouldStandInTheDocs() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "transports.md"));
        assertTrue(page.contains(FaultCell.table()), FaultCell::table);
    }

    /** A fault of a rank at work. */
    private void strike(FaultCell cell, Way way) throws Exception {
        int nRanks = cell.api() == Api.COMMUNICATOR && cell.fault() == Fault.LEAVE ? 3 : 2;
        try (FaultJob job = new FaultJob(nRanks, List.of(), "", folder, options(cell, way))) {
            job.connect(cell.api(), way.transport);
            job.awaitRunning();
            long startNs = System.nanoTime();
            begin(cell.fault(), job.victim());
            if (cell.result() == null) {
                assertGoesOn(job);
            } else {
                assertFails(job, cell, way, startNs);
            }
        }
    }

    private static void begin(Fault fault, ChildJvm victim) throws IOException {
        switch (fault) {
            case KILL -> victim.signal("KILL");
            case STOP, STOP_3S -> victim.signal("STOP");
            case LEAVE -> victim.tell(FaultRank.Misdeed.THROW.name());
            case HEAP -> victim.tell(FaultRank.Misdeed.EXHAUST.name());
            case NEVER -> victim.tell(FaultRank.Misdeed.NEVER.name());
            case OTHER -> victim.tell(FaultRank.Misdeed.OTHER.name());
            case SIZE -> victim.tell(FaultRank.Misdeed.SIZE.name());
            case THREADS, DESCRIPTORS, MEMORY -> throw new AssertionError(fault);
        }
    }

    private static void assertGoesOn(FaultJob job) throws Exception {
        // The stop is as long as it is; nothing is awaited by this.
        Thread.sleep(3000);
        job.victim().signal("CONT");
        job.survivors().forEach(rank -> rank.tell(FaultRank.Misdeed.THROW.name()));
        for (ChildJvm survivor : job.survivors()) {
            assertTrue(survivor.line().startsWith("left by"), "a stop of 3 s is no failure");
        }
    }

    private static void assertFails(FaultJob job, FaultCell cell, Way way, long startNs) {
        for (ChildJvm survivor : job.survivors()) {
            String line = survivor.line();
            System.out.printf(Locale.ROOT, "FaultMatrixTest: %s %s: after %.2f s: %s%n", cell, way,
                    (System.nanoTime() - startNs) / 1e9, line);
            assertTrue(line != null && line.startsWith("failed " + cell.result() + " "), line);
            for (String word : cell.words()) {
                assertTrue(line.contains(word.replace("PID", Long.toString(job.victim().pid()))),
                        () -> "'" + word + "' is not in: " + line);
            }
        }
    }

    /** A rank that gets no descriptor when it is to join. */
    private void starve(FaultCell cell, Way way) throws IOException {
        try (FaultJob job = new FaultJob(2, List.of("prlimit", "--nofile=" + MANY_DESCRIPTORS), "descriptors", folder,
                options(cell, way))) {
            long startNs = System.nanoTime();
            job.connect(cell.api(), way.transport);
            assertFails(job, cell, way, startNs);
        }
    }

    private void fill(FaultCell cell, Way way) throws IOException {
        Path segments = Files.createDirectories(folder.resolve("segments"));
        List<String> options = new ArrayList<>(options(cell, way));
        options.addAll(List.of("shm.segment=file", "shm.directory=" + segments));
        try (SmallFolder _ = new SmallFolder(segments);
                FaultJob job = new FaultJob(2, List.of(), "", folder, options)) {
            job.connect(cell.api(), way.transport);
            for (ChildJvm rank : job.survivors()) {
                String line = rank.line();
                assertTrue(line.startsWith("failed ") && line.contains("give it more space")
                        && line.contains(segments.toString()), line);
            }
        }
    }

    private List<String> options(FaultCell cell, Way way) {
        List<String> options = new ArrayList<>(way.options);
        options.addAll(List.of("coll.transport=" + way.transport, "threading=shared", "buffer.bytes=64K"));
        switch (cell.fault()) {
            case STOP -> options.addAll(List.of("coll.silence.timeout=3s", "peer.silence.timeout=3s"));
            case NEVER -> options.add("coll.timeout=3s");
            default -> { }
        }
        return options;
    }
}
