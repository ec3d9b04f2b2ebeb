/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import static io.proxyrt.transport.collnet.aggregation.RawParticipant.peer;
import static io.proxyrt.transport.collnet.aggregation.SwitchRig.SMALL;
import static io.proxyrt.transport.collnet.aggregation.SwitchRig.assertAborted;
import static io.proxyrt.transport.collnet.aggregation.SwitchRig.awaitCount;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.wire.WireCredential;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SwitchFailureTest {
    private static final int CHUNK = ChunkSize.of(SMALL.jobBytes());
    /** More than all sockets between two ends hold. */
    private static final int LARGE = 32 << 20;

    private final SwitchRig rig = new SwitchRig();

    @AfterEach
    void close() throws Exception {
        rig.close();
    }

    private static List<RawParticipant> without(List<RawParticipant> all, int rank) {
        final List<RawParticipant> others = new ArrayList<>(all);
        others.remove(rank);
        return others;
    }

    @Test
    void shouldNameTheParticipantsThatDisagree() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(3, root);
        SwitchRig.allReduce(all, DataType.INT8, RedOp.SUM, 100, 1);
        SwitchRig.awaitResults(all, 1);
        all.get(0).allReduce(DataType.FLOAT32, RedOp.SUM, new byte[4096 * Float.BYTES]);
        all.get(2).allReduce(DataType.FLOAT32, RedOp.SUM, new byte[8]);

        assertAborted(all, "INVALID_USAGE", peer(0) + " from 127.0.0.1:",
                " asks for all_reduce of 4096 float sum (call 1)", peer(2), " for all_reduce of 2 float sum (call 1)");
        awaitCount(root, SwitchCounter.JOBS, 0);
        assertEquals(1, root.count(SwitchCounter.ABORTED));
        assertEquals(0, root.count(SwitchCounter.LINKS));
        assertEquals(0, root.count(SwitchCounter.MEMORY));
    }

    @Test
    void shouldNameTheParticipantsThatDisagreeAcrossATree() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(2, rig.child(SMALL, root), rig.child(SMALL, root));
        all.get(0).allReduce(DataType.INT32, RedOp.MAX, new byte[64]);
        all.get(1).allReduce(DataType.INT32, RedOp.MIN, new byte[64]);

        assertAborted(all, "INVALID_USAGE", "(participants 0) from 127.0.0.1:", " asks for all_reduce of 16 int32 max",
                "(participants 1) from 127.0.0.1:", " for all_reduce of 16 int32 min");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldTellTheOthersWhichOneLeftBeforeACall(int rank) throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(3, root);
        all.get(rank).close();

        assertAborted(without(all, rank), "REMOTE_ERROR", peer(rank) + " from 127.0.0.1:", " closed its connection");
        awaitCount(root, SwitchCounter.JOBS, 0);
        assertEquals(0, root.count(SwitchCounter.ABORTED), "no participant waited for anything");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldTellTheOthersWhichOneDiedAmidACall(int rank) throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(3, root);
        for (int i = 0; i < all.size(); i++) {
            if (i != rank) {
                all.get(i).allReduce(DataType.INT8, RedOp.SUM, new byte[10 * CHUNK]);
            }
        }
        all.get(rank).isReading(false);
        all.get(rank).header(CollFunction.ALL_REDUCE, DataType.INT8, RedOp.SUM,
                new CollNetWindow().set(10 * CHUNK, 0, 10 * CHUNK), 10 * CHUNK);
        all.get(rank).raw(new byte[2 * CHUNK + 100]);
        RawParticipant.await(all, () -> all.get(rank).isSent()
                && root.count(SwitchCounter.BYTES_IN) >= 3 * 2 * CHUNK);
        all.get(rank).close();

        assertAborted(without(all, rank), "REMOTE_ERROR", peer(rank), "call 0");
        awaitCount(root, SwitchCounter.JOBS, 0);
        assertEquals(1, root.count(SwitchCounter.ABORTED));
    }

    @Test
    void shouldTellAllOfATreeWhichOneDied() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final AggregationSwitch left = rig.child(SMALL, root);
        final AggregationSwitch right = rig.child(SMALL, root);
        final List<RawParticipant> all = rig.readyGroup(4, left, right);
        for (int i = 0; i < 3; i++) {
            all.get(i).allReduce(DataType.INT8, RedOp.SUM, new byte[10 * CHUNK]);
        }
        all.get(3).close();

        assertAborted(all.subList(0, 3), peer(3), " closed its connection");
        for (AggregationSwitch each : List.of(root, left, right)) {
            awaitCount(each, SwitchCounter.JOBS, 0);
        }
    }

    @Test
    void shouldDeliverWhatIsCompleteBeforeItTellsWhichOneLeft() throws IOException {
        final List<RawParticipant> all = rig.readyGroup(3, rig.root(SMALL));
        final byte[] expected = SwitchRig.allReduce(all, DataType.INT8, RedOp.SUM, 5 * CHUNK, 1);
        all.get(1).isReading(false);
        SwitchRig.await(all, participant -> participant == all.get(1) ? participant.isSent()
                : participant.results().size() == 1);
        all.get(0).close();
        all.get(1).isReading(true);

        assertAborted(without(all, 0), peer(0));
        SwitchRig.assertResults(expected, without(all, 0), 0);
    }

    @Test
    void shouldNotTouchOtherGroups() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> dying = rig.readyGroup(2, root);
        final List<RawParticipant> living = rig.readyGroup(2, root);
        dying.get(0).allReduce(DataType.INT8, RedOp.SUM, new byte[10 * CHUNK]);
        final byte[] before = SwitchRig.allReduce(living, DataType.INT8, RedOp.SUM, 10 * CHUNK, 1);
        dying.get(1).raw(new byte[] {99, 0, 0, 0, 0, 0, 0, 0});

        assertAborted(dying, peer(1), "it sent a frame of type 99");
        final byte[] after = SwitchRig.allReduce(living, DataType.INT8, RedOp.SUM, 10 * CHUNK, 2);
        SwitchRig.awaitResults(living, 2);
        SwitchRig.assertResults(before, living, 0);
        SwitchRig.assertResults(after, living, 1);
        awaitCount(root, SwitchCounter.JOBS, 1);
    }

    @Test
    void shouldBufferLittleForASlowReader() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(2, root);
        final long memory = root.count(SwitchCounter.MEMORY);
        all.get(1).isReading(false);
        final byte[] expected = SwitchRig.allReduce(all, DataType.INT32, RedOp.SUM, LARGE / 4, 1);

        RawParticipant.await(all, () -> root.count(SwitchCounter.BACK_PRESSURE) > 0);
        assertFalse(all.get(0).isSent(), "the switch stopped to read");
        assertTrue(memory <= SMALL.jobBytes() && root.count(SwitchCounter.MEMORY) == memory,
                memory + " bytes of " + SMALL.jobBytes());
        all.get(1).isReading(true);
        SwitchRig.awaitResults(all, 1);
        SwitchRig.assertResults(expected, all, 0);
        final long out = root.count(SwitchCounter.BYTES_OUT);
        assertEquals(2L * LARGE, out);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndAGroupOnceItsSlowReaderGoesOnOrLeaves(boolean goesOn) throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(2, root);
        all.get(1).isReading(false);
        SwitchRig.allReduce(all, DataType.INT32, RedOp.SUM, LARGE / 4, 1);
        RawParticipant.await(all, () -> root.count(SwitchCounter.BACK_PRESSURE) > 0);
        all.get(0).close();
        all.get(1).isReading(goesOn);
        if (goesOn) {
            assertAborted(all.subList(1, 2), peer(0));
        } else {
            all.get(1).close();
        }

        awaitCount(root, SwitchCounter.JOBS, 0);
        assertEquals(0, root.count(SwitchCounter.MEMORY));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 63, 65, Long.MAX_VALUE})
    void shouldNotTrustSizes(long payloadBytes) throws IOException {
        final List<RawParticipant> all = rig.readyGroup(2, rig.root(SMALL));
        final CollNetWindow window = new CollNetWindow().set(64, 0, 64);
        all.get(0).header(CollFunction.ALL_REDUCE, DataType.INT8, RedOp.SUM, window, payloadBytes);
        all.get(0).raw(new byte[63]);
        if (payloadBytes == 63) {
            all.get(0).raw(new byte[CHUNK]);
            all.get(1).allReduce(DataType.INT8, RedOp.SUM, new byte[64]);
        }

        assertAborted(all, peer(0), "it broke the protocol");
    }

    @Test
    void shouldRefuseCallsOutOfOrder() throws IOException {
        final List<RawParticipant> all = rig.readyGroup(2, rig.root(SMALL));
        SwitchRig.allReduce(all.subList(0, 1), DataType.INT8, RedOp.SUM, 8, 1);
        all.get(1).skipCall();
        all.get(1).allReduce(DataType.INT8, RedOp.SUM, new byte[8]);

        assertAborted(all, peer(1), "it broke the protocol: it sent call 1 instead of 0");
    }

    @Test
    void shouldRefuseAnotherSecret() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final ProxyConfig other = ProxyConfig.builder().set(CoreOptions.SECRET, "another").build();
        final RawParticipant unauthenticated = rig.keep(RawParticipant.of(root.address(), WireCredential.of(other),
                SwitchRig.newGroup(), 2, 0));

        SwitchRig.await(List.of(unauthenticated), RawParticipant::isEnded);
        assertFalse(unauthenticated.isAdmitted());
        awaitCount(root, SwitchCounter.REFUSED, 1);
        assertEquals(0, root.count(SwitchCounter.JOBS));
    }

    @Test
    void shouldAdmitParticipantsAmidAFlood() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withMost(4, 8));
        for (int i = 0; i < 100; i++) {
            rig.keep(SocketChannel.open(root.address()));
        }
        final List<RawParticipant> all = rig.readyGroup(2, root);
        final byte[] expected = SwitchRig.allReduce(all, DataType.INT8, RedOp.SUM, CHUNK, 1);

        SwitchRig.awaitResults(all, 1);
        SwitchRig.assertResults(expected, all, 0);
        RawParticipant.await(List.of(), () -> root.count(SwitchCounter.REFUSED) >= 100 - 8);
    }

    @Test
    void shouldTurnAPeerAwayThatDoesNotAuthenticateInTime() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withTimeouts(Duration.ofMillis(50), Duration.ofSeconds(30)));
        rig.keep(SocketChannel.open(root.address()));

        awaitCount(root, SwitchCounter.REFUSED, 1);
    }

    /** Its part came with the first half of what the other has to give. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFinishAReduceScatterForOthersThoughOneHasItsPartAndLeaves(boolean isBelow) throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(2, isBelow ? rig.child(SMALL, root) : root);
        final int part = 64 << 10;
        final CollNetWindow window = new CollNetWindow().set(part, 0, 2 * part);
        all.get(0).call(CollFunction.REDUCE_SCATTER, DataType.INT8, RedOp.SUM, window, new byte[2 * part], part);
        all.get(1).header(CollFunction.REDUCE_SCATTER, DataType.INT8, RedOp.SUM, window, 2 * part);
        all.get(1).raw(new byte[part]);
        all.get(1).expect(part);
        SwitchRig.await(all, participant -> !all.get(0).results().isEmpty());
        all.get(0).close();
        final RawParticipant other = all.get(1);
        final long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
        SwitchRig.await(List.of(other), participant -> System.nanoTime() - untilNs > 0);
        other.raw(new byte[part]);

        SwitchRig.await(List.of(other), participant -> !other.results().isEmpty());
        assertAborted(List.of(other), peer(0), " closed its connection");
    }
}
