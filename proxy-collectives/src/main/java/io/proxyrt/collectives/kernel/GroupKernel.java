/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import java.util.ArrayList;
import java.util.List;

/** One launch of a group: collectives, one after the other, and messages beside them. Prepared anew for each. */
public final class GroupKernel implements HostKernel {
    private final List<HostKernel> collectives = new ArrayList<>();
    private final MessagesKernel messages = new MessagesKernel();
    private int current;

    /** A group of nothing. */
    public GroupKernel() {
    }

    /** Begins to set the kernel up; the launching thread, before the launch. */
    public void begin() {
        collectives.clear();
        messages.begin();
        current = 0;
    }

    /**
     * Adds a collective behind those added before.
     *
     * @param collective prepared
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
