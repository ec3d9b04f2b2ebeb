/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.metrics.micrometer;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** A job of two ranks in this process, over the network. */
final class TwoRanks {
    static final int CALLS = 20;

    private TwoRanks() {
    }

    static void run(Path directory, Consumer<Communicator> behindTheCalls) throws Exception {
        run(directory, builder -> { }, behindTheCalls);
    }

    static void run(Path directory, Consumer<ProxyConfig.Builder> more, Consumer<Communicator> behindTheCalls)
            throws Exception {
        ProxyConfig.Builder builder = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, directory.resolve("runtimes").toString())
                .set(CollectivesOptions.TRANSPORT, "NET");
        more.accept(builder);
        ProxyConfig config = builder.build();
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2);
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Callable<Void> other = () -> rank(root, 1, config, comm -> { });
            Future<Void> one = threads.submit(other);
            rank(root, 0, config, behindTheCalls);
            one.get();
        }
    }

    private static Void rank(BootstrapRoot root, int rank, ProxyConfig config, Consumer<Communicator> behindTheCalls) {
        try (Communicator comm = Communicator.init(root.id(), rank, 2, config)) {
            allReduce(comm, CALLS);
            behindTheCalls.accept(comm);
            comm.barrier();
        }
        return null;
    }

    static void allReduce(Communicator comm, int calls) {
        MemorySegment data = comm.allocate(4096).segment();
        for (int i = 0; i < calls; i++) {
            comm.allReduce(data, data, 1024, DataType.FLOAT32, RedOp.SUM);
        }
        comm.synchronize();
    }
}
