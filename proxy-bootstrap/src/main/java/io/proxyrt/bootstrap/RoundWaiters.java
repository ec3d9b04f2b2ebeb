/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * The rounds that this rank has come to and which have not ended: numbers them, and collects their answers.
 * Thread-safe.
 */
final class RoundWaiters {
    private final int nRanks;
    private final Map<RoundKind, Long> next = new EnumMap<>(RoundKind.class);
    private final Map<Round, Waiter> waiters = new HashMap<>();
    private ProxyException end;

    RoundWaiters(int nRanks) {
        this.nRanks = nRanks;
    }

    /** Names a round. */
    record Round(RoundKind kind, long sequence) {
        @Override
        public String toString() {
            return kind + " " + sequence;
        }
    }

    /** A caller that waits for a round; completes when all has come. */
    static final class Waiter {
        private final Round round;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private final List<Message.Gathered> parts = new ArrayList<>();
        /** What the parts have of all ranks from 0 on, in the order in which they came. */
        private int covered;

        Waiter(Round round) {
            this.round = round;
        }

        Round round() {
            return round;
        }

        CompletableFuture<Void> done() {
            return done;
        }

        /** A blob of each rank; once it has completed. */
        byte[][] blobs(int nRanks) {
            final byte[][] blobs = new byte[nRanks][];
            parts.forEach(part -> part.copyTo(blobs));
            return blobs;
        }

        /** Two ranks may send the same: what has come in order is not kept twice. */
        private void add(Message.Gathered part) {
            if (end(part) > covered) {
                covered = part.first() <= covered ? end(part) : covered;
                parts.add(part);
            }
        }

        private boolean hasAll(int nRanks) {
            int end = covered;
            for (final Message.Gathered part : end == nRanks ? List.<Message.Gathered>of() : inOrder()) {
                end = part.first() <= end ? Math.max(end, end(part)) : end;
            }
            return end == nRanks;
        }

        private List<Message.Gathered> inOrder() {
            return parts.stream().sorted(Comparator.comparingInt(Message.Gathered::first)).toList();
        }

        private static int end(Message.Gathered part) {
            return part.first() + part.count();
        }
    }

    /**
     * Takes the next number of this kind and sends this rank's part with it, in one step: parts leave in order.
     *
     * @param send queues the part; when it throws, no round was begun
     */
    synchronized Waiter begin(RoundKind kind, LongConsumer send) {
        if (end != null) {
            throw Bootstrap.thrownHere(end);
        }
        final long sequence = next.getOrDefault(kind, 0L);
        send.accept(sequence);
        next.put(kind, sequence + 1);
        final Waiter waiter = new Waiter(new Round(kind, sequence));
        waiters.put(waiter.round(), waiter);
        return waiter;
    }

    /** No caller waits any more; the answer, when it comes, is dropped. */
    synchronized void forget(Waiter waiter) {
        waiters.remove(waiter.round());
    }

    /**
     * Some ranks' blobs; throws {@code REMOTE_ERROR} for a round to which this rank has not come, for a rank that there
     * is not, or for what is no blob.
     */
    synchronized void gathered(Message.Gathered part) {
        final Round round = new Round(RoundKind.ALL_GATHER, part.sequence());
        requireBegun(round);
        if (part.first() < 0 || part.count() > nRanks - part.first()) {
            throw MessageReader.malformed("blobs of " + part.count() + " ranks from rank " + part.first() + " on");
        }
        final Waiter waiter = waiters.get(round);
        if (waiter != null && waiter.parts.size() == 2 * nRanks) {
            throw MessageReader.malformed(round + " in more pieces than two ranks can send");
        }
        if (waiter != null) {
            waiter.add(part);
        }
    }

    /**
     * A round is complete; throws {@code REMOTE_ERROR} when this rank has not come to it, or when blobs are missing:
     * then it waits on, for another rank may have them.
     */
    void done(Message.RoundDone message) {
        final Waiter waiter = complete(new Round(message.kind(), message.sequence()));
        if (waiter != null) {
            waiter.done().complete(null);
        }
    }

    private synchronized Waiter complete(Round round) {
        requireBegun(round);
        final Waiter waiter = waiters.get(round);
        if (waiter != null && round.kind() == RoundKind.ALL_GATHER
                && !waiter.hasAll(nRanks)) {
            throw MessageReader.malformed(round + " without all its blobs");
        }
        return waiters.remove(round);
    }

    private void requireBegun(Round round) {
        if (round.sequence() < 0 || round.sequence() >= next.getOrDefault(round.kind(), 0L)) {
            throw MessageReader.malformed("an answer to " + round + ", which this rank has not come to");
        }
    }

    void failed(Message.RoundFailed message) {
        final Waiter waiter = remove(new Round(message.kind(), message.sequence()));
        if (waiter != null) {
            waiter.done().completeExceptionally(new ProxyException(message.result(), message.text()));
        }
    }

    private synchronized Waiter remove(Round round) {
        return waiters.remove(round);
    }

    /** Fails all who wait, and all who come; only the first end counts. */
    void end(ProxyException e) {
        final List<Waiter> all;
        synchronized (this) {
            end = end == null ? e : end;
            all = List.copyOf(waiters.values());
            waiters.clear();
        }
        all.forEach(waiter -> waiter.done().completeExceptionally(e));
    }
}
