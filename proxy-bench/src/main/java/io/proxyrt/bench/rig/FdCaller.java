/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.UdsClient;
import io.proxyrt.core.service.UdsEndpoint;
import io.proxyrt.core.service.UdsHandler;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Gets the descriptor of one piece of memory of another JVM, one call at a time, and closes it at once. */
final class FdCaller implements CallRig.Caller {
    private static final long HANDLE = 7;
    private static final long MEMORY_BYTES = 4096;

    private final UdsEndpoint endpoint;
    private final UdsClient client;

    FdCaller(Rank rank, String service) {
        endpoint = rank.openUds(new Memory(rank, null));
        client = endpoint.connect(service, Rank.PATIENCE, null);
    }

    @Override
    public double run(long durationNs, Histogram took) {
        long end = System.nanoTime() + durationNs;
        for (long start = System.nanoTime(); start - end < 0; start = System.nanoTime()) {
            client.getFd(Rank.PATIENCE, null, HANDLE).getFirst().close();
            took.recordValue(System.nanoTime() - start);
        }
        return took.getValueAtPercentile(50);
    }

    @Override
    public void close() {
        client.close();
        endpoint.onClose();
    }

    /** The other process: its UDS thread gives every rank of the job the descriptor. */
    static Peer service(Rank rank, Talk rig) {
        OwnedFd memory = rank.platform().descriptors().memfd("proxyrt-bench", MEMORY_BYTES);
        UdsEndpoint endpoint = rank.openUds(new Memory(rank, memory));
        Rank.Running running = rank.serve(endpoint, endpoint.address(), rig);
        return () -> {
            running.close();
            memory.close();
        };
    }

    /** Null if there is none to give. */
    private record Memory(Rank rank, OwnedFd memory) implements UdsHandler {
        @Override
        public List<OwnedFd> onGetFd(PeerId peer, long[] handles) {
            List<OwnedFd> fds = new ArrayList<>(handles.length);
            for (long handle : handles) {
                if (handle != HANDLE || memory == null) {
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
    }
}
