/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent;

import java.util.List;

/** Several agents as one, for threads that are shared. It parks as its first does, but never long. */
public final class CompositeAgent implements Agent {
    private static final long MAX_PARK_NS = 1_000_000;

    private final String name;
    private final List<Agent> agents;

    /**
     * A combination.
     *
     * @param name   of the whole
     * @param agents at least one; closed in reverse order
     */
    public CompositeAgent(String name, List<Agent> agents) {
        this.name = name;
        this.agents = List.copyOf(agents);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int doWork() {
        int count = 0;
        for (int i = 0; i < agents.size(); i++) {
            count += agents.get(i).doWork();
        }
        return count;
    }

    @Override
    public void park(long maxNs) {
        agents.get(0).park(Math.min(maxNs, MAX_PARK_NS));
    }

    @Override
    public void wakeup(Thread runner) {
        agents.get(0).wakeup(runner);
    }

    @Override
    public void onClose() {
        RuntimeException failure = null;
        for (int i = agents.size() - 1; i >= 0; i--) {
            try {
                agents.get(i).onClose();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
