/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

public final class TwoRanks {
    public static void main(String[] args) throws InterruptedException {
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress("127.0.0.1", 0), 2)) {
            Thread other = Thread.ofPlatform().start(() -> rank(root.id(), 1));
            rank(root.id(), 0);
            other.join();
        }
    }

    static void rank(UniqueId id, int rank) {
        try (Communicator comm = Communicator.init(id, rank, 2)) {
            MemorySegment data = comm.allocate(4096).segment();
            data.setAtIndex(JAVA_FLOAT, 0, rank + 1);
            comm.allReduce(data, data, 1024, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
            System.out.println("rank " + rank + " has " + data.getAtIndex(JAVA_FLOAT, 0));
        }
    }
}
