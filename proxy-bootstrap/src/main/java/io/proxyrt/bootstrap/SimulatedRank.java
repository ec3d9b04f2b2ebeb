/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** A rank of an {@link InitSimulation}: the agents of a real one, and a caller that does one step after the other. */
final class SimulatedRank {
    private static final int TAG = 1;
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(2);

    private final InitSimulation simulation;
    private final int rank;
    private final VirtualPoller poller;
    /** Null once the root has accepted this rank. */
    private Connector connector;
    private RankAgent agent;
    private int step;
    private int messages;
    private boolean awaitsMessages;
    private boolean hasEnded;
    private String failure;
    private long failedNs;

    SimulatedRank(InitSimulation simulation, int rank) {
        this.simulation = simulation;
        this.rank = rank;
        final VirtualNetwork network = simulation.network();
        this.poller = new VirtualPoller(network, network.host(rank / simulation.plan().ranksPerHost()));
    }

    void start() {
        final InitSimulation.Plan plan = simulation.plan();
        connector = new Connector(simulation.id(), simulation.claim(rank), plan.timeout(),
                Deadline.nanos(plan.timeout()), simulation.staggerNs(rank), poller, new SplittableRandom(rank));
        poller.start(this::turn);
    }

    int rank() {
        return rank;
    }

    VirtualPoller poller() {
        return poller;
    }

    /** What it failed with; null if it did not. */
    String failure() {
        return failure;
    }

    long failedNs() {
        return failedNs;
    }

    private boolean turn() {
        if (agent != null) {
            final boolean goesOn = agent.turn();
            if (!goesOn) {
                end();
            }
            return goesOn;
        }
        try {
            return join();
        } catch (ProxyException e) {
            failed(e);
            return false;
        }
    }

    private boolean join() {
        final Session session = connector.advance();
        if (session == null) {
            poller.select(connector.waitMillis());
            return true;
        }
        connector = null;
        final InitSimulation.Plan plan = simulation.plan();
        agent = new RankAgent(rank, plan.nRanks(), RootAgent.name(simulation.id().address()), session);
        agent.listen(TAG, (_, _) -> heard());
        agent.failure().onFailure(this::failed);
        agent.ready().whenComplete((_, e) -> next(e));
        return agent.turn();
    }

    private void failed(ProxyException e) {
        if (failure == null) {
            failure = e.getMessage();
            failedNs = poller.nanoTime();
            end();
        }
    }

    private void end() {
        if (!hasEnded) {
            hasEnded = true;
            simulation.ended();
        }
    }

    /** Through with a step, or not. */
    private void next(Throwable e) {
        if (e != null) {
            final Throwable cause = e instanceof CompletionException ? e.getCause() : e;
            failed((ProxyException) cause);
            return;
        }
        simulation.passed(step, poller.nanoTime());
        step++;
        final int gathers = simulation.plan().exchange().gatherBytes().size();
        if (step <= gathers) {
            begin(RoundKind.ALL_GATHER, new byte[simulation.plan().exchange().gatherBytes().get(step - 1)]);
        } else if (step == gathers + 1) {
            tellNeighbours();
        } else if (step == gathers + 2) {
            begin(RoundKind.BARRIER, MessageCodec.NOTHING);
        } else {
            simulation.finished();
        }
    }

    private void begin(RoundKind kind, byte[] blob) {
        final long millis = Deadline.millis(simulation.plan().timeout());
        agent.rounds().begin(kind, sequence -> agent.submit(new Message.Part(kind, sequence, millis, blob))).done()
                .whenComplete((_, e) -> next(e));
    }

    private void tellNeighbours() {
        final int nRanks = simulation.plan().nRanks();
        final InitSimulation.Exchange exchange = simulation.plan().exchange();
        for (int i = 0; i < exchange.messages(); i++) {
            final byte[] blob = new byte[exchange.messageBytes()];
            agent.submit(new Message.Blob((rank + 1) % nRanks, TAG, blob));
            agent.submit(new Message.Blob((rank + nRanks - 1) % nRanks, TAG, blob));
        }
        awaitsMessages = true;
        goOnIfAllIsHeard();
    }

    private void heard() {
        messages++;
        goOnIfAllIsHeard();
    }

    private void goOnIfAllIsHeard() {
        if (awaitsMessages && messages >= 2 * simulation.plan().exchange().messages()) {
            awaitsMessages = false;
            next(null);
        }
    }

    /** All are through. */
    void close() {
        agent.close(LINGER_NS);
    }
}
