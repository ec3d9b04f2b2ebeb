/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import static io.proxyrt.transport.collnet.aggregation.SwitchRig.SMALL;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.wire.CallHeader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AggregationTest {
    private static final int CHUNK = ChunkSize.of(SMALL.jobBytes());

    private final SwitchRig rig = new SwitchRig();

    @AfterEach
    void close() throws Exception {
        rig.close();
    }

    static Stream<Arguments> reductions() {
        return Arrays.stream(DataType.values()).flatMap(type -> Stream.of(RedOp.SUM, RedOp.PROD, RedOp.MAX, RedOp.MIN)
                .map(op -> Arguments.of(type, op)));
    }

    /** Of one element, around a block and a chunk, and of several chunks. */
    private static int[] counts(DataType type) {
        final int perChunk = CHUNK / type.sizeBytes();
        return new int[] {1, 3, 100, perChunk / 2 + 1, perChunk - 1, perChunk, perChunk + 1, 3 * perChunk + 7};
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void shouldReduceAllTypesByAllOperators(DataType type, RedOp op) throws IOException {
        assertAllReduced(rig.readyGroup(3, rig.root(SMALL)), type, op);
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void shouldReduceAllTypesByAllOperatorsInATree(DataType type, RedOp op) throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final AggregationSwitch left = rig.child(SMALL, root);
        final AggregationSwitch right = rig.child(SwitchLimits.defaults(), root);

        assertAllReduced(rig.readyGroup(5, left, right), type, op);
    }

    private static void assertAllReduced(List<RawParticipant> all, DataType type, RedOp op) {
        final List<byte[]> expected = new ArrayList<>();
        for (int count : counts(type)) {
            expected.add(SwitchRig.allReduce(all, type, op, count, expected.size()));
        }

        SwitchRig.awaitResults(all, expected.size());
        for (int call = 0; call < expected.size(); call++) {
            SwitchRig.assertResults(expected.get(call), all, call);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldServeAnyNumberOfParticipants(int nRanks) throws IOException {
        final AggregationSwitch root = rig.root(SMALL);

        assertMixed(rig.readyGroup(nRanks, root));
        assertEquals(1, root.count(SwitchCounter.JOBS));
        assertEquals(nRanks, root.count(SwitchCounter.LINKS));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8})
    void shouldServeAnyNumberOfParticipantsInATree(int nRanks) throws IOException {
        final AggregationSwitch root = rig.root(SMALL);

        assertMixed(rig.readyGroup(nRanks, rig.child(SMALL, root), rig.child(SMALL, root)));
        assertEquals(2, root.count(SwitchCounter.LINKS));
    }

    @Test
    void shouldServeParticipantsAtSwitchesOfThreeLevels() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final AggregationSwitch middle = rig.child(SMALL, root);
        final AggregationSwitch leaf = rig.child(SMALL, middle);

        assertMixed(rig.readyGroup(7, root, middle, leaf));
    }

    /** All kinds of calls behind one another, all outstanding at once. */
    private static void assertMixed(List<RawParticipant> all) {
        final int n = all.size();
        final CollNetWindow whole = new CollNetWindow().set(3 * CHUNK + 40, 0, n * (3L * CHUNK + 40));
        final CollNetWindow odd = new CollNetWindow().set(1001, 333, n * 1001L - 600);
        final CollNetWindow scattered = new CollNetWindow().set(4004, 8, n * 4004L - 400);
        final CollNetWindow one = new CollNetWindow().set(512, 512L * (n - 1) + 8, 16);

        final byte[] reduced = SwitchRig.allReduce(all, DataType.FLOAT32, RedOp.SUM, 5 * CHUNK, 1);
        final byte[] gathered = SwitchRig.allGather(all, whole, 2);
        final byte[] gatheredOddly = SwitchRig.allGather(all, odd, 3);
        final byte[][] reducedToEach = SwitchRig.reduceScatter(all, DataType.INT32, RedOp.SUM, whole, 4);
        final byte[][] reducedToSome = SwitchRig.reduceScatter(all, DataType.FLOAT16, RedOp.MAX, scattered, 5);
        final byte[] gatheredFromOne = SwitchRig.allGather(all, one, 6);
        final byte[][] reducedToOne = SwitchRig.reduceScatter(all, DataType.FLOAT64, RedOp.PROD, one, 7);
        final byte[] reducedLast = SwitchRig.allReduce(all, DataType.UINT8, RedOp.MIN, 1, 8);

        SwitchRig.awaitResults(all, 8);
        SwitchRig.assertResults(reduced, all, 0);
        SwitchRig.assertResults(gathered, all, 1);
        SwitchRig.assertResults(gatheredOddly, all, 2);
        for (int rank = 0; rank < n; rank++) {
            assertArrayEquals(reducedToEach[rank], all.get(rank).results().get(3));
            assertArrayEquals(reducedToSome[rank], all.get(rank).results().get(4));
            assertArrayEquals(reducedToOne[rank], all.get(rank).results().get(6));
        }
        SwitchRig.assertResults(gatheredFromOne, all, 5);
        SwitchRig.assertResults(reducedLast, all, 7);
    }

    @Test
    void shouldReduceInTheOrderOfParticipantsInWhateverOrderTheyCall() throws IOException {
        final List<RawParticipant> all = rig.readyGroup(3, rig.root(SMALL));
        final float[] values = {1e8f, -1e8f, 1};
        for (int rank = 2; rank >= 0; rank--) {
            final byte[] payload = new byte[Float.BYTES];
            Elements.buffer(payload).putFloat(values[rank]);
            all.get(rank).allReduce(DataType.FLOAT32, RedOp.SUM, payload);
            SwitchRig.await(all, RawParticipant::isSent);
        }

        SwitchRig.awaitResults(all, 1);
        assertEquals(1f, Elements.buffer(all.getFirst().results().getFirst()).getFloat());
    }

    @Test
    void shouldTakeACallThatIsCutIntoFrames() throws IOException {
        final List<RawParticipant> all = rig.readyGroup(2, rig.root(SMALL));
        final byte[] expected = SwitchRig.allReduce(all.subList(1, 2), DataType.INT8, RedOp.MAX, 1000, 1);
        final CollNetWindow window = new CollNetWindow().set(1000, 0, 1000);
        all.getFirst().call(CollFunction.ALL_REDUCE, DataType.INT8, RedOp.MAX, window, expected, 1000);
        // The same call again, now in three frames.
        final byte[] again = SwitchRig.allReduce(all.subList(1, 2), DataType.INT8, RedOp.MAX, 1000, 2);
        all.getFirst().callInFrames(DataType.INT8, RedOp.MAX, again, 1, 998, 1);

        SwitchRig.awaitResults(all, 2);
        SwitchRig.assertResults(expected, all, 0);
        SwitchRig.assertResults(again, all, 1);
    }

    /** The first participant's half a million frames take the thread a second; it has others to serve meanwhile. */
    @Test
    void shouldServeOtherGroupsWhileOneCallsInFramesOfAByte() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> flooding = rig.readyGroup(2, root);
        final List<RawParticipant> others = rig.readyGroup(2, root);
        final byte[][] payloads = SwitchRig.payloads(2, DataType.INT8, 512 << 10, 1);
        flooding.get(0).raw(framesOfAByte(payloads[0]));
        flooding.get(0).expect(payloads[0].length);
        flooding.get(1).allReduce(DataType.INT8, RedOp.MAX, payloads[1]);
        final List<RawParticipant> all = Stream.concat(flooding.stream(), others.stream()).toList();
        RawParticipant.await(all, () -> root.count(SwitchCounter.BYTES_IN) > CHUNK);
        for (int call = 1; call <= 16; call++) {
            final int calls = call;
            SwitchRig.allReduce(others, DataType.INT8, RedOp.SUM, 8, call);
            RawParticipant.await(all, () -> others.stream().allMatch(each -> each.results().size() == calls));
        }

        assertEquals(0, flooding.getFirst().results().size(), "the others had 16 results before");
        SwitchRig.awaitResults(flooding, 1);
        SwitchRig.assertResults(Elements.reduce(DataType.INT8, RedOp.MAX, payloads), flooding, 0);
    }

    private static byte[] framesOfAByte(byte[] payload) {
        final CollNetWindow window = new CollNetWindow().set(payload.length, 0, payload.length);
        final ByteBuffer header = ByteBuffer.allocate(CallHeader.BYTES);
        CallHeader.put(header, CollFunction.ALL_REDUCE, DataType.INT8, RedOp.MAX, 0, window, 1);
        final ByteBuffer frames = ByteBuffer.allocate(payload.length * (CallHeader.BYTES + 1));
        for (byte each : payload) {
            frames.put(header.duplicate()).put(each);
        }
        return frames.array();
    }

    @Test
    void shouldNotAllocateInSteadyState() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(3, root);
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long switchThread = threadId("proxy-switch-0");
        final CollNetWindow window = new CollNetWindow().set(CHUNK + 8, 0, 3 * (CHUNK + 8));
        long allocated = -1;
        int calls = 0;
        for (int round = 0; round < 100 && allocated != 0; round++) {
            final long before = threads.getThreadAllocatedBytes(switchThread);
            for (int i = 0; i < 10; i++) {
                SwitchRig.allReduce(all, DataType.FLOAT32, RedOp.SUM, CHUNK, i);
                SwitchRig.allGather(all, window, i);
                SwitchRig.reduceScatter(all, DataType.INT32, RedOp.MAX, window, i);
                calls += 3;
                SwitchRig.awaitResults(all, calls);
            }
            allocated = threads.getThreadAllocatedBytes(switchThread) - before;
        }

        assertEquals(0, allocated);
    }

    private static long threadId(String name) {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals(name))
                .findFirst().orElseThrow().threadId();
    }

    @Test
    void shouldServeGroupsOfSeveralThreadsAtOnce() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withThreads(3));
        final List<List<RawParticipant>> groups = new ArrayList<>();
        final List<byte[]> expected = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            groups.add(rig.readyGroup(2 + i % 3, root));
            expected.add(SwitchRig.allReduce(groups.get(i), DataType.INT32, RedOp.SUM, 10 * CHUNK, i));
        }

        final List<RawParticipant> all = groups.stream().flatMap(List::stream).toList();
        SwitchRig.awaitResults(all, 1);
        for (int i = 0; i < groups.size(); i++) {
            SwitchRig.assertResults(expected.get(i), groups.get(i), 0);
        }
        assertEquals(6, root.count(SwitchCounter.JOBS));
        assertEquals(6, root.count(SwitchCounter.CALLS));
    }
}
