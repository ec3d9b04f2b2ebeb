/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import static io.proxyrt.transport.collnet.aggregation.SwitchRig.SMALL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.Hello;
import io.proxyrt.transport.collnet.wire.Join;
import io.proxyrt.transport.collnet.wire.WireCredential;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

    private static void assertAborted(List<RawParticipant> all, String... texts) {
        SwitchRig.await(all, RawParticipant::isEnded);
        for (RawParticipant participant : all) {
            for (String text : texts) {
                assertTrue(participant.abort().contains(text), text + ": " + participant);
            }
        }
    }

    private static void awaitCount(AggregationSwitch of, SwitchCounter counter, long value) {
        RawParticipant.await(List.of(), () -> of.count(counter) == value);
    }

    @Test
    void shouldNameThoseWhoDisagree() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(3, root);
        SwitchRig.allReduce(all, DataType.INT8, RedOp.SUM, 100, 1);
        SwitchRig.awaitResults(all, 1);
        all.get(0).allReduce(DataType.FLOAT32, RedOp.SUM, new byte[4096 * Float.BYTES]);
        all.get(2).allReduce(DataType.FLOAT32, RedOp.SUM, new byte[8]);

        assertAborted(all, "INVALID_USAGE", "rank 0 (pid 1 at test) asks for all_reduce of 4096 float sum (call 1)",
                "rank 2 (pid 1 at test) for all_reduce of 2 float sum (call 1)");
        awaitCount(root, SwitchCounter.JOBS, 0);
        assertEquals(1, root.count(SwitchCounter.ABORTED));
        assertEquals(0, root.count(SwitchCounter.LINKS));
        assertEquals(0, root.count(SwitchCounter.MEMORY));
    }

    @Test
    void shouldNameThoseWhoDisagreeAcrossATree() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(2, rig.child(SMALL, root), rig.child(SMALL, root));
        all.get(0).allReduce(DataType.INT32, RedOp.MAX, new byte[64]);
        all.get(1).allReduce(DataType.INT32, RedOp.MIN, new byte[64]);

        assertAborted(all, "INVALID_USAGE", "(ranks 0) asks for all_reduce of 16 int32 max",
                "(ranks 1) for all_reduce of 16 int32 min");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldTellTheOthersWhoLeftBeforeACall(int rank) throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final List<RawParticipant> all = rig.readyGroup(3, root);
        all.get(rank).close();

        assertAborted(without(all, rank), "REMOTE_ERROR", "rank " + rank + " (pid 1 at test) closed its connection");
        awaitCount(root, SwitchCounter.JOBS, 0);
        assertEquals(0, root.count(SwitchCounter.ABORTED), "nobody waited for anything");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldTellTheOthersWhoDiedAmidACall(int rank) throws IOException {
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

        assertAborted(without(all, rank), "REMOTE_ERROR", "rank " + rank + " (pid 1 at test)", "call 0");
        awaitCount(root, SwitchCounter.JOBS, 0);
        assertEquals(1, root.count(SwitchCounter.ABORTED));
    }

    @Test
    void shouldTellAllOfATreeWhoDied() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final AggregationSwitch left = rig.child(SMALL, root);
        final AggregationSwitch right = rig.child(SMALL, root);
        final List<RawParticipant> all = rig.readyGroup(4, left, right);
        for (int i = 0; i < 3; i++) {
            all.get(i).allReduce(DataType.INT8, RedOp.SUM, new byte[10 * CHUNK]);
        }
        all.get(3).close();

        assertAborted(all.subList(0, 3), "rank 3 (pid 1 at test) closed its connection");
        for (AggregationSwitch each : List.of(root, left, right)) {
            awaitCount(each, SwitchCounter.JOBS, 0);
        }
    }

    @Test
    void shouldDeliverWhatIsCompleteBeforeItTellsWhoLeft() throws IOException {
        final List<RawParticipant> all = rig.readyGroup(3, rig.root(SMALL));
        final byte[] expected = SwitchRig.allReduce(all, DataType.INT8, RedOp.SUM, 5 * CHUNK, 1);
        all.get(1).isReading(false);
        SwitchRig.await(all, participant -> participant == all.get(1) ? participant.isSent()
                : participant.results().size() == 1);
        all.get(0).close();
        all.get(1).isReading(true);

        assertAborted(without(all, 0), "rank 0");
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

        assertAborted(dying, "rank 1 (pid 1 at test)", "it sent a frame of type 99");
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
            assertAborted(all.subList(1, 2), "rank 0 (pid 1 at test)");
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

        assertAborted(all, "rank 0 (pid 1 at test)", "it broke the protocol");
    }

    @Test
    void shouldRefuseCallsOutOfOrder() throws IOException {
        final List<RawParticipant> all = rig.readyGroup(2, rig.root(SMALL));
        SwitchRig.allReduce(all.subList(0, 1), DataType.INT8, RedOp.SUM, 8, 1);
        all.get(1).skipCall();
        all.get(1).allReduce(DataType.INT8, RedOp.SUM, new byte[8]);

        assertAborted(all, "rank 1 (pid 1 at test)", "it broke the protocol: it sent call 1 instead of 0");
    }

    @Test
    void shouldRefuseAnotherSecret() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final ProxyConfig other = ProxyConfig.builder().set(CoreOptions.SECRET, "another").build();
        final RawParticipant stranger = rig.keep(RawParticipant.of(root.address(), WireCredential.of(other),
                SwitchRig.newGroup(), 2, 0));

        SwitchRig.await(List.of(stranger), RawParticipant::isEnded);
        assertFalse(stranger.isAdmitted());
        awaitCount(root, SwitchCounter.REFUSED, 1);
        assertEquals(0, root.count(SwitchCounter.JOBS));
    }

    @Test
    void shouldRefuseASecondOfARankAndAnotherNumberOfRanks() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final GroupId group = SwitchRig.newGroup();
        final WireCredential credential = WireCredential.of(SwitchRig.SETTINGS);
        final RawParticipant first = rig.keep(RawParticipant.of(root.address(), credential, group, 2, 0));
        SwitchRig.await(List.of(first), RawParticipant::isAdmitted);
        final RawParticipant again = rig.keep(RawParticipant.of(root.address(), credential, group, 2, 0));
        final RawParticipant third = rig.keep(RawParticipant.of(root.address(), credential, group, 3, 1));

        SwitchRig.await(List.of(again, third), RawParticipant::isEnded);
        assertTrue(again.refusal().contains("there is a rank 0"), again.refusal());
        assertTrue(third.refusal().contains("has 2 participants, not 3"), third.refusal());
        final RawParticipant last = rig.keep(RawParticipant.of(root.address(), credential, group, 2, 1));
        SwitchRig.await(List.of(first, last), RawParticipant::isReady);
    }

    @Test
    void shouldTakeNoMoreGroupsThanItMay() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withMost(1, 16));
        rig.readyGroup(1, root);
        final List<RawParticipant> second = rig.group(1, root);

        SwitchRig.await(second, RawParticipant::isEnded);
        assertTrue(second.getFirst().refusal().contains("1 groups already"), second.getFirst().refusal());
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
    void shouldTurnAwayWhoDoesNotSayWhoItIs() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withTimeouts(Duration.ofMillis(50), Duration.ofSeconds(30)));
        rig.keep(SocketChannel.open(root.address()));

        awaitCount(root, SwitchCounter.REFUSED, 1);
    }

    @Test
    void shouldNameWhoDoesNotJoin() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withTimeouts(Duration.ofSeconds(30), Duration.ofMillis(300)));
        final List<RawParticipant> all = rig.group(4, root);
        all.remove(2).close();

        assertAborted(all.subList(0, 2), "TIMEOUT", "of 4 ranks there is none of 2");
    }

    @Test
    void shouldTellWhoLeftBeforeTheGroupWasComplete() throws IOException {
        final List<RawParticipant> all = rig.group(3, rig.root(SMALL)).subList(0, 2);
        SwitchRig.await(all, RawParticipant::isAdmitted);
        all.get(1).close();

        assertAborted(all.subList(0, 1), "rank 1 (pid 1 at test) closed its connection before all participants");
    }

    @Test
    void shouldRefuseARankThatTwoSwitchesAnnounce() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final GroupId group = SwitchRig.newGroup();
        final WireCredential credential = WireCredential.of(SwitchRig.SETTINGS);
        final RawParticipant rank0 = rig.keep(RawParticipant.of(root.address(), credential, group, 2, 0));
        final RawParticipant forger = rig.keep(new RawParticipant(root.address(), credential,
                Hello.ofSwitch(group, 2, "switch of the test")));
        SwitchRig.await(List.of(rank0, forger), RawParticipant::isAdmitted);
        forger.raw(new Join(0, "another rank 0").encode().array());

        assertAborted(List.of(rank0, forger), "switch of the test", "there is a rank 0");
    }

    @Test
    void shouldTellParticipantsThatTheParentIsNotThere() throws IOException {
        final InetSocketAddress nobody;
        try (ServerSocketChannel taken = ServerSocketChannel.open().bind(SwitchRig.ANY)) {
            nobody = (InetSocketAddress) taken.getLocalAddress();
        }
        final AggregationSwitch orphan = rig.keep(AggregationSwitch.start(
                SwitchConfig.of(SwitchRig.ANY, SwitchRig.SETTINGS).withParent(nobody)));

        assertAborted(rig.group(1, orphan), "the parent of " + orphan.name());
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
        assertAborted(List.of(other), "rank 0 (pid 1 at test) closed its connection");
    }

    @Test
    void shouldTellParticipantsThatNoWayLeadsToTheParent() throws IOException {
        final AggregationSwitch orphan = rig.keep(AggregationSwitch.start(SwitchConfig.of(SwitchRig.ANY,
                SwitchRig.SETTINGS).withParent(new InetSocketAddress("255.255.255.255", 1))));

        assertAborted(rig.group(1, orphan), "the parent of " + orphan.name());
    }

    @Test
    void shouldRefuseMoreConnectionsThanParticipants() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final GroupId group = SwitchRig.newGroup();
        final WireCredential credential = WireCredential.of(SwitchRig.SETTINGS);
        for (int i = 0; i < 2; i++) {
            final RawParticipant child = rig.keep(new RawParticipant(root.address(), credential,
                    Hello.ofSwitch(group, 2, "switch of the test")));
            SwitchRig.await(List.of(child), RawParticipant::isAdmitted);
        }
        final RawParticipant third = rig.keep(RawParticipant.of(root.address(), credential, group, 2, 0));

        SwitchRig.await(List.of(third), participant -> third.refusal().contains("2 connections"));
    }

    @Test
    void shouldTellParticipantsWhatTheParentRefuses() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withMost(1, 16));
        rig.readyGroup(1, root);

        assertAborted(rig.group(1, rig.child(SMALL, root)), "1 groups already");
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
    void shouldOpenToOtherHostsOnlyWithASecret() {
        final ProxyConfig none = ProxyConfig.builder().set(CoreOptions.SECRET, "").build();
        final InetSocketAddress everywhere = new InetSocketAddress(0);

        final ProxyException e = assertThrows(ProxyException.class,
                () -> AggregationSwitch.start(SwitchConfig.of(everywhere, none)).close());
        assertEquals(ProxyResult.INVALID_USAGE, e.result());
        assertTrue(e.getMessage().contains(CoreOptions.SECRET_FILE.environmentName()), e.getMessage());
        AggregationSwitch.start(SwitchConfig.of(everywhere, SwitchRig.SETTINGS)).close();
    }

    @Test
    void shouldServeThisUserWithoutASecret() throws IOException {
        final ProxyConfig none = ProxyConfig.builder().set(CoreOptions.SECRET, "").build();
        final AggregationSwitch open = rig.keep(AggregationSwitch.start(SwitchConfig.of(SwitchRig.ANY, none)));
        final RawParticipant only = rig.keep(RawParticipant.of(open.address(), WireCredential.of(none),
                SwitchRig.newGroup(), 1, 0));

        SwitchRig.await(List.of(only), RawParticipant::isReady);
    }

    @Test
    void shouldServeBehindASocketThatIsBoundAlready() throws IOException {
        final byte[] key = new byte[GroupId.KEY_BYTES];
        key[0] = 1;
        final ServerSocketChannel server = ServerSocketChannel.open().bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        final AggregationSwitch embedded = rig.keep(AggregationSwitch.start(
                SwitchConfig.ofGroup(SwitchRig.ANY, SwitchRig.SETTINGS, key), server));
        final RawParticipant only = rig.keep(RawParticipant.of(embedded.address(),
                WireCredential.ofGroup(SwitchRig.SETTINGS, key), GroupId.of(key), 1, 0));

        SwitchRig.await(List.of(only), RawParticipant::isReady);
        assertTrue(embedded.describe().contains("1 groups, 1 connections"), embedded.describe());
    }

    @Test
    void shouldShowItsCountersToOtherProcesses(@TempDir Path folder) throws IOException {
        final ProxyConfig settings = ProxyConfig.builder().set(CoreOptions.SECRET, "of the test")
                .set(CoreOptions.DIRECTORY, folder.resolve("runtimes").toString()).build();
        final AggregationSwitch shown = AggregationSwitch.start(SwitchConfig.of(SwitchRig.ANY, settings).shown());
        final List<RawParticipant> all = rig.readyGroup(2, shown);
        final Path counters = RuntimeDirectory.list(settings).getFirst().counters();

        try (CountersReader reader = CountersReader.open(counters)) {
            assertEquals(shown.name(), reader.job());
            assertEquals(SwitchCounter.JOBS.label(), reader.label(0));
            RawParticipant.await(all, () -> reader.value(0) == 1 && reader.value(1) == 2);
        }
        shown.close();
        assertEquals(List.of(), RuntimeDirectory.list(settings));
    }

    @Test
    void shouldSayWhatListensAlready() {
        final AggregationSwitch root = rig.root(SMALL);

        final ProxyException e = assertThrows(ProxyException.class,
                () -> AggregationSwitch.start(SwitchConfig.of(root.address(), SwitchRig.SETTINGS)));
        assertTrue(e.getMessage().contains("cannot listen at"), e.getMessage());
    }
}
