/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * One launch of a group: collectives, one after the other, and messages beside them. Prepared anew for each, from
 * kernels that it keeps.
 */
public final class GroupKernel implements HostKernel {
    private final Pool<CollectiveKernel> rings;
    private final Pool<DoublingKernel> doublings;
    private final Pool<FusedKernel> fused;
    private final List<HostKernel> collectives = new ArrayList<>();
    private final MessagesKernel messages = new MessagesKernel();
    private int current;

    /**
     * A kernel that was not prepared.
     *
     * @param rings     makes kernels of collectives
     * @param doublings makes kernels of small all-reduces
     * @param fused     makes kernels of several all-reduces
     */
    public GroupKernel(Supplier<CollectiveKernel> rings, Supplier<DoublingKernel> doublings,
            Supplier<FusedKernel> fused) {
        this.rings = new Pool<>(rings);
        this.doublings = new Pool<>(doublings);
        this.fused = new Pool<>(fused);
    }

    /** Kernels that were made, of which each launch takes the first ones. */
    private static final class Pool<K extends HostKernel> {
        private final Supplier<K> source;
        private final List<K> made = new ArrayList<>();
        private int taken;

        Pool(Supplier<K> source) {
            this.source = source;
        }

        K take() {
            if (taken == made.size()) {
                made.add(source.get());
            }
            return made.get(taken++);
        }
    }

    /** Begins to set the kernel up; the launching thread, before the launch. */
    public void begin() {
        rings.taken = 0;
        doublings.taken = 0;
        fused.taken = 0;
        collectives.clear();
        messages.begin();
        current = 0;
    }

    /** {@return a kernel of a collective, to be prepared; to be {@linkplain #add added}, or to go into a fused one} */
    public CollectiveKernel ring() {
        return rings.take();
    }

    /** {@return a kernel of a small all-reduce, to be prepared and added as {@link #ring}} */
    public DoublingKernel doubling() {
        return doublings.take();
    }

    /** {@return a kernel of several all-reduces, to be filled and added} */
    public FusedKernel fused() {
        FusedKernel kernel = fused.take();
        kernel.begin();
        return kernel;
    }

    /**
     * Adds a collective behind those added before.
     *
     * @param collective one of this kernel's
     */
    public void add(HostKernel collective) {
        collectives.add(collective);
    }

    /** {@return messages of this launch, to be added to} */
    public MessagesKernel messages() {
        return messages;
    }

    /** {@return whether nothing was added} */
    public boolean isEmpty() {
        return collectives.isEmpty() && messages.isEmpty();
    }

    @Override
    public int doWork() {
        int moved = messages.doWork();
        if (current < collectives.size()) {
            HostKernel collective = collectives.get(current);
            moved += collective.doWork();
            if (collective.isDone()) {
                current++;
                moved++;
            }
        }
        return moved;
    }

    @Override
    public boolean isDone() {
        return current == collectives.size() && messages.isDone();
    }

    @Override
    public ProxyException whyHopeless() {
        ProxyException why = messages.whyHopeless();
        return why == null && current < collectives.size() ? collectives.get(current).whyHopeless() : why;
    }

    @Override
    public String toString() {
        int at = current;
        String where = at < collectives.size() ? "collective " + (at + 1) + " of " + collectives.size() + ": "
                + collectives.get(at) : "";
        String moving = messages.isDone() ? "" : messages.toString();
        return where.isEmpty() ? moving : "group: " + where + (moving.isEmpty() ? "" : "; " + moving);
    }

    @Override
    public void onRetired(boolean isDropped) {
        for (int i = 0; i < collectives.size(); i++) {
            collectives.get(i).onRetired(isDropped);
        }
        messages.onRetired(isDropped);
        current = collectives.size();
    }
}
