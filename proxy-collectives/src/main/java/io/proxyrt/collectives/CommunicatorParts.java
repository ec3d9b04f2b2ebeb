/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.collectives.kernel.OpCallWords;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The parts that a communicator has wherever its kernels run, put together in the order of their needs. What they take
 * of the runtime goes with the runtime.
 */
final class CommunicatorParts {
    final ProxyState proxy;
    final ProxyConfig config;
    final Duration timeout;
    final FirstFailure failure;
    final SingleUser user;
    final RingSetup setup;
    final PeerPorts peers;
    final Lanes lanes;
    final LanePoster poster;
    final UserMemory memory;
    /** Why the job stands still. */
    final Supplier<Optional<Diagnosis>> diagnosis;
    /** Null if what a network does not finish is not done again. */
    final NetworkLoss networkLoss;
    /** None before they are connected, and if there is one rank. */
    Ring[] rings = {};
    /** The last thing that came of it. */
    private CollNetSetup.Outcome collNet;
    private StreamWaiter waiter;

    /**
     * Blocks until all ranks do so, and connects the rings; but those of some of a job's ranks, if kernels run on the
     * host, are connected when they are first needed.
     */
    CommunicatorParts(RankRuntime runtime, Lanes lanes, FirstFailure failure, JobTuning ofJob, boolean isOnGpu) {
        this.proxy = runtime.proxy();
        this.diagnosis = () -> runtime.diagnose(new OpCallWords());
        this.config = proxy.config();
        this.timeout = config.get(CollectivesOptions.TIMEOUT);
        this.failure = failure;
        boolean isWhole = runtime.group().isWhole();
        this.user = new SingleUser(runtime.group().self(), failure);
        this.setup = new RingSetup(runtime, failure.agreement(), config, ofJob, isOnGpu);
        if (isWhole || isOnGpu) {
            rings = setup.connectRings(setup.timeout());
        }
        this.networkLoss = isWhole && config.get(CollectivesOptions.COLLNET_REDO) ? new NetworkLoss(setup.group())
                : null;
        this.collNet = new CollNetSetup(proxy, setup, Math.max(1, rings.length)).connect();
        this.peers = new PeerPorts(setup, 0, setup.messageConnIndex());
        this.lanes = lanes;
        this.poster = lanes.poster(failure, timeout);
        this.memory = new UserMemory(this,
                collNet.collNet() == null ? null : collNet.collNet().registering(), this::await);
    }

    /** Whether the rings are to be connected yet. */
    boolean awaitsRings() {
        return rings.length < setup.channels();
    }

    /** Connects them. Blocks until all ranks do so. */
    void connectRings() {
        rings = setup.connectRings(timeout.compareTo(setup.timeout()) > 0 ? timeout : setup.timeout());
        memory.connected(rings);
    }

    /** How to wait from here on. */
    void waiter(StreamWaiter newWaiter) {
        waiter = newWaiter;
        if (proxy.isInvoker()) {
            poster.driver(newWaiter::drive);
        }
    }

    /** Whether the network carries out collectives, and why not. */
    CollNetSetup.Outcome collNet() {
        return collNet;
    }

    /** It does no more. */
    void withoutCollNet(String whyNot) {
        collNet = new CollNetSetup.Outcome(null, whyNot);
    }

    /** Throws if nothing has moved for too long, or all is in vain; for who waits in place of the caller. */
    void look(StreamWaiter.Standstill standstill, Duration longest) {
        waiter.look(standstill, longest);
    }

    /** Who is told whom all wait for, if nothing moves. */
    void onStall(Consumer<String> listener) {
        waiter.stall().onStall(listener);
    }

    /** Waits until all that was launched is done. */
    void await() {
        waiter.await(timeout);
    }
}
