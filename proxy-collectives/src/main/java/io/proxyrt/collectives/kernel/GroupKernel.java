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
public final class GroupKernel implements HostKernel, KernelPool {
    private final Pool<FusedKernel> fused;
    private final List<Pool<?>> pools = new ArrayList<>();
    private final List<HostKernel> collectives = new ArrayList<>();
    private final MessagesKernel messages = new MessagesKernel();
    private int current;

    /**
     * A kernel that was not prepared.
     *
     * @param fused   makes kernels of several all-reduces
     * @param sources make kernels of collectives, each of another class
     */
    public GroupKernel(Supplier<FusedKernel> fused, List<Source<?>> sources) {
        this.fused = new Pool<>(new Source<>(FusedKernel.class, fused));
        sources.forEach(source -> pools.add(new Pool<>(source)));
    }

    /**
     * Makes kernels.
     *
     * @param kind   their class
     * @param kernels that were not prepared
     * @param <K>    the same
     */
    public record Source<K extends HostKernel>(Class<K> kind, Supplier<K> kernels) {
    }

    /** Kernels that were made, of which each launch takes the first ones. */
    private static final class Pool<K extends HostKernel> {
        private final Source<K> source;
        private final List<K> made = new ArrayList<>();
        private int taken;

        Pool(Source<K> source) {
            this.source = source;
        }

        K take() {
            if (taken == made.size()) {
                made.add(source.kernels().get());
            }
            return made.get(taken++);
        }
    }

    /** Begins to set the kernel up; the launching thread, before the launch. */
    public void begin() {
        for (int i = 0; i < pools.size(); i++) {
            pools.get(i).taken = 0;
        }
        fused.taken = 0;
        collectives.clear();
        messages.begin();
        current = 0;
    }

    /** To be {@linkplain #add added}, or to go into a fused one. */
    @Override
    public <K extends HostKernel> K take(Class<K> kind) {
        for (int i = 0; i < pools.size(); i++) {
            if (pools.get(i).source.kind() == kind) {
                return kind.cast(pools.get(i).take());
            }
        }
        throw new IllegalArgumentException(kind.getName());
    }

    /** {@return a kernel of several all-reduces, to be filled and added as what is {@linkplain #take taken}} */
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
        String moving = messages.isDone() ? "" : messages.toString();
        if (at == collectives.size()) {
            return moving;
        }
        return collectives.size() == 1 && moving.isEmpty() ? collectives.get(at).toString() : "group: collective "
                + (at + 1) + " of " + collectives.size() + ": " + collectives.get(at)
                + (moving.isEmpty() ? "" : "; " + moving);
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
