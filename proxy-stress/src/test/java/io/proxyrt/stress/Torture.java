/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.stress;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * One of two ranks that send each other messages, both ways at once and several under way, with pauses in between:
 * point to point, or round the ring of the two.
 * Small slots make most messages go round them several times.
 */
final class Torture implements AutoCloseable {
    private static final int RANKS = 2;
    private static final int ROUNDS_PER_VOTE = 32;
    private static final int MOST_PAUSES = 6;
    private static final int LONGEST_PAUSE_NS = 20_000;
    private static final Map<String, String> SMALL_SLOTS =
            Map.of("buffer.bytes", "65536", "ll.buffer.bytes", "16384", "ll128.buffer.bytes", "20480");

    private final int rank;
    private final Communicator communicator;
    private final MemorySegment sent;
    private final MemorySegment received;
    private final MemorySegment vote;
    private final SplittableRandom random;

    private Torture(int rank, Communicator communicator) {
        this.rank = rank;
        this.communicator = communicator;
        this.sent = communicator.allocate(TortureRound.BYTES).segment();
        this.received = communicator.allocate(TortureRound.BYTES).segment();
        this.vote = communicator.allocate(Integer.BYTES).segment();
        this.random = new SplittableRandom(rank);
    }

    /** Joins the other rank; options of the runtime as {@code key=value}. */
    static Torture join(UniqueId id, int rank, List<String> options) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of());
        SMALL_SLOTS.forEach(config::set);
        options.forEach(option -> config.set(option.substring(0, option.indexOf('=')),
                option.substring(option.indexOf('=') + 1)));
        return new Torture(rank, Communicator.init(id, rank, RANKS, config.build()));
    }

    /** Until both ranks have done it for so long; returns how many bytes came. */
    long run(long seed, Duration duration) {
        long limit = System.nanoTime() + duration.toNanos();
        long bytes = 0;
        for (long i = 0; i % ROUNDS_PER_VOTE != 0 || goesOn(limit); i++) {
            bytes += run(new TortureRound(seed + i));
        }
        return bytes;
    }

    private long run(TortureRound round) {
        int peer = 1 - rank;
        round.fill(sent, rank);
        for (int i = 0; i < round.messages(); i++) {
            if (round.isBroadcast()) {
                broadcast(round, i);
            } else {
                communicator.sendRecv(round.message(sent, rank, i), peer, round.message(received, peer, i), peer);
            }
        }
        pause();
        communicator.synchronize();
        return round.check(received, peer);
    }

    /** The protocol that was asked for is that of rings; between two ranks a broadcast either way is an exchange. */
    private void broadcast(TortureRound round, int i) {
        for (int root = 0; root < RANKS; root++) {
            MemorySegment buffer = round.message(root == rank ? sent : received, root, i);
            communicator.broadcast(buffer, buffer, buffer.byteSize(), DataType.INT8, root);
        }
    }

    /** A few passes, if they are this thread's to make, with time between them in which only the other rank moves. */
    private void pause() {
        for (int i = random.nextInt(MOST_PAUSES); i > 0; i--) {
            if (communicator.proxy().isInvoker()) {
                communicator.proxy().invoke();
            }
            LockSupport.parkNanos(random.nextInt(LONGEST_PAUSE_NS));
        }
    }

    /** Both see the same, and so stop after the same round. */
    private boolean goesOn(long limit) {
        vote.set(JAVA_INT, 0, System.nanoTime() - limit < 0 ? 1 : 0);
        communicator.allReduce(vote, vote, 1, DataType.INT32, RedOp.MAX);
        communicator.synchronize();
        return vote.get(JAVA_INT, 0) != 0;
    }

    @Override
    public void close() {
        communicator.close();
    }
}
