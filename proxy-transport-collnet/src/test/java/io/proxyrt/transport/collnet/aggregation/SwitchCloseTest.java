/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import static io.proxyrt.transport.collnet.aggregation.SwitchRig.SMALL;
import static io.proxyrt.transport.collnet.aggregation.SwitchRig.assertAborted;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.ServerHandshake;
import io.proxyrt.transport.collnet.wire.WireCredential;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A switch ends its groups: all participants are told why, and read what is complete, if they do so in time. */
class SwitchCloseTest {
    private static final int CHUNK = ChunkSize.of(SMALL.jobBytes());
    /** More than all sockets between two ends hold. */
    private static final int LARGE = 32 << 20;

    private final SwitchRig rig = new SwitchRig();

    @AfterEach
    void close() throws Exception {
        rig.close();
    }

    @Test
    void shouldTellParticipantsThatTheParentCloses() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(2, rig.child(SMALL, root));
        root.close();

        assertAborted(all, root.name() + " closes");
    }

    @Test
    void shouldTellParticipantsThatItClosesAmidACall() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(2, root);
        all.get(0).allReduce(DataType.INT8, RedOp.SUM, new byte[LARGE]);
        RawParticipant.await(all, () -> root.count(SwitchCounter.BYTES_IN) > 0 || all.get(0).unsentBytes() < LARGE);
        final Thread closer = Thread.ofPlatform().start(root::close);

        assertAborted(all, root.name() + " closes");
        RawParticipant.await(all, () -> !closer.isAlive());
        root.close();
        assertThrows(IOException.class, () -> SocketChannel.open(root.address()).close());
    }

    @Test
    void shouldCountWhatASlowReaderLosesWhenItsTimeIsUp() throws IOException {
        final AggregationSwitch root = root(Duration.ofMillis(200));
        final List<RawParticipant> all = rig.readyGroup(2, root);
        all.get(1).isReading(false);
        for (int calls = 1; !isBehind(root, calls - 1); calls++) {
            final int results = calls;
            SwitchRig.allReduce(all, DataType.INT8, RedOp.SUM, CHUNK, calls);
            RawParticipant.await(all, () -> all.get(0).results().size() == results);
        }
        all.get(0).close();

        SwitchRig.awaitCount(root, SwitchCounter.JOBS, 0);
        assertTrue(root.count(SwitchCounter.LOST) >= 1, root.count(SwitchCounter.LOST) + " chunks");
        assertEquals(0, root.count(SwitchCounter.LINKS));
    }

    @Test
    void shouldCountWhatASlowReaderLosesWhenItCloses() throws IOException {
        final AggregationSwitch root = root(Duration.ofMillis(200));
        stalled(root);
        root.close();

        assertTrue(root.count(SwitchCounter.LOST) >= ChunkSize.RING_SLOTS, root.count(SwitchCounter.LOST) + " chunks");
    }

    /** Three seconds are less than that, and more than a switch once gave its participants. */
    @Test
    void shouldGiveParticipantsItsTimeToCloseToReadWhatIsComplete() throws IOException {
        final AggregationSwitch root = root(Duration.ofMinutes(10));
        final List<RawParticipant> all = stalled(root);
        final Thread closer = Thread.ofPlatform().daemon().start(root::close);
        assertAborted(all.subList(0, 1), root.name() + " closes");
        final long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        RawParticipant.await(List.of(), () -> System.nanoTime() - untilNs > 0);
        all.get(1).isReading(true);

        assertAborted(all.subList(1, 2), root.name() + " closes");
        RawParticipant.await(List.of(), () -> !closer.isAlive());
        assertEquals(0, root.count(SwitchCounter.LOST));
    }

    /** All ranks of a process that closes one after the other do so. */
    @Test
    void shouldNotWaitForParticipantsThatStandStillAndCanReadAllLater() throws IOException {
        final AggregationSwitch root = root(Duration.ofMillis(Long.MAX_VALUE));
        final List<RawParticipant> all = rig.readyGroup(2, root);
        final byte[] expected = SwitchRig.allReduce(all, DataType.INT8, RedOp.SUM, CHUNK, 1);
        all.get(1).isReading(false);
        SwitchRig.await(all, participant -> participant == all.get(1) ? participant.isSent()
                : participant.results().size() == 1);
        root.close();
        all.get(1).isReading(true);

        assertAborted(all, root.name() + " closes");
        SwitchRig.assertResults(expected, all, 0);
        assertEquals(0, root.count(SwitchCounter.LOST));
    }

    /** What no acceptor lets through stands for a bug. */
    @Test
    void shouldTellParticipantsWhyTheirGroupIsDropped() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final GroupId id = SwitchRig.newGroup();
        final WireCredential credential = WireCredential.of(SwitchRig.SETTINGS);
        final RawParticipant first = rig.keep(RawParticipant.of(root.address(), credential, id, 2, 0));
        SwitchRig.await(List.of(first), RawParticipant::isAdmitted);
        final Group group = root.group(id);
        final SocketChannel impossible = rig.keep(SocketChannel.open(root.address()));
        group.thread().offer(new SwitchThread.Arrival(group, impossible, new ServerHandshake(credential)));

        assertAborted(List.of(first), root.name() + " drops " + id, "NullPointerException");
        SwitchRig.awaitCount(root, SwitchCounter.JOBS, 0);
        assertFalse(impossible.isOpen());
        rig.readyGroup(2, root);
    }

    /** Whether the first of two has the results of so many calls, and the second's socket does not take the last. */
    private static boolean isBehind(AggregationSwitch root, int results) {
        final long some = (2L * results - ChunkSize.RING_SLOTS / 2) * CHUNK;
        final long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
        RawParticipant.await(List.of(), () -> root.count(SwitchCounter.BYTES_OUT) >= some
                || System.nanoTime() - untilNs > 0);
        return root.count(SwitchCounter.BYTES_OUT) < some;
    }

    private AggregationSwitch root(Duration closeTimeout) {
        final ProxyConfig settings = ProxyConfig.builder().set(CoreOptions.SECRET, "of the test")
                .set(CoreOptions.CLOSE_TIMEOUT, closeTimeout).build();
        return rig.keep(AggregationSwitch.start(SwitchConfig.of(SwitchRig.ANY, settings).withLimits(SMALL)));
    }

    /** Two participants amid a call, of whom the second reads nothing, so that the ring is full. */
    private List<RawParticipant> stalled(AggregationSwitch root) throws IOException {
        final List<RawParticipant> all = rig.readyGroup(2, root);
        all.get(1).isReading(false);
        SwitchRig.allReduce(all, DataType.INT32, RedOp.SUM, LARGE / Integer.BYTES, 1);
        RawParticipant.await(all, () -> root.count(SwitchCounter.BACK_PRESSURE) > 0);
        return all;
    }
}
