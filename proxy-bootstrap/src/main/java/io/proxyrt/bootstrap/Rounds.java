/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * All rounds of one kind as the root sees them: which are open, who has come to each, and how those ended which not all
 * ranks have passed yet. A round ends in one way for all its ranks. Confined to the root's thread.
 */
final class Rounds {
    /** How many rounds a rank may be ahead of another: bounds what is kept for one that never comes. */
    static final int MAX_KEPT = 1024;
    /** Of blobs in a frame that has several. */
    private static final int SHARED_BYTES = 60 << 10;
    private final RoundKind kind;
    private final int nRanks;
    private final int maxHeldBytes;
    private final int sharedBytes;
    private final Sink sink;
    private final Answers answers;
    private final TreeMap<Long, Round> rounds = new TreeMap<>();
    private final long[] next;
    private final long[] heldBytes;
    private final BitSet left = new BitSet();

    Rounds(RoundKind kind, int nRanks, BootstrapConfig config, Sink sink) {
        this.kind = kind;
        this.nRanks = nRanks;
        this.maxHeldBytes = config.maxQueuedBytes();
        this.sharedBytes = Math.min(SHARED_BYTES, config.maxFrameBytes() - BootstrapDescriptor.MAX_BLOB_OVERHEAD);
        this.sink = sink;
        this.answers = new Answers(nRanks, sink);
        this.next = new long[nRanks];
        this.heldBytes = new long[nRanks];
    }

    /** Where answers go; the frame is the sink's own. */
    @FunctionalInterface
    interface Sink {
        void send(int rank, ByteBuffer frame);
    }

    /** One round, open or failed. */
    private static final class Round {
        private final BitSet arrived = new BitSet();
        private final byte[][] blobs;
        private long deadlineNs = Long.MAX_VALUE;
        private long timeoutMillis;
        private int impatientRank;
        private Message.RoundFailed failed;

        Round(int nRanks) {
            blobs = new byte[nRanks][];
        }
    }

    /** Takes one rank's part; throws {@code REMOTE_ERROR} when that rank does not keep to the protocol. */
    void contribute(int rank, Message.Part part, long nowNs) {
        if (part.sequence() != next[rank]) {
            throw MessageReader.malformed(kind + " " + part.sequence() + " where " + next[rank] + " comes next");
        }
        next[rank]++;
        final Round round = rounds.computeIfAbsent(part.sequence(), s -> new Round(nRanks));
        round.arrived.set(rank);
        if (round.failed == null) {
            arrive(rank, part, round, nowNs);
        } else {
            sink.send(rank, MessageCodec.encode(round.failed));
            forgetIfPassed(part.sequence(), round);
        }
        if (rounds.size() > MAX_KEPT) {
            throw MessageReader.malformed("it is " + MAX_KEPT + " rounds ahead of another rank");
        }
    }

    private void arrive(int rank, Message.Part part, Round round, long nowNs) {
        round.blobs[rank] = part.blob();
        heldBytes[rank] += part.blob().length;
        if (heldBytes[rank] > maxHeldBytes) {
            throw MessageReader.malformed("more than " + maxHeldBytes + " bytes in rounds that are not complete");
        }
        final long deadlineNs = nowNs + TimeUnit.MILLISECONDS.toNanos(part.timeoutMillis());
        if (round.arrived.cardinality() == 1 || deadlineNs - round.deadlineNs < 0) {
            round.deadlineNs = deadlineNs;
            round.timeoutMillis = part.timeoutMillis();
            round.impatientRank = rank;
        }
        if (round.arrived.cardinality() == nRanks) {
            complete(part.sequence(), round, nowNs);
        } else if (!left.isEmpty()) {
            failIfDeserted(part.sequence(), round);
        }
    }

    private void complete(long sequence, Round round, long nowNs) {
        final List<ByteBuffer> frames = new ArrayList<>();
        for (int first = 0; first < nRanks && kind == RoundKind.ALL_GATHER; ) {
            final int end = end(first, round.blobs);
            frames.add(MessageCodec.encode(new Message.Gathered(sequence, first, end - first,
                    joined(first, end, round.blobs))));
            first = end;
        }
        frames.add(MessageCodec.encode(new Message.RoundDone(kind, sequence)));
        answers.send(sequence, frames, nowNs);
        release(round);
        rounds.remove(sequence);
    }

    /** Behind the last rank whose blob shares a frame with this one's: all ranks are sent all blobs, in few pieces. */
    private int end(int first, byte[]... blobs) {
        int end = first;
        long bytes = 0;
        do {
            bytes += Integer.BYTES + blobs[end].length;
            end++;
        } while (end < blobs.length && bytes + Integer.BYTES + blobs[end].length <= sharedBytes);
        return end;
    }

    private static ByteBuffer joined(int first, int end, byte[]... blobs) {
        final ByteBuffer out = ByteBuffer.allocate(IntStream.range(first, end)
                .map(rank -> Integer.BYTES + blobs[rank].length).sum());
        for (int rank = first; rank < end; rank++) {
            out.putInt(blobs[rank].length).put(blobs[rank]);
        }
        return out.flip();
    }

    /** This rank will come no more; what waits for it fails. */
    void leave(int rank) {
        left.set(rank);
        answers.left(rank);
        for (final long sequence : List.copyOf(rounds.keySet())) {
            final Round round = rounds.get(sequence);
            if (round.failed == null) {
                failIfDeserted(sequence, round);
            } else {
                forgetIfPassed(sequence, round);
            }
        }
    }

    private void failIfDeserted(long sequence, Round round) {
        final BitSet deserters = (BitSet) left.clone();
        deserters.andNot(round.arrived);
        if (!deserters.isEmpty()) {
            fail(sequence, round, ProxyResult.REMOTE_ERROR, kind + " " + sequence + " cannot complete: "
                    + Wording.ranks(deserters.stream().toArray()) + " closed the bootstrap before");
        }
    }

    /** Ends the rounds whose time is over. */
    void expire(long nowNs) {
        answers.expire(nowNs);
        for (final long sequence : List.copyOf(rounds.keySet())) {
            final Round round = rounds.get(sequence);
            if (round.failed == null && round.deadlineNs - nowNs <= 0) {
                fail(sequence, round, ProxyResult.TIMEOUT, kind + " " + sequence + ": rank " + round.impatientRank
                        + " waited " + Wording.millis(round.timeoutMillis) + " for " + Wording.ranks(missing(round)));
            }
        }
    }

    private int[] missing(Round round) {
        return IntStream.range(0, nRanks).filter(rank -> !round.arrived.get(rank)).toArray();
    }

    private void fail(long sequence, Round round, ProxyResult result, String text) {
        round.failed = new Message.RoundFailed(kind, sequence, result, text);
        final ByteBuffer frame = MessageCodec.encode(round.failed);
        round.arrived.stream().forEach(rank -> sink.send(rank, frame.duplicate()));
        release(round);
        forgetIfPassed(sequence, round);
    }

    private void forgetIfPassed(long sequence, Round round) {
        final BitSet passed = (BitSet) left.clone();
        passed.or(round.arrived);
        if (passed.cardinality() == nRanks) {
            rounds.remove(sequence);
        }
    }

    private void release(Round round) {
        for (int rank = 0; rank < nRanks; rank++) {
            if (round.blobs[rank] != null) {
                heldBytes[rank] -= round.blobs[rank].length;
                round.blobs[rank] = null;
            }
        }
    }

    /** From now on these ranks get answers by way of another one, and {@linkplain #got confirm} them. */
    void passedOn(BitSet ranks) {
        answers.passedOn(ranks);
    }

    void got(int rank, long sequence) {
        answers.got(rank, sequence);
    }

    /** The last word on rounds that are complete: ranks that have not confirmed their answers get them now. */
    void settle() {
        answers.settle();
    }

    /** How many rounds are open, or remembered for ranks that have not passed them. */
    int kept() {
        return rounds.size();
    }
}
