/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * What has come for one group. It exists from the first mail on, which may come before this rank knows of the group,
 * until all its ranks have left; what comes behind this rank's own leaving is dropped. Ranks are those of the job here.
 * Thread-safe.
 */
final class GroupBox {
    private final Inbox inbox;
    private final FailureCell failure = new FailureCell();
    private final Map<Integer, BiConsumer<Integer, byte[]>> listeners = new ConcurrentHashMap<>();
    private final BitSet left = new BitSet();
    /** All others; null before the group is known here. */
    private BitSet others;
    private volatile boolean isClosed;

    GroupBox(int maxBytes) {
        this.inbox = new Inbox(maxBytes, "has left the group");
    }

    /** The group is known: who else is in it. */
    synchronized void open(BitSet otherRanks) {
        others = otherRanks;
    }

    Inbox inbox() {
        return inbox;
    }

    FailureCell failure() {
        return failure;
    }

    /** Has blobs with this tag go to a listener; those that are there come from this thread. */
    void listen(int tag, BiConsumer<Integer, byte[]> listener) {
        final List<Runnable> early = new ArrayList<>();
        synchronized (this) {
            listeners.put(tag, listener);
            others.stream().forEach(rank -> {
                for (byte[] blob = inbox.poll(rank, tag); blob != null; blob = inbox.poll(rank, tag)) {
                    final byte[] one = blob;
                    early.add(() -> listener.accept(rank, one));
                }
            });
        }
        early.forEach(Runnable::run);
    }

    /** Keeps a blob, or gives it to its listener; false when there is no room. */
    boolean put(int rank, int tag, byte[] blob) {
        if (isClosed) {
            return true;
        }
        final BiConsumer<Integer, byte[]> listener;
        synchronized (this) {
            listener = listeners.get(tag);
            if (listener == null) {
                return inbox.put(rank, tag, blob);
            }
        }
        listener.accept(rank, blob);
        return true;
    }

    /** That rank has left; returns whether now all have, this one too. */
    synchronized boolean left(int rank) {
        left.set(rank);
        inbox.left(rank);
        return isOver();
    }

    /** This rank leaves; returns whether now all have. */
    synchronized boolean close(ProxyException closed) {
        isClosed = true;
        listeners.clear();
        inbox.end(closed);
        return isOver();
    }

    boolean isClosed() {
        return isClosed;
    }

    /** The job has failed. */
    void fail(ProxyException e) {
        inbox.end(e);
        if (failure.fail(e)) {
            failure.tell();
        }
    }

    private boolean isOver() {
        if (!isClosed || others == null) {
            return false;
        }
        final BitSet missing = (BitSet) others.clone();
        missing.andNot(left);
        return missing.isEmpty();
    }

    @Override
    public String toString() {
        return "a group with " + (others == null ? "ranks not known yet" : "ranks " + others);
    }
}
