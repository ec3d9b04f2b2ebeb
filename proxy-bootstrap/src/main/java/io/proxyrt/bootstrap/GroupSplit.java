/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Has ranks of a group form another one: NCCL's {@code ncclCommSplit} and {@code ncclCommShrink}, but no runtime. */
final class GroupSplit {
    private static final int WISH_BYTES = 3 * Integer.BYTES;

    private final RankGroup parent;
    private final GroupMail mail;
    /** How many splits of the parent there were; for names. */
    private int splits;
    private int shrinks;

    GroupSplit(RankGroup parent, GroupMail mail) {
        this.parent = parent;
        this.mail = mail;
    }

    /** What a rank wants. The number is its own for a group that it leads, if it does. */
    private record Wish(int rank, int color, int key, int number) {
        byte[] encode() {
            return ByteBuffer.allocate(WISH_BYTES).putInt(color).putInt(key).putInt(number).array();
        }

        static Wish decode(int rank, byte[] told) {
            if (told.length != WISH_BYTES) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, "rank " + rank + " told " + told.length
                        + " bytes of its split: is it at another call?");
            }
            final ByteBuffer in = ByteBuffer.wrap(told);
            return new Wish(rank, in.getInt(), in.getInt(), in.getInt());
        }
    }

    /** The members of a new group, by its numbers, as the parent numbers them. */
    record Members(SubGroup group, int[] ranks) {
    }

    /**
     * Ranks of one color form a group, in the order of their keys, and then of their numbers. Blocks until all ranks
     * of the parent have told theirs.
     *
     * @return null for a rank without color
     */
    Members split(int color, int key, Duration timeout) {
        final Wish own = new Wish(parent.rank(), color, key, mail.nextNumber());
        final byte[][] told = parent.allGather(own.encode(), timeout);
        splits++;
        if (color == RankRuntime.NO_COLOR) {
            return null;
        }
        final List<Wish> wishes = new ArrayList<>();
        for (int rank = 0; rank < told.length; rank++) {
            wishes.add(Wish.decode(rank, told[rank]));
        }
        final List<Wish> mine = wishes.stream().filter(wish -> wish.color == color)
                .sorted(Comparator.comparingInt(Wish::key).thenComparingInt(Wish::rank)).toList();
        final Wish leader = mine.getFirst();
        return members(new GroupMail.Id(parent.jobRank(leader.rank), leader.number), "split " + splits + " (color "
                + color + ") of " + parent.name(), mine.stream().mapToInt(Wish::rank).toArray());
    }

    /**
     * All ranks but some form a group, in the order of their numbers. Blocks until all of them have called it, with the
     * same ones left out.
     */
    Members shrink(BitSet excluded, Duration timeout) {
        final int[] staying = IntStream.range(0, parent.nRanks()).filter(rank -> !excluded.get(rank)).toArray();
        final String name = "shrink " + ++shrinks + " of " + parent.name();
        final Deadline end = Deadline.in(timeout);
        final byte[] mine = excluded.toByteArray();
        final StarRounds rounds = new StarRounds(parent, RoundKind.ALL_GATHER, StarRounds.SHRINK_TAG, staying, name,
                mail.bootstrap().maxBlobBytes() - GroupMail.HEAD_BYTES);
        final int number = rounds.name(mail::nextNumber, timeout);
        final byte[][] told = rounds.round(mine, Duration.ofNanos(Math.max(0, end.remainingNs())));
        for (int place = 0; place < told.length; place++) {
            requireSame(staying[place], told[place], mine);
        }
        return members(new GroupMail.Id(parent.jobRank(staying[0]), number), name, staying);
    }

    private void requireSame(int rank, byte[] theirs, byte[] mine) {
        if (!Arrays.equals(theirs, mine)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + parent.rank() + " and rank " + rank + " of "
                    + parent.name() + " shrink it by different ranks; all that stay have to leave out the same ones");
        }
    }

    private Members members(GroupMail.Id id, String name, int... ranks) {
        final SubGroup group = new SubGroup(mail, id, name, IntStream.of(ranks).map(parent::jobRank).toArray());
        BootstrapRoot.LOG.debug("{}: ranks {} of {}", group.self(), IntStream.of(ranks).mapToObj(Integer::toString)
                .collect(Collectors.joining(" ")), parent.name());
        return new Members(group, ranks);
    }
}
