/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.TuningTable.Range;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tuning profiles: what is chosen by times, the file, and what is no such file. */
class TuningProfileTest {
    private static final String HEAD = "proxyrt tuning profile 1\nmachine test, 2 CPUs\n";
    private static final Map<Algorithm, Map<Long, Double>> TIMES = Map.of(
            Algorithm.RING, Map.of(8L, 4.0, 128L, 4.0, 2048L, 8.0), Algorithm.DOUBLING, Map.of(8L, 1.0, 128L, 2.0,
            2048L, 16.0));

    @TempDir
    private Path folder;

    private static TuningProfile profile() {
        return new TuningProfile("test, 2 CPUs", List.of(
                TuningTable.of("SHM", CollFunction.ALL_REDUCE, 4, TIMES, TuningTable.CHANGE),
                new TuningTable("NET", CollFunction.BROADCAST, 2, List.of(new Range(100, Algorithm.TREE)), Map.of())));
    }

    @Test
    void shouldReadWhatItWrites() throws IOException {
        Path file = folder.resolve("new").resolve("profile");
        new TuningProfile("before", List.of()).write(file);
        profile().write(file);
        assertEquals(profile(), TuningProfile.read(file));
        assertEquals(List.of("SHM all_reduce 4 choose doubling=512 ring=any",
                "SHM all_reduce 4 us ring 8=4.000 128=4.000 2048=8.000",
                "SHM all_reduce 4 us doubling 8=1.000 128=2.000 2048=16.000", "NET broadcast 2 choose tree=100"),
                Files.readAllLines(file).stream().skip(2).filter(line -> !line.startsWith("#")).toList());
        try (Stream<Path> files = Files.list(file.getParent())) {
            assertEquals(List.of(file), files.toList());
        }
    }

    @Test
    void shouldReplaceTheTablesThatWereMeasuredAnew() {
        TuningTable anew = new TuningTable("SHM", CollFunction.ALL_REDUCE, 4,
                List.of(new Range(Long.MAX_VALUE, Algorithm.TREE)), Map.of());
        TuningProfile with = profile().with(List.of(anew));
        assertEquals(List.of(profile().tables().getLast(), anew), with.tables());
    }

    /** Both took as long half-way between 128 and 2048 bytes, by logarithms. */
    @Test
    void shouldChangeWhereBothTookAsLong() {
        assertEquals(List.of(new Range(512, Algorithm.DOUBLING), new Range(Long.MAX_VALUE, Algorithm.RING)),
                TuningTable.of("SHM", CollFunction.ALL_REDUCE, 4, TIMES, TuningTable.CHANGE).ranges());
    }

    @Test
    void shouldNotChangeForNoise() {
        assertEquals(List.of(new Range(Long.MAX_VALUE, Algorithm.RING)), ranges(
                Map.of(8L, 1.0, 32L, 1.05, 128L, 1.0, 512L, 1.0), Map.of(8L, 1.05, 32L, 1.0, 128L, 1.2, 512L, 1.0)));
        assertEquals(3, ranges(Map.of(8L, 1.0, 32L, 1.5, 128L, 1.0), Map.of(8L, 1.5, 32L, 1.0, 128L, 1.5)).size(),
                "half as long again is no noise");
        assertEquals(2, ranges(Map.of(8L, 1.08, 32L, 1.08, 128L, 1.0, 512L, 1.0),
                Map.of(8L, 1.0, 32L, 1.0, 128L, 1.5, 512L, 1.5)).size(), "a little at several sizes is no noise");
    }

    private static List<Range> ranges(Map<Long, Double> ring, Map<Long, Double> tree) {
        return TuningTable.of("NET", CollFunction.REDUCE, 4, Map.of(Algorithm.RING, ring, Algorithm.TREE, tree),
                TuningTable.CHANGE).ranges();
    }

    @Test
    void shouldChangeLessWhereTimesAreLessExact() {
        assertEquals(List.of(new Range(Long.MAX_VALUE, Algorithm.DOUBLING)), TuningTable.of("SHM",
                CollFunction.ALL_REDUCE, 4, TIMES, 1).ranges());
    }

    @Test
    void shouldChangeBetweenSizesWhereAnAlgorithmEnds() {
        assertEquals(List.of(new Range(200, Algorithm.TREE), new Range(Long.MAX_VALUE, Algorithm.RING)),
                ranges(Map.of(100L, 2.0, 400L, 2.0), Map.of(100L, 1.0)));
    }

    @ParameterizedTest
    @CsvSource({"100, 2", "400, 8", "200, 4", "99, ", "401, "})
    void shouldTellHowLongACallTakesBetweenSizes(long bytes, Double us) {
        TuningTable table = new TuningTable("SHM", CollFunction.REDUCE, 2, List.of(new Range(1, Algorithm.RING)),
                Map.of(Algorithm.RING, Map.of(100L, 2.0, 400L, 8.0)));
        assertEquals(Optional.ofNullable(us), table.timeUs(Algorithm.RING, bytes)
                .map(time -> Math.rint(time * 1e9) / 1e9));
        assertEquals(Optional.empty(), table.timeUs(Algorithm.TREE, bytes));
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "3, 4", "4, 4", "5, 4", "6, 8", "8, 8", "16, 8", "17, -1"})
    void shouldTakeTheNearestNumberOfRanks(int nRanks, int expected) {
        List<TuningTable> tables = Stream.of(2, 4, 8).map(ranks -> new TuningTable("SHM", CollFunction.REDUCE, ranks,
                List.of(new Range(ranks, Algorithm.TREE)), Map.of())).toList();
        TuningProfile profile = new TuningProfile("test", tables);
        assertEquals(expected, profile.nearest(HostPath.SHM.name(), CollFunction.REDUCE, nRanks).map(TuningTable::ranks)
                .orElse(-1));
        assertTrue(profile.nearest(HostPath.NET.name(), CollFunction.REDUCE, nRanks).isEmpty());
        assertTrue(profile.nearest(HostPath.MIXED.name(), CollFunction.REDUCE, nRanks).isEmpty());
        assertTrue(profile.nearest(HostPath.SHM.name(), CollFunction.BROADCAST, nRanks).isEmpty());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            SHM all_reduce 4                         | 3 words, after 0 tables
            SHM all_reduce 4 choose                  | 0 ranges: must be 1 to 256
            SHM all_reduce 4 take ring=any           | 'take' is neither choose nor us
            SHM all_reduce 4 choose ring             | 'ring' is no pair with one =
            SHM all_reduce 4 choose ring=1=2         | 'ring=1=2' is no pair with one =
            SHM all_reduce 4 choose ring=x           | For input string: "x"
            SHM all_reduce 4 choose ring=0           | a range up to 0 bytes behind 0
            SHM all_reduce 4 choose tree=8 ring=8    | a range up to 8 bytes behind 8
            SHM all_reduce 4 choose tree=any ring=any | a range up to 9223372036854775807 bytes behind
            SHM all_reduce 4 choose ring=-8          | a range up to -8 bytes behind 0
            SHM all_reduce 4 choose collnetchain=any | 'collnetchain' is no algorithm of kernels of the host
            SHM all_reduce 4 choose ri/ng=any        | 'ri/ng' is no algorithm
            SHM all_to_all 4 choose ring=any         | 'all_to_all' is no function with a choice
            SHM all_reduce 1 choose ring=any         | 1 ranks: must be 2 to 1048576
            SHM all_reduce 99999999999 choose ring=any | For input string: "99999999999"
            P2P all_reduce 4 choose ring=any         | transport 'P2P': must be SHM or NET
            SHM all_reduce 4 us ring 8=1             | times of SHM all_reduce 4 behind no line with its ranges
            """)
    void shouldSayWhichLineIsWrong(String line, String reason) {
        requireRefused(HEAD + "\n" + line + "\n", "f, line 4: " + reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            us                | times of SHM all_reduce 4 behind no line with its ranges, or none at all
            us ring           | times of SHM all_reduce 4 behind no line with its ranges, or none at all
            us ring 8=NaN     | 8 bytes in NaN us: both must be more than 0
            us ring 8=0       | 8 bytes in 0.0 us
            us ring 8=1e999   | 8 bytes in Infinity us
            us ring 0=1       | 0 bytes in 1.0 us
            us ring 8=1 8=2   | '8=2' is there twice
            us rings 8=1      | 'rings' is no algorithm
            choose ring=any   | 'SHM all_reduce 4' is there twice
            """)
    void shouldSayWhichLineOfATableIsWrong(String words, String reason) {
        requireRefused(HEAD + "SHM all_reduce 4 choose ring=any\nSHM all_reduce 4 " + words + "\n",
                "f, line 4: " + reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "proxyrt tuning profile 2\nmachine m\n", "proxyrt tuning profile 1\n", "\0\1\2",
        "proxyrt tuning profile 1\nmachine \n", "proxyrt tuning profile 1\nmachine a\u0007b\n"})
    void shouldRefuseWhatIsNoProfile(String text) {
        requireRefused(text, "");
    }

    @Test
    void shouldRefuseMoreThanAMachineHas() {
        StringBuilder many = new StringBuilder(HEAD);
        for (int ranks = 2; ranks < 1000; ranks++) {
            many.append("SHM reduce ").append(ranks).append(" choose ring=any\n");
        }
        requireRefused(many.toString(), "f, line 516: 5 words, after 513 tables");
        requireRefused(HEAD + "SHM reduce 2 choose" + " ring=1".repeat(257), "f, line 3: 257 ranges");
        requireRefused(HEAD.replace("test", "x".repeat(300)), "f: the machine of a tuning profile");
    }

    private static void requireRefused(String text, String reason) {
        ProxyException failure = assertThrows(ProxyException.class, () -> TuningText.parse("f", text));
        assertTrue(failure.getMessage().startsWith(reason), failure.getMessage());
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
    }

    @Test
    void shouldReadNoFileThatOthersCanWrite() throws IOException {
        Path file = folder.resolve("profile");
        profile().write(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertTrue(assertThrows(ProxyException.class, () -> TuningProfile.read(file)).getMessage()
                .contains("others may write it"));
        Files.write(file, new byte[(256 << 10) + 1]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertTrue(assertThrows(ProxyException.class, () -> TuningProfile.read(file)).getMessage()
                .contains("more than 262144 bytes"));
        assertEquals(ProxyResult.SYSTEM_ERROR, assertThrows(ProxyException.class,
                () -> TuningProfile.read(folder.resolve("absent"))).result());
        assertEquals(ProxyResult.SYSTEM_ERROR, assertThrows(ProxyException.class,
                () -> profile().write(file.resolve("below a file"))).result());
    }

    private static ProxyConfig config(String file, Map<String, String> environment) {
        return ProxyConfig.builder().environment(environment).set(CollectivesOptions.TUNING_PROFILE, file).build();
    }

    @Test
    void shouldGoWithoutAProfileThatIsNotOfThisMachine() throws IOException {
        Path file = folder.resolve("profile");
        profile().write(file);
        for (String option : List.of(file.toString(), folder.resolve("absent").toString(), folder.toString(), "none",
                "\0", "")) {
            assertEquals(List.of(), TuningSource.of(config(option, Map.of())).tables(), option);
        }
        Files.writeString(file, "proxyrt tuning profile 1\nmachine " + TuningProfile.thisMachine() + "\nnonsense\n");
        assertEquals(List.of(), TuningSource.of(config(file.toString(), Map.of())).tables());
    }

    @ParameterizedTest
    @CsvSource({"PROXYRT_COLL_GATHER_BYTES, 0", "PROXYRT_COLL_DIRECT_DOUBLING_BYTES, 1",
        "PROXYRT_COLL_DOUBLING_BYTES, 0", "PROXYRT_COLL_TREE_BYTES, 2", "PROXYRT_COLL_PAT_BYTES, 0"})
    void shouldLeaveToTheUserWhatTheUserHasSetLimitsFor(String variable, int removed) {
        Path file = folder.resolve("profile");
        new TuningProfile(TuningProfile.thisMachine(), profile().tables()).write(file);
        assertEquals(2 - removed, TuningSource.of(config(file.toString(), Map.of(variable, "1K"))).tables().size());
    }
}
