/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.InProcessRanks;
import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.testkit.ChildJvm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program of docs/tutorial-all-to-all.md does what the page says, and is what the page shows. */
class AllToAllTest {
    private static final Path PAGE = Path.of(System.getProperty("basedir", ".")).resolve(
            "../docs/tutorial-all-to-all.md");
    private static final int RANKS = 3;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"SHM, DEDICATED", "NET, DEDICATED", "P2P, DEDICATED", "SHM, INVOKER", "NET, INVOKER", "P2P, INVOKER",
        "NET, SHARED"})
    void shouldExchangeBlocks(String transport, ThreadingMode mode) throws Exception {
        InProcessRanks.run(RANKS, InProcessRanks.config(directory, mode).build(), runtime -> {
            for (long bytes : new long[] {1, 1000, 300_001}) {
                exchange(runtime, transport, bytes);
            }
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
            runtime.proxy().audit();
        });
    }

    private static void exchange(RankRuntime runtime, String transport, long bytes) {
        MemorySegment out = Arena.ofAuto().allocate(bytes * RANKS);
        MemorySegment in = Arena.ofAuto().allocate(bytes * RANKS);
        AllToAll allToAll = new AllToAll(runtime, transport, out, in);
        for (int round = 0; round < 20; round++) {
            for (int to = 0; to < RANKS; to++) {
                fill(out.asSlice(to * bytes, bytes), runtime.rank(), to, round);
            }
            allToAll.exchange();
            for (int from = 0; from < RANKS; from++) {
                MemorySegment expected = Arena.ofAuto().allocate(bytes);
                if (from != runtime.rank()) {
                    fill(expected, from, runtime.rank(), round);
                }
                assertEquals(-1, expected.mismatch(in.asSlice(from * bytes, bytes)), "from rank " + from);
            }
        }
    }

    private static void fill(MemorySegment block, int from, int to, int round) {
        for (long i = 0; i < block.byteSize(); i++) {
            block.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + from * 7 + to * 3 + round + 1));
        }
    }

    /** Rank 0 has the place where they meet in its process. */
    @ParameterizedTest
    @CsvSource({"SHM, 1", "NET, 1", "P2P, 1", "SHM, 0", "NET, 0"})
    void shouldEndAllWithTheNumberOfTheRankThatWasKilled(String transport, int killed) throws IOException {
        List<ChildJvm> ranks = new ArrayList<>();
        try {
            for (int rank = 0; rank < RANKS; rank++) {
                ranks.add(start(rank, transport));
            }
            for (int rank = 0; rank < RANKS; rank++) {
                ranks.get(rank).expect("rank " + rank + ": less than 1000000000 to go");
            }
            ranks.get(killed).signal("KILL");
            for (int rank = 0; rank < RANKS; rank++) {
                if (rank != killed) {
                    assertEndsWith(killed, rank, ranks.get(rank));
                }
            }
        } finally {
            ranks.forEach(ChildJvm::close);
        }
    }

    private ChildJvm start(int rank, String transport) throws IOException {
        return new ChildJvm(List.of("env", "PROXYRT_RANK=" + rank, "PROXYRT_NRANKS=" + RANKS, "PROXYRT_JOB=tutorial",
                "PROXYRT_P2P_HOST=1", "PROXYRT_DIRECTORY=" + directory.resolve("runtimes")), AllToAll.class, transport,
                "100000", "1000000000");
    }

    private static void assertEndsWith(int killed, int rank, ChildJvm survivor) {
        String line = survivor.line();
        while (line != null && line.endsWith("to go")) {
            line = survivor.line();
        }
        assertTrue(line != null && line.startsWith("rank " + rank + ": ") && line.contains("rank " + killed + " ")
                && !line.contains("rank " + (RANKS - rank - killed) + " "), "rank " + rank + " says: " + line);
        assertEquals(null, survivor.line(), "after " + line);
    }

    @Test
    void shouldBeWhatThePageShowsInLessThan80Lines() throws IOException {
        Matcher block = Pattern.compile("```java\n(import .*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
        assertTrue(block.find());
        Path source = PAGE.resolve("../../proxy-bootstrap/src/test/java/io/proxyrt/example/AllToAll.java").normalize();
        String text = Files.readString(source);
        assertEquals(text.substring(text.indexOf("import ")), block.group(1));
        assertTrue(block.group(1).lines().count() < 80);
    }
}
