/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/** Blobs of other ranks that have come, until a receive takes them by rank and tag. Thread-safe. */
final class Inbox {
    private static final int OVERHEAD_BYTES = 64;
    private static final long WAIT_NS = 250_000_000;

    private final int maxBytes;
    private final String hasLeft;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Sender, ArrayDeque<byte[]>> kept = new HashMap<>();
    private final BitSet left = new BitSet();
    private long keptBytes;
    private ProxyException end;
    private volatile IntFunction<String> names = rank -> "rank " + rank;

    Inbox(int maxBytes) {
        this(maxBytes, "has closed its bootstrap");
    }

    /** As above, with other words for a rank that {@linkplain #left has said goodbye}. */
    Inbox(int maxBytes, String hasLeft) {
        this.maxBytes = maxBytes;
        this.hasLeft = hasLeft;
    }

    /** Says how ranks read in messages. */
    void name(IntFunction<String> ranks) {
        names = ranks;
    }

    private record Sender(int rank, int tag) {
    }

    /** Keeps a blob; false when there is no room, and it is dropped. */
    boolean put(int rank, int tag, byte[] blob) {
        lock.lock();
        try {
            if (keptBytes + blob.length + OVERHEAD_BYTES > maxBytes) {
                return false;
            }
            keptBytes += blob.length + OVERHEAD_BYTES;
            kept.computeIfAbsent(new Sender(rank, tag), s -> new ArrayDeque<>()).addLast(blob);
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the next blob of this rank and tag, in the order sent. What has come is had, whatever failed since. */
    byte[] take(int rank, int tag, Duration timeout) {
        return take(rank, tag, timeout, _ -> { });
    }

    /** As {@link #take(int, int, Duration)}; calls back, without the lock, as long as nothing has come. */
    byte[] take(int rank, int tag, Duration timeout, LongConsumer onWait) {
        return take(rank, tag, timeout, onWait, WAIT_NS);
    }

    /** As above; calls back every so often. */
    byte[] take(int rank, int tag, Duration timeout, LongConsumer onWait, long waitNs) {
        final String what = "receive from " + names.apply(rank) + ", tag " + tag;
        final long timeoutNs = Deadline.nanos(timeout);
        final long beginNs = System.nanoTime();
        try {
            byte[] blob = await(rank, tag, Math.min(timeoutNs, waitNs));
            while (blob == null) {
                requireOpen(rank);
                final long waitedNs = System.nanoTime() - beginNs;
                if (waitedNs >= timeoutNs) {
                    throw new ProxyException(ProxyResult.TIMEOUT, what + ": nothing came within "
                            + Wording.duration(timeout));
                }
                onWait.accept(waitedNs);
                blob = await(rank, tag, Math.min(timeoutNs - waitedNs, waitNs));
            }
            return blob;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProxyException(ProxyResult.INVALID_USAGE, "interrupted while waiting: " + what, e);
        }
    }

    /** The next blob; null when none has come in this time, or none will. */
    private byte[] await(int rank, int tag, long waitNs) throws InterruptedException {
        long leftNs = waitNs;
        lock.lockInterruptibly();
        try {
            byte[] blob = next(rank, tag);
            while (blob == null && leftNs > 0 && end == null && !left.get(rank)) {
                leftNs = changed.awaitNanos(leftNs);
                blob = next(rank, tag);
            }
            return blob;
        } finally {
            lock.unlock();
        }
    }

    /** The next blob of this rank and tag; null if none has come. */
    byte[] poll(int rank, int tag) {
        lock.lock();
        try {
            return next(rank, tag);
        } finally {
            lock.unlock();
        }
    }

    private byte[] next(int rank, int tag) {
        final Sender sender = new Sender(rank, tag);
        final ArrayDeque<byte[]> blobs = kept.get(sender);
        if (blobs == null) {
            return null;
        }
        final byte[] blob = blobs.removeFirst();
        keptBytes -= blob.length + OVERHEAD_BYTES;
        if (blobs.isEmpty()) {
            kept.remove(sender);
        }
        return blob;
    }

    /** Throws when nothing can go to, or come from, this rank any more. */
    void requireOpen(int rank) {
        lock.lock();
        try {
            if (end != null) {
                throw Bootstrap.thrownHere(end);
            }
            if (left.get(rank)) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, names.apply(rank) + " " + hasLeft);
            }
        } finally {
            lock.unlock();
        }
    }

    /** This rank has said goodbye: nothing comes from it after what has come. */
    void left(int rank) {
        left(rank, 1);
    }

    /** As above, for some that follow each other. */
    void left(int first, int count) {
        lock.lock();
        try {
            left.set(first, first + count);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Drops what came from, and is known of, all ranks but these. */
    void retain(BitSet ranks) {
        lock.lock();
        try {
            kept.forEach((sender, blobs) -> keptBytes -= ranks.get(sender.rank) ? 0
                    : blobs.stream().mapToLong(blob -> blob.length + OVERHEAD_BYTES).sum());
            kept.keySet().removeIf(sender -> !ranks.get(sender.rank));
            left.and(ranks);
        } finally {
            lock.unlock();
        }
    }

    /** Whether any rank has said goodbye. */
    boolean isAnyGone() {
        lock.lock();
        try {
            return !left.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing comes any more; only the first end counts. */
    void end(ProxyException e) {
        lock.lock();
        try {
            end = end == null ? e : end;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
