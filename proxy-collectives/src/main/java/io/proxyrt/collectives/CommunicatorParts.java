/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;

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
    final Ring[] rings;
    final PeerPorts peers;
    final OpsPoster poster;
    final UserMemory memory;
    /** Null if what a network does not finish is not done again. */
    final NetworkLoss networkLoss;
    /** The last thing that came of it. */
    private CollNetSetup.Outcome collNet;
    private StreamWaiter waiter;

    /** Blocks until all ranks do so. */
    CommunicatorParts(RankRuntime runtime, FirstFailure failure, boolean isOnGpu) {
        this.proxy = runtime.proxy();
        this.config = proxy.config();
        this.timeout = config.get(CollectivesOptions.TIMEOUT);
        this.failure = failure;
        this.user = new SingleUser(proxy.rank(), failure);
        this.setup = new RingSetup(runtime, failure.agreement(), config, isOnGpu);
        this.rings = setup.connectRings();
        this.networkLoss = config.get(CollectivesOptions.COLLNET_REDO) ? new NetworkLoss(setup.bootstrap()) : null;
        this.collNet = new CollNetSetup(proxy, setup, Math.max(1, rings.length)).connect();
        this.peers = new PeerPorts(setup, 0, Communicator.P2P_CONN_INDEX);
        this.poster = proxy.poster();
        this.memory = new UserMemory(proxy, rings, peers,
                collNet.collNet() == null ? null : collNet.collNet().registering(), setup, user, this::await);
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

    /** Waits until all that was launched is done. */
    void await() {
        waiter.await(timeout);
    }
}
