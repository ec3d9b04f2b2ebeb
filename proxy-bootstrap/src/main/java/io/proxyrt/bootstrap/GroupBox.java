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
import java.util.function.IntFunction;

/**
 * What has come for one group. It exists from the first mail on, which may come before this rank knows of the group,
 * until all its ranks have left; what comes behind this rank's own leaving is dropped, and so is what is not of a rank
 * of the group. Ranks are those of the job here. Thread-safe.
 */
final class GroupBox {
    private final Inbox inbox;
    private final FailureCell failure = new FailureCell();
    private final Map<Integer, BiConsumer<Integer, byte[]>> listeners = new ConcurrentHashMap<>();
    private final BitSet left = new BitSet();
    /** Null before the group is known here. */
    private BitSet members;
    private volatile boolean isClosed;

    GroupBox(int maxBytes) {
        this.inbox = new Inbox(maxBytes, "has left the group");
    }

    /**
     * The group is known: who is in it, this rank too, and how they read in messages. False if it was known before, and
     * so is another one.
     */
    synchronized boolean open(BitSet ranks, IntFunction<String> names) {
        if (members != null) {
            return false;
        }
        members = ranks;
        inbox.retain(ranks);
        inbox.name(names);
        left.and(ranks);
        return true;
    }

    synchronized boolean isKnown() {
        return members != null;
    }

    private boolean isNoMember(int rank) {
        return members != null && !members.get(rank);
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
            members.stream().forEach(rank -> {
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
            if (isNoMember(rank)) {
                return true;
            }
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
        if (isNoMember(rank)) {
            return false;
        }
        left.set(rank);
        inbox.left(rank);
        return isOver();
    }

    /** This rank, of this number in the job, leaves; returns whether now all have. */
    synchronized boolean close(int rank, ProxyException closed) {
        left.set(rank);
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
        if (!isClosed) {
            return false;
        }
        final BitSet missing = (BitSet) members.clone();
        missing.andNot(left);
        return missing.isEmpty();
    }

    @Override
    public String toString() {
        return "a group with " + (members == null ? "ranks not known yet" : "ranks " + members);
    }
}
