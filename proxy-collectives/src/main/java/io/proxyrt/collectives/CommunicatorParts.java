/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.collectives.gpu.DevicePrograms;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;

/** The parts of a communicator, put together in the order of their needs. Blocks until all ranks do so. */
final class CommunicatorParts {
    final Duration timeout;
    final FirstFailure failure;
    final RingSetup setup;
    final Ring[] rings;
    /** Null on a GPU. */
    final Doubling doubling;
    final KernelLauncher launcher;
    final OpsPoster poster;
    final StreamWaiter waiter;
    final UserMemory memory;
    final LaunchPlanner planner;
    final LaunchOps ops;
    final ArgumentCheck check;
    final SingleUser user;

    /** What it takes of the runtime goes with the runtime; what it takes of a GPU is given back if it fails. */
    CommunicatorParts(ProxyState proxy, Bootstrap bootstrap) {
        ProxyConfig config = proxy.config();
        int rank = bootstrap.rank();
        this.timeout = config.get(CollectivesOptions.TIMEOUT);
        this.failure = new FirstFailure(proxy, bootstrap);
        this.user = new SingleUser(rank, failure);
        DevicePrograms programs = DeviceLauncher.programs(proxy.device(), rank, config);
        try {
            this.setup = new RingSetup(proxy, bootstrap, failure.agreement(), config, programs != null);
            this.rings = setup.connectRings();
            PeerPorts peers = new PeerPorts(setup, 0, Communicator.P2P_CONN_INDEX);
            this.poster = proxy.poster();
            this.memory = new UserMemory(proxy, rings, peers, setup, user, this::awaitStream);
            boolean isDirect = setup.agreeOnDirect(rings);
            if (programs == null) {
                this.planner = LaunchPlanner.ofHost(config, bootstrap.nRanks(), rings, isDirect, memory);
                this.ops = new LaunchOps(rank, poster, planner);
                HostLauncher host = new HostLauncher(setup, rings, proxy.stream("proxy-stream-" + rank), peers, ops,
                        planner, memory);
                this.launcher = host;
                this.doubling = new Doubling(setup, rings.length, host);
                this.check = ArgumentCheck.ofHost(setup, proxy.isInvoker());
            } else {
                this.planner = LaunchPlanner.ofGpu(config, rings, setup.path());
                this.ops = new LaunchOps(rank, poster, planner);
                this.launcher = new DeviceLauncher(proxy.device(), programs, setup, rings, peers, ops);
                this.doubling = null;
                this.check = ArgumentCheck.ofGpu(setup, proxy.device());
            }
            failure.kernels(launcher);
            this.waiter = new StreamWaiter(proxy, launcher, poster, failure,
                    WaitStyle.of(config, programs != null, setup.localRanks(), rings));
        } catch (RuntimeException | Error e) {
            giveBack(programs, e);
            throw e;
        }
        if (proxy.isInvoker()) {
            poster.driver(waiter::drive);
        }
    }

    private void awaitStream() {
        waiter.await(timeout);
    }

    private static void giveBack(DevicePrograms programs, Throwable cause) {
        if (programs != null) {
            try {
                programs.queue().close();
                programs.close();
            } catch (RuntimeException e) {
                cause.addSuppressed(e);
            }
        }
    }
}
