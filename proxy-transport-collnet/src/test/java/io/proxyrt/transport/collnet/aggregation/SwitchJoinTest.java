/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import static io.proxyrt.transport.collnet.aggregation.RawParticipant.peer;
import static io.proxyrt.transport.collnet.aggregation.SwitchRig.SMALL;
import static io.proxyrt.transport.collnet.aggregation.SwitchRig.assertAborted;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.Hello;
import io.proxyrt.transport.collnet.wire.Join;
import io.proxyrt.transport.collnet.wire.WireCredential;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Participants and child switches join groups, or cannot. */
class SwitchJoinTest {
    private final SwitchRig rig = new SwitchRig();

    @AfterEach
    void close() throws Exception {
        rig.close();
    }

    private RawParticipant participant(AggregationSwitch at, GroupId group, int nRanks, int rank, Duration patience)
            throws IOException {
        return rig.keep(new RawParticipant(at.address(), WireCredential.of(SwitchRig.SETTINGS),
                Hello.ofParticipant(group, nRanks, rank, patience, RawParticipant.nameInJob(rank))));
    }

    /** These are to be told meanwhile. */
    private static void awaitCount(List<RawParticipant> all, AggregationSwitch of, SwitchCounter counter, long value) {
        RawParticipant.await(all, () -> of.count(counter) == value);
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
        assertTrue(again.refusal().contains("has participant 0 already: " + peer(0) + " from 127.0.0.1:"),
                again.refusal());
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
        assertTrue(second.getFirst().refusal().contains(root.name() + " has 1 groups already"),
                second.getFirst().refusal());
    }

    @Test
    void shouldNameTheParticipantsThatDoNotJoin() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(2)));
        final List<RawParticipant> all = rig.group(4, root);
        all.remove(2).close();

        SwitchRig.await(all, RawParticipant::isEnded);
        for (RawParticipant participant : all) {
            assertTrue(participant.abort().matches("TIMEOUT: group \\w+ was not complete within \\d+ ms: "
                    + "of its 4 participants these did not come: 2"), participant.abort());
        }
    }

    /** Of a participant that says nonsense, too: the switch waits no longer than it would without it. */
    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void shouldEndAGroupInTimeWhateverAParticipantSaysOfItsPatience(long millis) throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(2)));
        final RawParticipant only = participant(root, SwitchRig.newGroup(), 2, 0, Duration.ofMillis(millis));

        assertAborted(List.of(only), "TIMEOUT: ", "of its 2 participants these did not come: 1");
    }

    @Test
    void shouldRefuseTimesThatAreNone() {
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThrows(ProxyException.class, () -> SMALL.withTimeouts(wrong, Duration.ofSeconds(1)));
            assertThrows(ProxyException.class, () -> SMALL.withTimeouts(Duration.ofSeconds(1), wrong));
        }
    }

    @Test
    void shouldTellWhichOneLeftBeforeTheGroupWasComplete() throws IOException {
        final List<RawParticipant> all = rig.group(3, rig.root(SMALL)).subList(0, 2);
        SwitchRig.await(all, RawParticipant::isAdmitted);
        all.get(1).close();

        assertAborted(all.subList(0, 1), peer(1), " closed its connection before all participants");
    }

    @Test
    void shouldRefuseARankThatTwoSwitchesAnnounce() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final GroupId group = SwitchRig.newGroup();
        final WireCredential credential = WireCredential.of(SwitchRig.SETTINGS);
        final RawParticipant rank0 = rig.keep(RawParticipant.of(root.address(), credential, group, 2, 0));
        final RawParticipant forger = rig.keep(new RawParticipant(root.address(), credential,
                Hello.ofSwitch(group, 2, RawParticipant.PATIENCE, "switch of the test")));
        SwitchRig.await(List.of(rank0, forger), RawParticipant::isAdmitted);
        forger.raw(new Join(0, RawParticipant.PATIENCE, "another").encode().array());

        assertAborted(List.of(rank0, forger), "switch of the test", "has participant 0 already: " + peer(0));
    }

    @Test
    void shouldTellParticipantsThatTheParentIsNotThere() throws IOException {
        final InetSocketAddress unused;
        try (ServerSocketChannel taken = ServerSocketChannel.open().bind(SwitchRig.ANY)) {
            unused = (InetSocketAddress) taken.getLocalAddress();
        }
        final AggregationSwitch orphan = rig.keep(AggregationSwitch.start(
                SwitchConfig.of(SwitchRig.ANY, SwitchRig.SETTINGS).withParent(unused)));

        assertAborted(rig.group(1, orphan), "the parent 127.0.0.1:" + unused.getPort() + " of " + orphan.name()
                + ": Connection refused");
    }

    @Test
    void shouldTellParticipantsThatNoWayLeadsToTheParent() throws IOException {
        final AggregationSwitch orphan = rig.keep(AggregationSwitch.start(SwitchConfig.of(SwitchRig.ANY,
                SwitchRig.SETTINGS).withParent(new InetSocketAddress("255.255.255.255", 1))));

        assertAborted(rig.group(1, orphan), "the parent 255.255.255.255:1 of " + orphan.name());
    }

    @Test
    void shouldRefuseMoreConnectionsThanParticipants() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final GroupId group = SwitchRig.newGroup();
        final WireCredential credential = WireCredential.of(SwitchRig.SETTINGS);
        for (int i = 0; i < 2; i++) {
            final RawParticipant child = rig.keep(new RawParticipant(root.address(), credential,
                    Hello.ofSwitch(group, 2, RawParticipant.PATIENCE, "switch of the test")));
            SwitchRig.await(List.of(child), RawParticipant::isAdmitted);
        }
        final RawParticipant third = rig.keep(RawParticipant.of(root.address(), credential, group, 2, 0));

        SwitchRig.await(List.of(third), participant -> third.refusal().contains("2 connections"));
    }

    @Test
    void shouldTellParticipantsWhatTheParentRefuses() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withMost(1, 16));
        rig.readyGroup(1, root);

        assertAborted(rig.group(1, rig.child(SMALL, root)), root.name() + " has 1 groups already");
    }

    /** Its own patience is long, and so is the switch's. */
    @Test
    void shouldTellAllOfATreeWhichParticipantIsMissingBeforeOneGivesUp() throws IOException {
        final SwitchLimits patient = SMALL.withTimeouts(Duration.ofSeconds(30), Duration.ofHours(1));
        final AggregationSwitch root = rig.root(patient);
        final AggregationSwitch child = rig.child(patient, root);
        final GroupId group = SwitchRig.newGroup();
        final List<RawParticipant> all = List.of(participant(child, group, 4, 0, Duration.ofSeconds(3)),
                participant(child, group, 4, 1, RawParticipant.PATIENCE),
                participant(root, group, 4, 3, RawParticipant.PATIENCE));

        assertAborted(all, "TIMEOUT: ", "of its 4 participants these did not come: 2");
        assertTrue(all.get(1).abort().contains("the parent " + root.name().replace("switch ", "") + " of "
                + child.name()), all.get(1).abort());
    }

    /** A child switch, and one behind it, tell of a participant that waits for less. */
    @Test
    void shouldTellAllOfATreeWhichParticipantIsMissingBeforeALateOneGivesUp() throws IOException {
        final SwitchLimits patient = SMALL.withTimeouts(Duration.ofSeconds(30), Duration.ofHours(1));
        final AggregationSwitch root = rig.root(patient);
        final AggregationSwitch leaf = rig.child(patient, rig.child(patient, root));
        final GroupId group = SwitchRig.newGroup();
        final RawParticipant first = participant(leaf, group, 3, 0, RawParticipant.PATIENCE);
        SwitchRig.await(List.of(first), RawParticipant::isAdmitted);
        final RawParticipant second = participant(leaf, group, 3, 1, Duration.ofSeconds(3));

        assertAborted(List.of(first, second), "TIMEOUT: ", "of its 3 participants these did not come: 2");
    }

    @Test
    void shouldTellParticipantsThatTheParentSaysNothing() throws IOException {
        try (ServerSocketChannel silent = ServerSocketChannel.open().bind(SwitchRig.ANY)) {
            final InetSocketAddress address = (InetSocketAddress) silent.getLocalAddress();
            final AggregationSwitch child = rig.keep(AggregationSwitch.start(
                    SwitchConfig.of(SwitchRig.ANY, SwitchRig.SETTINGS).withParent(address)));
            final RawParticipant only = participant(child, SwitchRig.newGroup(), 3, 1, Duration.ofSeconds(1));

            assertAborted(List.of(only), "TIMEOUT: the parent 127.0.0.1:" + address.getPort() + " of " + child.name()
                    + " did not let it in within ", "behind it are participants {1}");
        }
    }

    @Test
    void shouldTellALateParticipantAtOnceWhyItsGroupHasEnded() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final GroupId group = SwitchRig.newGroup();
        final List<RawParticipant> early = List.of(participant(root, group, 3, 0, RawParticipant.PATIENCE),
                participant(root, group, 3, 1, RawParticipant.PATIENCE));
        SwitchRig.await(early, RawParticipant::isAdmitted);
        early.get(1).close();
        awaitCount(early.subList(0, 1), root, SwitchCounter.JOBS, 0);
        final RawParticipant late = participant(root, group, 3, 2, RawParticipant.PATIENCE);

        SwitchRig.await(List.of(late), RawParticipant::isEnded);
        assertTrue(late.refusal().contains(group + " has ended: " + peer(1)), late.refusal());
        assertEquals(0, root.count(SwitchCounter.JOBS));
    }

    @Test
    void shouldTellWhatALateChildSwitchIsTold() throws IOException {
        final AggregationSwitch root = rig.root(SMALL);
        final GroupId group = SwitchRig.newGroup();
        final RawParticipant early = participant(root, group, 2, 0, RawParticipant.PATIENCE);
        SwitchRig.await(List.of(early), RawParticipant::isAdmitted);
        early.close();
        awaitCount(List.of(), root, SwitchCounter.JOBS, 0);
        final RawParticipant late = participant(rig.child(SMALL, root), group, 2, 1, RawParticipant.PATIENCE);

        assertAborted(List.of(late), "REMOTE_ERROR: the parent ", group + " has ended: " + peer(0));
    }

    @Test
    void shouldRememberABoundedNumberOfEndedGroups() {
        final EndedGroups ended = new EndedGroups();
        final GroupId first = SwitchRig.newGroup();
        final GroupId second = SwitchRig.newGroup();
        ended.add(first, "x".repeat(10_000));
        ended.add(second, "the switch closes");
        assertTrue(ended.why(first).length() < 1000, ended.why(first));
        for (int i = 1; i < EndedGroups.MAX; i++) {
            ended.add(SwitchRig.newGroup(), "");
        }

        assertNull(ended.why(first), "the oldest one is forgotten");
        assertEquals("the switch closes", ended.why(second));
    }

    @Test
    void shouldGiveItsThreadsEquallyManyGroups() throws IOException {
        final AggregationSwitch root = rig.root(SMALL.withThreads(3));
        final List<RawParticipant> all = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            all.addAll(rig.group(1, root));
        }
        SwitchRig.await(all, RawParticipant::isReady);

        assertEquals(List.of(10L, 10L, 10L), root.loads());
    }
}
