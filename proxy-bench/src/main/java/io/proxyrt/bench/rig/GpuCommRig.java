/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.collectives.ReductionList;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Two ranks with a GPU each, or the only one: calls queued back to back, and the time until the last is done, at the
 * receiver. The better of two batches, as NCCL's figures beside it. Ranks are processes, but for a single GPU's:
 * kernels of two processes do not run on one side by side. The data are {@code proxyrt perf}'s to check.
 */
final class GpuCommRig {
    private static final int BATCHES = 2;
    private static final int LEAST_CALLS = 4;
    /** Much more than the slots of all connections hold, 384 MiB: what a sender that starts sooner is ahead by. */
    private static final long BYTES_A_BATCH = 4L << 30;
    private static final long HUGE_BYTES = 16L << 20;
    private static final double NS_PER_US = 1000;

    private final RigArguments arguments;

    private GpuCommRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    static Measurements measure(RigArguments arguments) throws IOException, InterruptedException {
        GpuCommRig rig = new GpuCommRig(arguments);
        Measurements found = new Measurements();
        try (BootstrapRoot root = CommEnd.root()) {
            if (arguments.number("gpus") == 1) {
                Thread other = Thread.ofPlatform().daemon().name("proxyrt-rank-1")
                        .start(() -> rig.run(root.id(), 1, new Measurements()));
                rig.run(root.id(), 0, found);
                if (!other.join(Rank.PATIENCE)) {
                    throw new IllegalStateException("rank 1 does not end");
                }
            } else {
                try (PeerJvm other = PeerJvm.of("gpucomm", arguments.words())) {
                    other.tell(root.id().toString());
                    rig.run(root.id(), 0, found);
                }
            }
        }
        return found;
    }

    /** The other rank, which is told the id and needs no orders. */
    static Peer peer(RigArguments arguments, Talk rig) {
        new GpuCommRig(arguments).run(UniqueId.parse(rig.line()), 1, new Measurements());
        return () -> { };
    }

    private void run(UniqueId id, int rank, Measurements found) {
        try (Communicator comm = Communicator.init(id, rank, CommEnd.RANKS, config(rank));
                DeviceMemory send = comm.allocate(arguments.mostBytes());
                DeviceMemory recv = comm.allocate(arguments.mostBytes())) {
            warmUp(comm, send.range(), recv.range());
            for (long bytes : arguments.sizes()) {
                double nanos = best(comm, send.range().asSlice(0, bytes), recv.range().asSlice(0, bytes));
                found.add(Long.toString(bytes), "us", nanos / NS_PER_US);
                found.add(Long.toString(bytes), "gbs", bytes / nanos);
            }
        }
    }

    /** For the JVM's compilers: every size that has a way of its own. */
    private void warmUp(Communicator comm, MemorySegment send, MemorySegment recv) {
        for (long bytes : arguments.sizes()) {
            if (bytes < HUGE_BYTES) {
                batch(comm, send.asSlice(0, bytes), recv.asSlice(0, bytes), arguments.number("warmup"));
            }
        }
    }

    /** No compiler runs beside what is measured. */
    private ProxyConfig config(int rank) {
        return RigArguments.set(ProxyConfig.builder(), arguments.options())
                .set(CollectivesOptions.GPU_COMPILE_AHEAD, ReductionList.parse("none")).set(CoreOptions.DEVICE,
                        arguments.text("device") + ":" + rank % arguments.number("gpus")).build();
    }

    /** Nanoseconds a call. */
    private double best(Communicator comm, MemorySegment send, MemorySegment recv) {
        long bytes = send.byteSize();
        int most = arguments.number("calls");
        int calls = Math.clamp(BYTES_A_BATCH / bytes, LEAST_CALLS, most);
        batch(comm, send, recv, bytes >= HUGE_BYTES ? LEAST_CALLS : most);
        double best = Double.POSITIVE_INFINITY;
        for (int i = 0; i < BATCHES; i++) {
            meet(comm, recv);
            long start = System.nanoTime();
            batch(comm, send, recv, calls);
            best = Math.min(best, (double) (System.nanoTime() - start) / calls);
        }
        return best;
    }

    /** Ranks leave a barrier of the bootstrap's up to 100 us one after the other, a small all-reduce together. */
    private static void meet(Communicator comm, MemorySegment any) {
        comm.barrier();
        comm.allReduce(any, any, 1, DataType.FLOAT32, RedOp.SUM);
        comm.synchronize();
    }

    private void batch(Communicator comm, MemorySegment send, MemorySegment recv, int calls) {
        String what = arguments.text("call");
        for (int i = 0; i < calls; i++) {
            switch (what) {
                case "one-way" -> oneWay(comm, send, recv);
                case "both-ways" -> comm.sendRecv(send, 1 - comm.rank(), recv, 1 - comm.rank());
                case "all_reduce" -> comm.allReduce(send, recv, send.byteSize() / Float.BYTES, DataType.FLOAT32,
                        RedOp.SUM);
                default -> throw new IllegalArgumentException("no such call: " + what);
            }
        }
        comm.synchronize();
    }

    /** To rank 0, whose time counts. */
    private static void oneWay(Communicator comm, MemorySegment send, MemorySegment recv) {
        if (comm.rank() == 0) {
            comm.recv(recv, 1);
        } else {
            comm.send(send, 0);
        }
    }
}
