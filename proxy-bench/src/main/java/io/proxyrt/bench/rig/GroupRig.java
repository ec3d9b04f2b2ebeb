/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.collectives.Collectives;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Many small calls by ranks in processes of their own, waited for once: launched one by one, or as a group. Blocks of
 * either take turns, so that what disturbs one disturbs the other; of each, the median counts. What came of the last
 * calls of a block is checked.
 */
final class GroupRig implements Peer {
    /** Times that all calls are made in a block. */
    private static final int ROUNDS = 16;
    private static final int ROUND_OF_VALUES = 1000;
    private static final double NS_PER_US = 1000;

    private final int rank;
    private final int nRanks;
    private final String what;
    private final long count;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment[] inputs;
    private final MemorySegment[] outputs;
    private final Communicator comm;

    private GroupRig(RigArguments arguments, int rank, UniqueId id) {
        this.rank = rank;
        this.nRanks = arguments.number("ranks");
        this.what = arguments.text("call");
        this.count = arguments.number("bytes") / Float.BYTES;
        this.inputs = buffers(arguments.number("calls"));
        this.outputs = buffers(inputs.length);
        try {
            for (int i = 0; i < inputs.length; i++) {
                fill(inputs[i], i);
            }
            Pinning.pin(arguments, rank);
            comm = Communicator.init(id, rank, nRanks, RigArguments.config(arguments.options()).build());
        } catch (Throwable t) {
            arena.close();
            throw t;
        }
    }

    static Measurements measure(RigArguments arguments) throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (BootstrapRoot root = BootstrapRoot.open(any, arguments.number("ranks"));
                Others others = new Others(arguments, root.id());
                GroupRig own = new GroupRig(arguments, 0, root.id())) {
            return WarmUp.measure(arguments, (durationNs, found) -> own.run(others, durationNs, found));
        }
    }

    /** Another rank, which is told which one, and where all meet. */
    static Peer peer(RigArguments arguments, Talk rig) {
        String[] words = rig.line().split(" ");
        return new GroupRig(arguments, Integer.parseInt(words[0]), UniqueId.parse(words[1]));
    }

    /** The processes of the other ranks. */
    private static final class Others implements AutoCloseable {
        private final List<PeerJvm> processes = new ArrayList<>();

        Others(RigArguments arguments, UniqueId id) throws IOException {
            try {
                for (int rank = 1; rank < arguments.number("ranks"); rank++) {
                    PeerJvm process = PeerJvm.of("groups", arguments.words());
                    processes.add(process);
                    process.tell(rank + " " + id);
                }
            } catch (Throwable t) {
                close();
                throw t;
            }
        }

        void begin(boolean isGrouped) {
            processes.forEach(process -> process.tell(isGrouped ? "group" : "singly"));
        }

        void awaitEnd() {
            processes.forEach(PeerJvm::line);
        }

        @Override
        public void close() {
            for (PeerJvm process : processes) {
                process.end();
            }
        }
    }

    /** Returns what a block of groups takes, as the figure that settles. */
    private double run(Others others, long durationNs, Measurements found) {
        Histogram singly = Measurements.histogram();
        Histogram grouped = Measurements.histogram();
        long end = System.nanoTime() + durationNs;
        do {
            singly.recordValue(block(others, false));
            grouped.recordValue(block(others, true));
        } while (System.nanoTime() - end < 0);
        double singlyNs = singly.getValueAtPercentile(50);
        double groupNs = grouped.getValueAtPercentile(50);
        double calls = ROUNDS * inputs.length;
        found.add("single_us", singlyNs / calls / NS_PER_US);
        found.add("group_us", groupNs / calls / NS_PER_US);
        found.add("gain", singlyNs / groupNs);
        return groupNs;
    }

    private long block(Others others, boolean isGrouped) {
        others.begin(isGrouped);
        long tookNs = block(isGrouped);
        others.awaitEnd();
        return tookNs;
    }

    /** The first round, for which ranks wait for the last to begin, does not count. */
    private long block(boolean isGrouped) {
        for (MemorySegment output : outputs) {
            output.fill((byte) 0);
        }
        round(isGrouped);
        long start = System.nanoTime();
        for (int i = 0; i < ROUNDS; i++) {
            round(isGrouped);
        }
        long tookNs = System.nanoTime() - start;
        check();
        return tookNs;
    }

    private void round(boolean isGrouped) {
        if (isGrouped) {
            comm.group(this::launch);
        } else {
            launch(comm);
        }
        comm.synchronize();
    }

    private void launch(Collectives calls) {
        switch (what) {
            case "all_reduce" -> {
                for (int i = 0; i < inputs.length; i++) {
                    calls.allReduce(inputs[i], outputs[i], count, DataType.FLOAT32, RedOp.SUM);
                }
            }
            case "sendrecv" -> {
                for (int i = 0; i < inputs.length; i++) {
                    calls.sendRecv(inputs[i], (rank + 1) % nRanks, outputs[i], previous());
                }
            }
            default -> throw new IllegalArgumentException("no such call: " + what);
        }
    }

    private int previous() {
        return Math.floorMod(rank - 1, nRanks);
    }

    private MemorySegment[] buffers(int calls) {
        MemorySegment[] buffers = new MemorySegment[calls];
        for (int i = 0; i < calls; i++) {
            buffers[i] = arena.allocate(count * Float.BYTES, 64);
        }
        return buffers;
    }

    private void fill(MemorySegment input, int call) {
        for (long i = 0; i < count; i++) {
            input.setAtIndex(ValueLayout.JAVA_FLOAT, i, value(rank, call, i));
        }
    }

    /** Sums of them are exact. */
    private static float value(int ofRank, int call, long index) {
        return ofRank * ROUND_OF_VALUES + call + index % ROUND_OF_VALUES;
    }

    private float expected(int call, long index) {
        if (what.equals("sendrecv")) {
            return value(previous(), call, index);
        }
        float sum = 0;
        for (int i = 0; i < nRanks; i++) {
            sum += value(i, call, index);
        }
        return sum;
    }

    private void check() {
        for (int call = 0; call < outputs.length; call++) {
            for (long i = 0; i < count; i++) {
                float found = outputs[call].getAtIndex(ValueLayout.JAVA_FLOAT, i);
                if (found != expected(call, i)) {
                    throw new IllegalStateException("element " + i + " of call " + call + " is " + found + " and not "
                            + expected(call, i));
                }
            }
        }
    }

    @Override
    public void obey(String[] order, Talk rig) {
        block(order[0].equals("group"));
        rig.tell("done");
    }

    @Override
    public void close() {
        try {
            comm.close();
        } finally {
            arena.close();
        }
    }
}
