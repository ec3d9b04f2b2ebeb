/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.collnet;

import static io.proxyrt.testkit.collnet.CollNetValues.assertReduced;
import static io.proxyrt.testkit.collnet.CollNetValues.fill;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data are combined right, arrive where they belong and nowhere else, whatever of a collective a call carries. */
abstract class CollNetDataConformance extends CollNetConformance {
    private final CollNetWindow window = new CollNetWindow();

    @ParameterizedTest
    @MethodSource("reductions")
    void shouldReduceByWhatItSupportsAndRefuseTheRest(DataType type, RedOp op) {
        int count = 1000;
        CollNetGroup.Post call = rank -> group.comms[rank].iallreduce(group.sends[rank], 0, group.recvs[rank], 0,
                count, type, op);
        if (!net().reduceSupport(type, op)) {
            group.assertRefused(0, call.by(0));
            return;
        }
        fillAll(type, 0);
        group.run(call);

        for (MemorySegment target : group.targets) {
            assertReduced(target.asSlice(0, count * type.sizeBytes()), type, op, RANKS, 0);
        }
    }

    static Stream<Arguments> reductions() {
        return Stream.of(DataType.values()).flatMap(type -> Stream.of(RedOp.values())
                .map(op -> Arguments.of(type, op)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 1023, 1024, 1025, 16_383, 16_385, 32_769, 65_537, 200_001, MAX_BYTES / 4})
    void shouldReduceAnyNumberOfElements(int count) {
        fillAll(DataType.INT32, 0);
        group.run(rank -> allReduce(rank, 0, 0, count));

        for (MemorySegment target : group.targets) {
            assertReduced(target.asSlice(0, 4L * count), DataType.INT32, RedOp.SUM, RANKS, 0);
            assertZero(target, 4L * count, MAX_BYTES);
        }
    }

    @Test
    void shouldReduceFromAnyOffsetToAnyOther() {
        for (MemorySegment source : group.sources) {
            fill(source.asSlice(13, 40_000), DataType.INT32, List.of(group.sources).indexOf(source), 0);
        }
        group.run(rank -> allReduce(rank, 13, 7 + rank, 10_000));

        for (int rank = 0; rank < RANKS; rank++) {
            assertZero(group.targets[rank], 0, 7 + rank);
            assertReduced(group.targets[rank].asSlice(7 + rank, 40_000), DataType.INT32, RedOp.SUM, RANKS, 0);
            assertZero(group.targets[rank], 40_007 + rank, MAX_BYTES);
        }
    }

    /** Windows of one byte, across parts, of whole parts, of none of a participant's, and of all. */
    @ParameterizedTest
    @ValueSource(strings = {"0 1", "0 1000", "999 1", "999 2", "1000 1000", "500 2000", "0 3000", "2999 1", "1 2998"})
    void shouldGatherWhatTheWindowShows(String text) {
        gather(1000, bounds(text)[0], bounds(text)[1]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 4", "0 1000", "996 4", "996 8", "1000 1000", "500 2000", "0 3000", "2996 4", "4 2992"})
    void shouldScatterWhatTheWindowShows(String text) {
        scatter(1000, bounds(text)[0], bounds(text)[1]);
    }

    @Test
    void shouldCarryOutCollectivesCutIntoManyWindows() {
        Random random = new Random(11);
        for (int i = 0; i < 30; i++) {
            int perRank = 4 * (1 + random.nextInt(20_000));
            int offset = 4 * random.nextInt(RANKS * perRank / 4);
            int bytes = 4 * (1 + random.nextInt((RANKS * perRank - offset) / 4));
            if (random.nextBoolean()) {
                gather(perRank, offset, bytes);
            } else {
                scatter(perRank, offset, bytes);
            }
        }
    }

    @Test
    void shouldCarryOutCallsOfAllKindsOneBehindTheOther() {
        int outstanding = 8;
        fillAll(DataType.INT32, 0);
        for (int round = 0; round < 20; round++) {
            List<long[]> requests = new ArrayList<>();
            for (int i = 0; i < outstanding; i++) {
                int at = i * 40_000;
                int count = 1 + (i * 977 + round) % 10_000;
                requests.add(group.post(rank -> allReduce(rank, at, at, count)));
            }
            for (long[] each : requests.reversed()) {
                group.finish(each);
            }
            for (int i = 0; i < outstanding; i++) {
                assertReduced(group.targets[round % RANKS].asSlice(i * 40_000L,
                        4L * (1 + (i * 977 + round) % 10_000)), DataType.INT32, RedOp.SUM, RANKS, i * 10_000L);
            }
        }
    }

    @Test
    void shouldCompleteRequestsInTheOrderInWhichTheyWerePosted() {
        long[] first = group.post(rank -> allReduce(rank, 0, 0, 50_000));
        long[] second = group.post(rank -> allReduce(rank, 0, 400_000, 1));
        group.finish(second);

        for (int rank = 0; rank < RANKS; rank++) {
            assertEquals(1, group.comms[rank].test(first[rank]), "a later request of participant " + rank
                    + " is complete, so test of this one has to return 1");
        }
    }

    @Test
    void shouldKeepGroupsApart() {
        try (CollNetGroup other = group(MAX_BYTES)) {
            fillAll(DataType.INT32, 0);
            for (int rank = 0; rank < RANKS; rank++) {
                fill(other.sources[rank], DataType.INT32, rank, 1000);
            }
            long[] ours = group.post(rank -> allReduce(rank, 0, 0, 1000));
            long[] theirs = other.post(rank -> other.comms[rank].iallreduce(other.sends[rank], 0, other.recvs[rank],
                    0, 1000, DataType.INT32, RedOp.MAX));
            other.finish(theirs);
            group.finish(ours);

            assertReduced(group.targets[1].asSlice(0, 4000), DataType.INT32, RedOp.SUM, RANKS, 0);
            assertReduced(other.targets[1].asSlice(0, 4000), DataType.INT32, RedOp.MAX, RANKS, 1000);
        }
    }

    @Test
    void shouldLetAnotherThreadTakeTheCommsOver() throws InterruptedException {
        fillAll(DataType.INT32, 0);
        group.run(rank -> allReduce(rank, 0, 0, 10));
        Thread other = Thread.ofPlatform().start(() -> group.run(rank -> allReduce(rank, 0, 100, 50_000)));
        other.join();

        assertReduced(group.targets[2].asSlice(100, 200_000), DataType.INT32, RedOp.SUM, RANKS, 0);
    }

    @Test
    void shouldServeAParticipantThatIsAlone() {
        try (CollNetGroup alone = CollNetGroup.connect(nets.subList(0, 1), arena, 4096)) {
            fill(alone.sources[0], DataType.FLOAT32, 0, 0);
            alone.run(rank -> alone.comms[0].iallreduce(alone.sends[0], 0, alone.recvs[0], 0, 1024, DataType.FLOAT32,
                    RedOp.SUM));
            assertReduced(alone.targets[0], DataType.FLOAT32, RedOp.SUM, 1, 0);
        }
    }

    @Test
    void shouldHaveDataInMemoryOfTheHostBeforeAnyFlush() {
        fillAll(DataType.INT32, 0);
        group.run(rank -> allReduce(rank, 0, 0, 100));
        assertReduced(group.targets[0].asSlice(0, 400), DataType.INT32, RedOp.SUM, RANKS, 0);
        assertEquals(0, group.comms[0].iflush(group.recvs[0], 0, 400), "there is nothing to wait for");
    }

    final long allReduce(int rank, long from, long to, long count) {
        return group.comms[rank].iallreduce(group.sends[rank], from, group.recvs[rank], to, count, DataType.INT32,
                RedOp.SUM);
    }

    final void fillAll(DataType type, long first) {
        for (int rank = 0; rank < RANKS; rank++) {
            fill(group.sources[rank], type, rank, first);
            group.targets[rank].fill((byte) 0);
        }
    }

    private void gather(int perRank, int offset, int bytes) {
        clear();
        MemorySegment all = MemorySegment.ofArray(new byte[RANKS * perRank]);
        for (int rank = 0; rank < RANKS; rank++) {
            for (int i = 0; i < perRank; i++) {
                all.set(ValueLayout.JAVA_BYTE, (long) rank * perRank + i, (byte) (i * 31 + rank * 50 + (i >> 8)));
            }
            window.set(perRank, offset, bytes);
            MemorySegment.copy(all, window.begin(rank), group.sources[rank], 10, window.length(rank));
        }
        group.run(rank -> group.comms[rank].iallgather(group.sends[rank], 10, group.recvs[rank], 5 + rank,
                window.set(perRank, offset, bytes)));

        for (int rank = 0; rank < RANKS; rank++) {
            assertEquals(-1, all.asSlice(offset, bytes).mismatch(group.targets[rank].asSlice(5 + rank, bytes)),
                    "participant " + rank + " got another byte there than was sent");
            assertZero(group.targets[rank], 0, 5 + rank);
            assertZero(group.targets[rank], 5 + rank + bytes, MAX_BYTES);
        }
    }

    private void scatter(int perRank, int offset, int bytes) {
        clear();
        for (int rank = 0; rank < RANKS; rank++) {
            fill(group.sources[rank].asSlice(8, bytes), DataType.INT32, rank, offset / 4);
        }
        group.run(rank -> group.comms[rank].ireducescatter(group.sends[rank], 8, group.recvs[rank], 4L * rank,
                window.set(perRank, offset, bytes), DataType.INT32, RedOp.SUM));

        window.set(perRank, offset, bytes);
        for (int rank = 0; rank < RANKS; rank++) {
            assertReduced(group.targets[rank].asSlice(4L * rank, window.length(rank)), DataType.INT32, RedOp.SUM,
                    RANKS, window.begin(rank) / 4);
            assertZero(group.targets[rank], 0, 4L * rank);
            assertZero(group.targets[rank], 4L * rank + window.length(rank), MAX_BYTES);
        }
    }

    private void clear() {
        for (MemorySegment target : group.targets) {
            target.fill((byte) 0);
        }
    }

    private static int[] bounds(String text) {
        return Stream.of(text.split(" ")).mapToInt(Integer::parseInt).toArray();
    }

    private static void assertZero(MemorySegment memory, long from, long to) {
        MemorySegment part = memory.asSlice(from, to - from);
        assertEquals(-1, part.mismatch(MemorySegment.ofArray(new byte[(int) part.byteSize()])),
                "nothing else is touched");
    }
}
