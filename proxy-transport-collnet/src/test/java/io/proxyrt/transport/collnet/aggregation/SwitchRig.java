/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.WireCredential;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Switches of one secret, and groups of participants. */
final class SwitchRig implements AutoCloseable {
    static final ProxyConfig SETTINGS = ProxyConfig.builder().set(CoreOptions.SECRET, "of the test").build();
    static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    /** Of small chunks, so that few bytes make many of them. */
    static final SwitchLimits SMALL = SwitchLimits.defaults().withJobBytes(SwitchLimits.MIN_JOB_BYTES);

    private final List<AutoCloseable> open = new ArrayList<>();

    AggregationSwitch root(SwitchLimits limits) {
        return keep(AggregationSwitch.start(SwitchConfig.of(ANY, SETTINGS).withLimits(limits)));
    }

    AggregationSwitch child(SwitchLimits limits, AggregationSwitch parent) {
        return keep(AggregationSwitch.start(
                SwitchConfig.of(ANY, SETTINGS).withLimits(limits).withParent(parent.address())));
    }

    <T extends AutoCloseable> T keep(T resource) {
        open.add(resource);
        return resource;
    }

    static GroupId newGroup() {
        final byte[] key = new byte[GroupId.KEY_BYTES];
        ThreadLocalRandom.current().nextBytes(key);
        return GroupId.of(key);
    }

    /** Not connected yet: participant r at the switch r modulo their number. */
    List<RawParticipant> group(int nRanks, AggregationSwitch... switches) throws IOException {
        final GroupId id = newGroup();
        final List<RawParticipant> all = new ArrayList<>();
        for (int rank = 0; rank < nRanks; rank++) {
            all.add(keep(RawParticipant.of(switches[rank % switches.length].address(), WireCredential.of(SETTINGS), id,
                    nRanks, rank)));
        }
        return all;
    }

    List<RawParticipant> readyGroup(int nRanks, AggregationSwitch... switches) throws IOException {
        final List<RawParticipant> all = group(nRanks, switches);
        await(all, RawParticipant::isReady);
        return all;
    }

    static void await(List<RawParticipant> all, Predicate<RawParticipant> condition) {
        RawParticipant.await(all, () -> all.stream().allMatch(condition));
    }

    /** Waits until all have been told that their group ends, with these texts. */
    static void assertAborted(List<RawParticipant> all, String... texts) {
        await(all, RawParticipant::isEnded);
        for (RawParticipant participant : all) {
            for (String text : texts) {
                assertTrue(participant.abort().contains(text), text + ": " + participant);
            }
        }
    }

    static void awaitCount(AggregationSwitch of, SwitchCounter counter, long value) {
        RawParticipant.await(List.of(), () -> of.count(counter) == value);
    }

    static void awaitResults(List<RawParticipant> all, int count) {
        await(all, participant -> participant.results().size() == count || participant.isEnded());
        all.forEach(participant -> assertEquals(count, participant.results().size(), participant.toString()));
    }

    /** Queues an all-reduce of all; returns what it has to give. */
    static byte[] allReduce(List<RawParticipant> all, DataType type, RedOp op, int count, long seed) {
        final byte[][] payloads = payloads(all.size(), type, count, seed);
        for (int rank = 0; rank < all.size(); rank++) {
            all.get(rank).allReduce(type, op, payloads[rank]);
        }
        return Elements.reduce(type, op, payloads);
    }

    static byte[][] payloads(int nRanks, DataType type, int count, long seed) {
        return IntStream.range(0, nRanks).mapToObj(rank -> Elements.random(type, count, seed * 1000 + rank))
                .toArray(byte[][]::new);
    }

    /** Queues the call of a window of an all-gather; returns what it has to give. */
    static byte[] allGather(List<RawParticipant> all, CollNetWindow window, long seed) {
        final byte[] whole = Elements.random(DataType.INT8, (int) window.bytesPerRank() * all.size(), seed);
        final byte[] expected = Arrays.copyOfRange(whole, (int) window.offset(),
                (int) (window.offset() + window.bytes()));
        for (int rank = 0; rank < all.size(); rank++) {
            all.get(rank).call(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, window, part(whole, 0, window, rank),
                    expected.length);
        }
        return expected;
    }

    /** Queues the call of a window of a reduce-scatter; returns what it has to give each. */
    static byte[][] reduceScatter(List<RawParticipant> all, DataType type, RedOp op, CollNetWindow window, long seed) {
        final byte[][] payloads = payloads(all.size(), type, (int) window.bytes() / type.sizeBytes(), seed);
        final byte[] reduced = Elements.reduce(type, op, payloads);
        final byte[][] expected = new byte[all.size()][];
        for (int rank = 0; rank < all.size(); rank++) {
            expected[rank] = part(reduced, window.offset(), window, rank);
            all.get(rank).call(CollFunction.REDUCE_SCATTER, type, op, window, payloads[rank], expected[rank].length);
        }
        return expected;
    }

    private static byte[] part(byte[] bytes, long base, CollNetWindow window, int rank) {
        final int from = (int) (window.begin(rank) - base);
        return window.length(rank) == 0 ? new byte[0]
                : Arrays.copyOfRange(bytes, from, from + (int) window.length(rank));
    }

    static void assertResults(byte[] expected, List<RawParticipant> all, int call) {
        for (RawParticipant participant : all) {
            assertArrayEquals(expected, participant.results().get(call), participant.toString());
        }
    }

    @Override
    public void close() {
        Closing closing = new Closing();
        open.reversed().forEach(closing::add);
        closing.end();
    }
}
