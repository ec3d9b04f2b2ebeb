/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.service.UdsClient;
import io.proxyrt.core.service.UdsEndpoint;
import io.proxyrt.core.service.UdsHandler;
import java.util.ArrayList;
import java.util.List;

/** A UDS thread's duty whose handler gives everybody of the job the descriptor of one piece of memory. */
final class MemoryAgent implements Agent, UdsHandler {
    static final long HANDLE = 7;
    private static final long MEMORY_BYTES = 4096;

    private final Rank rank;
    private final OwnedFd memory;
    private final UdsEndpoint endpoint;

    MemoryAgent(Rank rank) {
        this.rank = rank;
        this.memory = rank.platform().descriptors().memfd("proxyrt-bench", MEMORY_BYTES);
        this.endpoint = rank.openUds(this);
    }

    String address() {
        return endpoint.address();
    }

    UdsClient connect(String service) {
        return endpoint.connect(service, Rank.PATIENCE, null);
    }

    @Override
    public List<OwnedFd> onGetFd(PeerId peer, long[] handles) {
        List<OwnedFd> fds = new ArrayList<>(handles.length);
        for (long handle : handles) {
            if (handle != HANDLE) {
                fds.forEach(OwnedFd::close);
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no memory has the handle " + handle);
            }
            fds.add(rank.platform().descriptors().duplicate(memory));
        }
        return fds;
    }

    @Override
    public int[] onQueryFd(PeerId peer, List<OwnedFd> fds) {
        fds.forEach(OwnedFd::close);
        throw new ProxyException(ProxyResult.INVALID_USAGE, "this rank takes no descriptors");
    }

    @Override
    public void onDisconnect(PeerId peer) {
        // Nothing is kept for a peer.
    }

    @Override
    public String name() {
        return "proxy-uds-" + rank.number();
    }

    @Override
    public int doWork() {
        return endpoint.doWork();
    }

    @Override
    public void park(long maxNs) {
        endpoint.park(maxNs);
    }

    @Override
    public boolean isWoken() {
        return true;
    }

    @Override
    public void wakeup(Thread runner) {
        endpoint.wakeup(runner);
    }

    @Override
    public void onClose() {
        endpoint.onClose();
        memory.close();
    }
}
