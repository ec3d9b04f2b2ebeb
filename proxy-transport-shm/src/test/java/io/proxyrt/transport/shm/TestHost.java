/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.PeerInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Passes descriptors between the ranks of a test, in place of UDS threads: each one has an address of its own. */
final class TestHost {
    private final Map<Long, Export> exports = new HashMap<>();
    private long lastHandle;

    private record Export(int rank, Supplier<OwnedFd> source, Set<Integer> ranks) {
    }

    /** What a rank has in place of its UDS thread. */
    MemfdSegments.Exports of(int rank) {
        return new MemfdSegments.Exports() {
            @Override
            public String whyNot(PeerInfo self, PeerInfo peer) {
                return self.uds().isEmpty() || peer.uds().isEmpty() ? "one of them has no UDS thread" : "";
            }

            @Override
            public String address() {
                return TestHost.address(rank);
            }

            @Override
            public long export(Supplier<OwnedFd> source, Set<Integer> ranks) {
                source.get().close();
                exports.put(++lastHandle, new Export(rank, source, ranks));
                return lastHandle;
            }

            @Override
            public boolean revoke(long handle) {
                return exports.remove(handle) != null;
            }

            @Override
            public OwnedFd getFd(String address, long handle, Duration timeout) {
                Export export = exports.get(handle);
                if (export == null || !export.ranks.contains(rank) || !TestHost.address(export.rank).equals(address)) {
                    throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no memory at " + address);
                }
                return export.source.get();
            }
        };
    }

    static String address(int rank) {
        return "@rank-" + rank;
    }

    /** Segments that may still be mapped. */
    int exports() {
        return exports.size();
    }
}
