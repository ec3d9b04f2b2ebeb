/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * All-gathers or barriers of some ranks of a group, by messages: each sends its part to the first of them, which sends
 * all parts to each. That one knows who is missing, and a round ends alike for all. Thread-safe; one
 * round follows the other.
 *
 * <p>Where members may not have made the same rounds before, the first one {@linkplain #name names} the next.
 *
 * <pre>
 *  name    i sequence
 *  part    i sequence | blob
 *  answer  i sequence | ok 1 | n times: i member, i length, blob       as many answers as it takes
 *          i sequence | ok 0 | i result | text
 * </pre>
 */
final class StarRounds {
    /** Of those that stay in a shrink. */
    static final int SHRINK_TAG = GroupMail.TAG + 1;
    static final int GATHER_TAG = GroupMail.TAG + 4;
    static final int BARRIER_TAG = GroupMail.TAG + 6;
    static final int NAME_TAG = GroupMail.TAG + 8;
    private static final int HEAD_BYTES = Integer.BYTES + 1;
    private static final int ENTRY_BYTES = 2 * Integer.BYTES;
    /** For the first member to say who is missing. */
    private static final long EXTRA_NS = 1_000_000_000;
    /** After which a queue that was full is tried again. */
    private static final long RETRY_NS = 1_000_000;

    private final RankGroup group;
    private final RoundKind kind;
    private final int partTag;
    private final int answerTag;
    private final int[] members;
    private final int place;
    private final String name;
    private final int maxBytes;
    private int sequence;

    /**
     * Rounds of these ranks.
     *
     * @param tag      of parts; the one behind it is that of answers
     * @param members  by the group's numbers; this rank is one of them
     * @param maxBytes of a message
     */
    StarRounds(RankGroup group, RoundKind kind, int tag, int[] members, String name, int maxBytes) {
        this.group = group;
        this.kind = kind;
        this.partTag = tag;
        this.answerTag = tag + 1;
        this.members = members;
        this.place = place(group.rank(), members);
        this.name = name;
        this.maxBytes = maxBytes;
    }

    private static int place(int rank, int... members) {
        int place = 0;
        while (members[place] != rank) {
            place++;
        }
        return place;
    }

    /** Most bytes of a blob. */
    int maxBlobBytes() {
        return maxBytes - HEAD_BYTES - ENTRY_BYTES;
    }

    /**
     * Has the first member say which number the next round has, so that what is left of rounds that failed before is
     * not taken for it. Blocks the others until it does.
     *
     * @param next of the first member: numbers that it used for no round of the group yet, one greater than the other
     * @return the number
     */
    synchronized int name(IntSupplier next, Duration timeout) {
        final long deadlineNs = System.nanoTime() + Deadline.nanos(timeout);
        if (place == 0) {
            sequence = next.getAsInt();
            tell(NAME_TAG, ByteBuffer.allocate(Integer.BYTES).putInt(sequence).array(), deadlineNs);
        } else {
            final byte[] told = hear(NAME_TAG, deadlineNs, timeout, name);
            requireSense(told.length == Integer.BYTES, members[0]);
            sequence = ByteBuffer.wrap(told).getInt();
        }
        return sequence;
    }

    /** Takes part in the next round; returns a blob of each member, by their places. */
    synchronized byte[][] round(byte[] mine, Duration timeout) {
        final int number = sequence++;
        final String what = kind + " " + number + " of " + name;
        return place == 0 ? lead(number, mine, timeout, what) : follow(number, mine, timeout, what);
    }

    private byte[][] lead(int number, byte[] mine, Duration timeout, String what) {
        final byte[][] parts = new byte[members.length][];
        parts[0] = mine.clone();
        final long deadlineNs = System.nanoTime() + Deadline.nanos(timeout);
        try {
            gather(number, parts, deadlineNs, timeout, what);
        } catch (ProxyException e) {
            final byte[] text = MessageCodec.utf8(e.getMessage());
            answer(head(number, false, Integer.BYTES + text.length).putInt(e.result().code()).put(text),
                    deadlineNs + EXTRA_NS);
            throw e;
        }
        answer(number, parts, deadlineNs + EXTRA_NS);
        return parts;
    }

    private void gather(int number, byte[][] parts, long deadlineNs, Duration timeout, String what) {
        final List<Integer> missing = new ArrayList<>();
        for (int place = 1; place < members.length; place++) {
            try {
                parts[place] = part(members[place], number, deadlineNs);
            } catch (ProxyException e) {
                if (e.result() != ProxyResult.TIMEOUT) {
                    throw e;
                }
                missing.add(members[place]);
            }
        }
        if (!missing.isEmpty()) {
            final int[] ranks = missing.stream().mapToInt(Integer::intValue).toArray();
            throw new ProxyException(ProxyResult.TIMEOUT, what + ": " + Wording.ranks(ranks) + " did not come within "
                    + Wording.duration(timeout));
        }
    }

    /** Parts of earlier rounds are those of ranks that came late. */
    private byte[] part(int member, int number, long deadlineNs) {
        while (true) {
            final ByteBuffer in = ByteBuffer.wrap(group.receive(member, partTag,
                    Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())), _ -> { }));
            requireSense(in.remaining() >= Integer.BYTES, member);
            final int theirs = in.getInt();
            requireSense(theirs - number <= 0, member);
            if (theirs == number) {
                return rest(in);
            }
        }
    }

    private void answer(int number, byte[][] parts, long deadlineNs) {
        int place = 0;
        while (place < parts.length) {
            int end = place;
            int bytes = 0;
            while (end < parts.length && (end == place
                    || bytes + ENTRY_BYTES + parts[end].length <= maxBytes - HEAD_BYTES)) {
                bytes += ENTRY_BYTES + parts[end].length;
                end++;
            }
            final ByteBuffer out = head(number, true, bytes);
            for (; place < end; place++) {
                out.putInt(place).putInt(parts[place].length).put(parts[place]);
            }
            answer(out, deadlineNs);
        }
    }

    private static ByteBuffer head(int number, boolean isOk, int more) {
        return ByteBuffer.allocate(HEAD_BYTES + more).putInt(number).put((byte) (isOk ? 1 : 0));
    }

    private void answer(ByteBuffer out, long deadlineNs) {
        assert !out.hasRemaining() : out;
        tell(answerTag, out.array(), deadlineNs);
    }

    private void tell(int tag, byte[] blob, long deadlineNs) {
        for (int place = 1; place < members.length; place++) {
            try {
                send(members[place], tag, blob, deadlineNs);
            } catch (ProxyException e) {
                BootstrapRoot.LOG.debug("{}: rank {} cannot be told: {}", name, members[place], e.getMessage());
            }
        }
    }

    /** Many members fill the queue of what is to be sent, which the bootstrap's thread makes empty again. */
    private void send(int member, int tag, byte[] blob, long deadlineNs) {
        while (!isSent(member, tag, blob, deadlineNs)) {
            Uninterruptibly.parkNanos(RETRY_NS);
        }
    }

    private boolean isSent(int member, int tag, byte[] blob, long deadlineNs) {
        try {
            group.send(member, tag, blob);
            return true;
        } catch (ProxyException e) {
            if (e.result() != ProxyResult.SYSTEM_ERROR || group.failure().isPresent()
                    || deadlineNs - System.nanoTime() <= 0) {
                throw e;
            }
            return false;
        }
    }

    private byte[][] follow(int number, byte[] mine, Duration timeout, String what) {
        final long deadlineNs = System.nanoTime() + Deadline.nanos(timeout) + EXTRA_NS;
        final ByteBuffer part = ByteBuffer.allocate(Integer.BYTES + mine.length);
        send(members[0], partTag, part.putInt(number).put(mine).array(), deadlineNs);
        final byte[][] parts = new byte[members.length][];
        for (int missing = parts.length; missing > 0; ) {
            final ByteBuffer in = ByteBuffer.wrap(hear(answerTag, deadlineNs, timeout, what));
            requireSense(in.remaining() >= HEAD_BYTES, members[0]);
            final int theirs = in.getInt();
            requireSense(theirs - number <= 0, members[0]);
            if (theirs == number) {
                missing -= read(in, parts);
            }
        }
        return parts;
    }

    private byte[] hear(int tag, long deadlineNs, Duration timeout, String what) {
        try {
            return group.receive(members[0], tag, Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())),
                    _ -> { });
        } catch (ProxyException e) {
            if (e.result() != ProxyResult.TIMEOUT) {
                throw e;
            }
            throw new ProxyException(ProxyResult.TIMEOUT, what + ": rank " + members[0] + " did not come within "
                    + Wording.duration(timeout), e);
        }
    }

    /** Returns how many parts there were. */
    private int read(ByteBuffer in, byte[]... parts) {
        try {
            if (in.get() == 0) {
                final ProxyResult result = ProxyResult.of(in.getInt());
                throw new ProxyException(result.isError() ? result : ProxyResult.REMOTE_ERROR,
                        StandardCharsets.UTF_8.decode(in).toString());
            }
            int count = 0;
            for (; in.hasRemaining(); count++) {
                final int place = in.getInt();
                final int length = in.getInt();
                requireSense(place >= 0 && place < parts.length && parts[place] == null, members[0]);
                requireSense(length >= 0 && length <= in.remaining(), members[0]);
                parts[place] = new byte[length];
                in.get(parts[place]);
            }
            return count;
        } catch (BufferUnderflowException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, name + ": the answer of rank " + members[0]
                    + " is too short", e);
        }
    }

    private static byte[] rest(ByteBuffer in) {
        final byte[] rest = new byte[in.remaining()];
        in.get(rest);
        return rest;
    }

    private void requireSense(boolean isSense, int member) {
        if (!isSense) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, name + ": rank " + member
                    + " sent what makes no sense in a round");
        }
    }
}
