/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.trace.Clocks.Clock;
import io.proxyrt.cli.trace.Clocks.Knowledge;
import io.proxyrt.cli.trace.OpSpan.State;
import io.proxyrt.cli.view.ParsedJson;
import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.EventRing;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code proxyrt trace}, of files that the test writes. */
class TraceTest {
    private static final long MS = 1_000_000;
    private final List<RankFiles> ranks = new ArrayList<>();
    @TempDir
    private Path base;

    @AfterEach
    void close() {
        ranks.forEach(RankFiles::close);
    }

    @Test
    void shouldJoinTheBeginningAndTheEndOfOps() {
        RankFiles rank = rank(0);
        rank.connected(0, Direction.SEND, 1);
        rank.op(5, EventType.DONE, 2, 0, 1, 4096);
        rank.op(10, EventType.FETCHED, 4, 0, 1, 4096);
        rank.op(11, EventType.FETCHED, 6, 0, 1, 4096);
        rank.op(12, EventType.FETCHED, 8, 0, 1, 4096);
        rank.op(20, EventType.DONE, 4, 0, 1, 1000);
        rank.op(20, EventType.BEGUN, 6, 0, 1, 16);
        List<OpSpan> ops = read().ranks().getFirst().ops();
        assertEquals(List.of(2L, 4L, 8L, 6L), ops.stream().map(OpSpan::opCount).toList());
        assertEquals(List.of(State.DONE, State.DONE, State.QUEUED, State.ACTIVE), states(ops));
        assertEquals(List.of(true, false, false, false), ops.stream().map(OpSpan::isCut).toList());
        assertEquals(10 * MS, ops.get(1).endNs() - ops.get(1).startNs());
        assertEquals(1000, ops.get(1).bytes().getAsLong());
        assertEquals(9 * MS, ops.getLast().waitedNs());
        assertTrue(ops.stream().allMatch(op -> op.way().verb().equals("send")));
    }

    @Test
    void shouldTellOfStandstillsOnlyOnceAnOpIsAdvanced() {
        RankFiles rank = rank(0);
        rank.op(1000, EventType.FETCHED, 2, 0, 1, 64);
        rank.op(1000, EventType.FETCHED, 4, 0, 1, 64);
        rank.op(2100, EventType.STALLED, 2, 0, 1, 0);
        rank.op(2100, EventType.STALLED, 4, 0, 1, 0);
        rank.op(3000, EventType.RESUMED, 2, 0, 1, 1900);
        rank.op(3100, EventType.DONE, 2, 0, 1, 64);
        List<RankTrace.Mark> marks = read().ranks().getFirst().marks();
        assertEquals(1, marks.size(), marks::toString);
        assertEquals("op 2 of rank 1, channel 0 does not move", marks.getFirst().what());
        assertEquals(1900 * MS, marks.getFirst().endNs() - marks.getFirst().startNs());
    }

    @Test
    void shouldJoinMessagesByTheirPlaceForRanksNumberTheirOwn() {
        RankFiles sender = rank(0);
        RankFiles receiver = rank(1);
        sender.connected(0, Direction.SEND, 1);
        receiver.connected(0, Direction.RECV, 0);
        // The sender's black box has forgotten the first of three.
        sender.carried(0, Direction.SEND, 1, 3);
        receiver.carried(0, Direction.RECV, 0, 3);
        for (int i = 0; i < 3; i++) {
            if (i > 0) {
                sender.whole(100 + 10 * i, 2 * i + 1, 0, 1);
            }
            receiver.whole(103 + 10 * i, 2 * i + 101, 0, 0);
        }
        JobTrace trace = read();
        assertEquals(List.of(3L, 5L), trace.pairs().stream().map(pair -> trace.send(pair).opCount()).sorted().toList());
        assertTrue(trace.pairs().stream().allMatch(pair -> trace.recv(pair).opCount()
                == trace.send(pair).opCount() + 100), trace::toString);
    }

    @Test
    void shouldNotJoinWhatCouldBeJoinedInTwoWays() {
        RankFiles sender = rank(0);
        RankFiles receiver = rank(1);
        for (int connection = 0; connection < 2; connection++) {
            sender.connected(connection, Direction.SEND, 1);
            receiver.connected(connection, Direction.RECV, 0);
            sender.whole(10, 2, connection, 1);
            receiver.whole(11, 2, connection, 0);
        }
        assertEquals(List.of(), read().pairs());
        // What only one of them has tells which is which.
        sender.whole(20, 4, 0, 1);
        receiver.whole(20, 4, 1, 0);
        sender.whole(20, 6, 1, 1);
        receiver.whole(20, 6, 0, 0);
        assertEquals(4, read().pairs().size());
    }

    @Test
    void shouldPutRanksOfSeveralHostsOnOneClock() throws IOException {
        for (int i = 0; i < 3; i++) {
            RankFiles rank = rank(i);
            rank.connected(0, Direction.SEND, (i + 1) % 3);
            rank.connected(1, Direction.RECV, (i + 2) % 3);
            for (int op = 0; op < 20; op += 2) {
                rank.whole(1000 + op * 10, op, 0, (i + 1) % 3);
                rank.whole(1003 + op * 10, op, 1, (i + 2) % 3);
            }
        }
        // A ring: between two of them, all goes one way.
        JobTrace trace = read(copy(0, 0), copy(1, 7000), copy(2, -60_000));
        assertClock(trace.clocks().get(1), 7000);
        assertClock(trace.clocks().get(2), -60_000);
        long[] starts = trace.ranks().stream().mapToLong(rank -> rank.ops().getFirst().startNs()).toArray();
        assertTrue(Math.abs(starts[1] - starts[0]) < 15 * MS && Math.abs(starts[2] - starts[0]) < 15 * MS);
        String line = "the clock of rank 1 was [67]\\.\\d{6} s ahead of that of rank 0, give or take "
                + "0\\.0\\d{5} s";
        assertTrue(trace.lines().stream().anyMatch(found -> found.matches(line)), trace.lines()::toString);
        JobTrace left = JobTrace.read(config(), List.of(copy(0, 0).toString(), copy(1, 7000).toString()), false);
        assertEquals(7000.0, (left.ranks().get(1).ops().getFirst().startNs()
                - left.ranks().get(0).ops().getFirst().startNs()) / 1e6, 500);
    }

    private static void assertClock(Clock clock, long aheadMs) {
        // What a host takes for one moment is two looks at clocks.
        assertTrue(Math.abs(clock.aheadNs() - aheadMs * MS) <= clock.errorNs() + 200 * MS, clock::toString);
        assertTrue(clock.knowledge() == Knowledge.SPAN && clock.errorNs() < 20 * MS, clock::toString);
    }

    @Test
    void shouldSayByHowMuchWhatWasSentContradictsItself() throws IOException {
        for (int i = 0; i < 2; i++) {
            RankFiles rank = rank(i);
            rank.connected(0, Direction.SEND, 1 - i);
            rank.connected(1, Direction.RECV, 1 - i);
            rank.whole(100, 2 + 2 * i, 0, 1 - i);
            // That ended 45 ms before the other rank, by the same clock, began to send it.
            rank.whole(50, 4 - 2 * i, 1, 1 - i);
        }
        RankFiles last = rank(2);
        last.connected(0, Direction.SEND, 1);
        last.connected(1, Direction.RECV, 1);
        ranks.get(1).connected(2, Direction.SEND, 2);
        ranks.get(1).connected(3, Direction.RECV, 2);
        last.whole(100, 10, 0, 1);
        last.whole(103, 12, 1, 1);
        ranks.get(1).whole(103, 10, 3, 2);
        ranks.get(1).whole(100, 12, 2, 2);
        JobTrace alone = read(copy(0, 0));
        JobTrace trace = read(copy(0, 0), copy(1, 5000), copy(2, 9000));
        assertEquals(4, trace.pairs().size());
        assertEquals(new Clock(List.of(0), 0, Knowledge.REFERENCE, 0, 0), trace.clocks().getFirst());
        assertEquals(alone.ranks().getFirst(), trace.ranks().getFirst());
        for (Clock clock : trace.clocks().subList(1, 3)) {
            assertEquals(Knowledge.CONTRADICTION, clock.knowledge());
        }
        // To rank 2 and back both ways leave 8 ms.
        assertEquals(List.of(90 * MS, 74 * MS), trace.clocks().stream().skip(1).map(Clock::errorNs).toList());
        assertTrue(trace.lines().getLast().endsWith("what was sent contradicts itself by 0.074000 s"),
                trace.lines()::toString);
    }

    @Test
    void shouldTellTheClocksOfRanksThatSentEachOtherNothingByOnesOfTheirOwn() throws IOException {
        for (int i = 0; i < 4; i++) {
            RankFiles rank = rank(i);
            rank.connected(0, Direction.SEND, i ^ 1);
            rank.connected(1, Direction.RECV, i ^ 1);
            rank.whole(100, 2, 0, i ^ 1);
            rank.whole(103, 2, 1, i ^ 1);
        }
        JobTrace trace = read(copy(0, 0), copy(1, 7000), copy(2, -60_000), copy(3, -50_000));
        assertEquals(List.of(0, 0, 2, 2), trace.clocks().stream().map(Clock::reference).toList());
        assertClock(trace.clocks().get(1), 7000);
        assertEquals(new Clock(List.of(2), 2, Knowledge.REFERENCE, 0, 0), trace.clocks().get(2));
        assertClock(trace.clocks().get(3), 10_000);
        List<String> lines = trace.lines();
        assertTrue(lines.contains("the clock of rank 2 was left by its time of day: nothing joins it to that of "
                + "rank 0"), lines::toString);
        assertTrue(lines.getLast().contains(" s ahead of that of rank 2, give or take "), lines::toString);
    }

    @Test
    void shouldTellOfCallsOfSeveralCommunicatorsByTheirTime() {
        RankFiles rank = rank(0);
        rank.called("one", 500, 700);
        rank.called("other", 400, 600);
        assertEquals(List.of("other", "one", "other", "one"), read().ranks().getFirst().calls().stream()
                .map(RankTrace.Call::communicator).toList());
    }

    @Test
    void shouldKeepWhatWasReadOfRanksThatEndMeanwhile() {
        rank(0).whole(10, 2, 0, 1);
        rank(1).whole(10, 2, 0, 0);
        JobTrace before = read();
        assertEquals(before.pairs(), before.orLater(this::read).pairs());
        assertEquals(List.of(), before.orLater(this::read).problems());
        ranks.removeLast().close();
        JobTrace left = before.orLater(this::read);
        assertEquals(before.ranks(), left.ranks());
        assertTrue(left.lines().getLast().startsWith("only 1 of 2 ranks are left; this is what they had done before "),
                left.lines()::toString);
        // Others that begin meanwhile are none of these.
        rank(2);
        JobTrace others = before.orLater(this::read);
        assertEquals(before.ranks(), others.ranks());
        assertEquals(left.problems(), others.problems());
        close();
        ranks.clear();
        JobTrace kept = before.orLater(this::read);
        assertEquals(before.ranks(), kept.ranks());
        assertTrue(kept.lines().getLast().startsWith("it has ended meanwhile: no running runtime found under "),
                kept.lines()::toString);
    }

    @Test
    void shouldKeepTwoRuntimesOfAProcessApart() throws IOException {
        rank(0).whole(10, 2, 0, 1);
        rank(0).whole(20, 4, 0, 1);
        List<Map<String, Object>> events = events(read());
        assertEquals(2, events.stream().filter(event -> event.get("ph").equals("X")).map(event -> event.get("pid"))
                .distinct().count());
    }

    /** Whose name has a process of another PID namespace, of which nothing is known here. */
    @Test
    void shouldTakeAFolderElsewhereForACopy() throws IOException {
        rank(0).op(10, EventType.FETCHED, 2, 0, 1, 64);
        Path copies = Files.createDirectory(base.resolve("copies"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path folder = Files.createDirectory(copies.resolve("r0-p1-s1-n1-0"));
        Files.copy(ranks.getFirst().directory().counters(), folder.resolve("counters"));
        assertTrue(RuntimeDirectory.find(folder).orElseThrow().isAlive());
        RankTrace copy = read(folder).ranks().getFirst();
        assertEquals("a copy", copy.process());
        assertEquals(copy.ops().getFirst().startNs(), copy.untilNs());
        assertEquals("running", read(ranks.getFirst().directory().path()).ranks().getFirst().process());
    }

    @Test
    void shouldLeaveAClockOfWhichTooLittleIsKnown() throws IOException {
        rank(0).connected(0, Direction.SEND, 1);
        rank(1).connected(0, Direction.RECV, 0);
        ranks.get(0).whole(10, 2, 0, 1);
        ranks.get(1).whole(12, 2, 0, 0);
        JobTrace trace = read(copy(0, 0), copy(1, 5000));
        assertEquals(new Clock(List.of(1), 0, Knowledge.TOO_LITTLE, 0, 0), trace.clocks().get(1));
        assertTrue(trace.lines().getLast().endsWith("too little was sent to and fro to tell"), trace.lines()::toString);
    }

    @Test
    void shouldEscapeNamesAndKeepOpsOfATimeApart() throws IOException {
        RankFiles rank = rank(0);
        rank.connected(0, Direction.SEND, 1);
        rank.whole(10, 2, 0, 1);
        rank.whole(12, 4, 1, 1);
        rank.counters().blackBox().caller("a \"caller\"\\ </script>").called(System.nanoTime(), 1,
                OpWord.word(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 0), 4096, EventRing.NO_PEER);
        rank.counters().failure(ProxyResult.REMOTE_ERROR.code(), "rank 3 \"died\"");
        List<Map<String, Object>> events = events(read());
        assertTrue(events.stream().anyMatch(event -> event.get("args").toString()
                .contains("calls of a \"caller\"\\ </script>")), events::toString);
        assertTrue(events.stream().anyMatch(event -> event.get("name").equals("#1 all_reduce of 1024 FLOAT32 SUM")));
        assertTrue(events.stream().anyMatch(event -> event.get("args").toString().contains(": rank 3 \"died\"")));
        assertEquals(2, events.stream().filter(event -> event.get("ph").equals("X"))
                .map(event -> event.get("tid")).distinct().count());
    }

    /** As programs that use no bootstrap. */
    @Test
    void shouldKeepJobsOfOneNameApart() throws IOException {
        for (int rank : new int[] {0, 1}) {
            RankFiles files = rank(rank);
            files.connected(0, rank == 0 ? Direction.SEND : Direction.RECV, 1 - rank);
            files.whole(10, 2, 0, 1 - rank);
        }
        byte[] bytes = Files.readAllBytes(ranks.getFirst().directory().counters());
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        int at = 0;
        while (file.getLong(at) != ProcessHandle.current().pid()) {
            at += Long.BYTES;
        }
        file.putLong(at, 1);
        JobTrace trace = read(Files.write(base.resolve("other"), bytes), ranks.getFirst().directory().path(),
                ranks.getLast().directory().path());
        assertEquals(List.of(), trace.pairs());
        assertEquals(3, events(trace).stream().map(event -> event.get("pid")).distinct().count());
    }

    @Test
    void shouldSayWhatIsWrongWithAFile() throws IOException {
        Path garbage = Files.write(base.resolve("garbage"), new byte[100_000]);
        assertRefused("is not ready, or holds no counters", garbage);
        assertRefused("there is no regular file of this name", base.resolve("nothing"));
        assertRefused("has 3 bytes, not ", Files.write(base.resolve("short"), new byte[3]));
        rank(9);
        assertRefused("claims to be of rank 9 of 4", copy(0, 0));
        ranks.clear();
        rank(1);
        assertRefused("rank 1 of job 'a job' is there twice", copy(0, 0), ranks.getFirst().directory().path());
        ProxyException e = assertThrows(ProxyException.class, () -> JobTrace.read(ProxyConfig.builder()
                .environment(Map.of()).set(CoreOptions.DIRECTORY, base.resolve("none").toString()).build(),
                List.of(), true));
        assertTrue(e.getMessage().startsWith("no running runtime found under "), e.getMessage());
    }

    /** Whatever a file holds: a document, or a refusal. */
    @Test
    void shouldWriteADocumentOfAnyFiles() throws IOException {
        for (int i = 0; i < 3; i++) {
            RankFiles rank = rank(i);
            rank.connected(0, Direction.SEND, (i + 1) % 3);
            rank.connected(1, Direction.RECV, (i + 2) % 3);
            for (int op = 0; op < 100; op++) {
                rank.whole(10 + op, 2 * op, 0, (i + 1) % 3);
                rank.whole(12 + op, 2 * op, 1, (i + 2) % 3);
            }
            rank.active(1000, 2, (i + 1) % 3);
        }
        Random random = new Random(27);
        int documents = 0;
        int pairs = 0;
        int active = 0;
        for (int i = 0; i < 100; i++) {
            try {
                JobTrace trace = read(bad(0, random), bad(1, random), bad(2, random));
                events(trace);
                documents++;
                pairs += trace.pairs().size();
                active += (int) trace.ranks().stream().flatMap(rank -> rank.ops().stream())
                        .filter(op -> op.opCount() == 1000).count();
            } catch (ProxyException e) {
                assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
            }
        }
        assertTrue(documents > 50 && pairs > 1000 && active > 50, documents + " documents, " + pairs + " pairs, "
                + active + " active ops");
    }

    private Path bad(int rank, Random random) throws IOException {
        byte[] bytes = Files.readAllBytes(ranks.get(rank).directory().counters());
        for (int hit = 0; hit < 300; hit++) {
            bytes[4096 + random.nextInt(bytes.length - 4096)] = (byte) random.nextInt();
        }
        return Files.write(base.resolve("bad" + rank), bytes);
    }

    private void assertRefused(String message, Path... files) {
        ProxyException e = assertThrows(ProxyException.class, () -> read(files));
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    private static List<State> states(List<OpSpan> ops) {
        return ops.stream().map(OpSpan::state).toList();
    }

    static List<Map<String, Object>> events(JobTrace trace) throws IOException {
        StringWriter text = new StringWriter();
        ChromeTrace.write(trace, text);
        return ParsedJson.objects(ParsedJson.object(text.toString()).get("traceEvents"));
    }

    private RankFiles rank(int rank) {
        ranks.add(new RankFiles(config(), rank));
        return ranks.getLast();
    }

    private JobTrace read(Path... files) {
        return JobTrace.read(config(), List.of(files).stream().map(Path::toString).toList(), true);
    }

    private Path copy(int rank, long aheadMs) throws IOException {
        return OtherHost.copy(ranks.get(rank).directory().counters(), base.resolve("host-" + rank + "/counters"),
                aheadMs);
    }

    private ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, base.resolve("runtimes").toString()).build();
    }
}
