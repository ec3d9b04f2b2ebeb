/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import io.proxyrt.core.agent.Agent;
import java.util.List;

/**
 * Several agents as one, for threads that are shared. It sleeps as its last does, whose {@link Agent#wakeup} must end
 * the sleep; the others only announce it, and have to wake the last.
 */
public final class CompositeAgent implements Agent {
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
    public boolean isWoken() {
        for (int i = 0; i < agents.size(); i++) {
            if (!agents.get(i).isWoken()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void park(long maxNs) {
        int armed = 0;
        while (armed < agents.size() - 1 && agents.get(armed).arm()) {
            armed++;
        }
        if (armed == agents.size() - 1) {
            agents.getLast().park(maxNs);
        }
        while (armed > 0) {
            agents.get(--armed).disarm();
        }
    }

    @Override
    public void wakeup(Thread runner) {
        agents.getLast().wakeup(runner);
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
