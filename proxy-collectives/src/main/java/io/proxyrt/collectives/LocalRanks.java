/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.runtime.HostLoad;
import java.nio.ByteBuffer;

/** Which ranks of a job are on one host: told before any of them has a runtime, so that all count the same others. */
final class LocalRanks {
    private static final int BYTES = Long.BYTES + Integer.BYTES;

    private LocalRanks() {
    }

    /** Blocks until all ranks ask, whatever mode each of them is configured for. */
    static HostLoad load(Bootstrap bootstrap, ProxyConfig config) {
        int seen = config.get(CoreOptions.THREADING) == ThreadingMode.AUTO ? HostLoad.seen(config).others() : 0;
        byte[] mine = ByteBuffer.allocate(BYTES).putLong(PeerProcess.own(config).hostHash()).putInt(seen).array();
        byte[][] all = bootstrap.allGather(mine, config.get(CoreOptions.CONNECT_TIMEOUT));
        return load(all, bootstrap.rank(), Runtime.getRuntime().availableProcessors());
    }

    /** Of the host of a rank. Who starts meanwhile is seen by some ranks only, and counts for all. */
    static HostLoad load(byte[][] all, int rank, int cpus) {
        long host = ByteBuffer.wrap(all[rank]).getLong();
        int ranks = 0;
        int others = 0;
        for (byte[] one : all) {
            ByteBuffer told = ByteBuffer.wrap(one);
            if (one.length == BYTES && told.getLong() == host) {
                ranks++;
                others = Math.max(others, told.getInt());
            }
        }
        return new HostLoad(cpus, ranks, others);
    }
}
