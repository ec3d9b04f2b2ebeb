/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.testkit.Holdings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A rank of one job after the other, in a process that does what it is told, and answers each line with one. */
final class JobChild {
    private static final long BYTES = 64 << 10;
    private static final int FIRST_CALLS = 5;
    private static final long LATE_NS = 10_000_000;
    /** Between the values that are looked at: a few of each chunk. */
    private static final long STRIDE = 508;

    private final int rank;
    private final int nRanks;
    private final ProxyConfig config;
    private Communicator comm;
    private Holdings before;
    private DeviceMemory called;

    private JobChild(int rank, int nRanks, ProxyConfig config) {
        this.rank = rank;
        this.nRanks = nRanks;
        this.config = config;
    }

    /** Arguments: rank, number of ranks, folder of the runtimes, options as key=value. */
    public static void main(String[] args) throws IOException {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY.key(), args[2]).set("threading", "invoker").set("buffer.bytes", "64K");
        for (int i = 3; i < args.length; i++) {
            config.set(args[i].substring(0, args[i].indexOf('=')), args[i].substring(args[i].indexOf('=') + 1));
        }
        JobChild child = new JobChild(Integer.parseInt(args[0]), Integer.parseInt(args[1]), config.build());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(child.answer(line.split(" ")));
        }
    }

    private String answer(String[] words) {
        try {
            return switch (words[0]) {
                case "join" -> {
                    comm = Communicator.init(UniqueId.parse(words[1]), rank, nRanks, config);
                    yield "joined " + comm.explain((rank + 1) % nRanks).stream()
                            .filter(verdict -> verdict.isChosen()).findFirst().orElseThrow().name();
                }
                case "reduce" -> reduce(words.length == 1 ? 1 : Integer.parseInt(words[1]));
                case "late" -> reduce(Integer.parseInt(words[1]), LATE_NS);
                case "half", "max", "int32", "gather", "broadcast" -> other(words);
                case "call" -> {
                    called = comm.allocate(BYTES);
                    fill(called.segment(), rank);
                    comm.allReduce(called.segment(), called.segment(), BYTES / Float.BYTES, DataType.FLOAT32,
                            RedOp.SUM);
                    yield "called";
                }
                case "synchronize" -> {
                    comm.synchronize();
                    check(called.segment(), nRanks * (nRanks - 1) / 2f);
                    called.close();
                    yield "synchronized";
                }
                case "collnet" -> comm.explainCollNet();
                case "run" -> {
                    reduce(FIRST_CALLS);
                    System.out.println("running");
                    yield reduce(Integer.MAX_VALUE);
                }
                case "throw", "exhaust", "exit", "halt" -> end(words[0]);
                case "uds" -> comm.proxy().memory().address();
                case "close" -> {
                    comm.close();
                    yield "closed";
                }
                case "remember" -> {
                    before = Holdings.now();
                    yield "remembered";
                }
                case "compare" -> Holdings.now().equals(before) ? "same" : Holdings.now() + " instead of " + before;
                default -> "what is " + words[0] + "?";
            };
        } catch (ProxyException e) {
            return "failed " + e.result() + " " + e.getMessage();
        }
    }

    /** Something else than what {@link #reduce(int)} asks for. */
    private String other(String... words) {
        try (DeviceMemory memory = comm.allocate(BYTES)) {
            MemorySegment data = memory.segment();
            long count = BYTES / Float.BYTES;
            switch (words[0]) {
                case "half" -> comm.allReduce(data, data, count / 2, DataType.FLOAT32, RedOp.SUM);
                case "max" -> comm.allReduce(data, data, count, DataType.FLOAT32, RedOp.MAX);
                case "int32" -> comm.allReduce(data, data, count, DataType.INT32, RedOp.SUM);
                case "gather" -> comm.allGather(data.asSlice(rank * BYTES / nRanks / 64 * 64), data,
                        BYTES / nRanks / 64 * 64 / Float.BYTES, DataType.FLOAT32);
                default -> comm.broadcast(data, data, count, DataType.FLOAT32, Integer.parseInt(words[1]));
            }
            comm.synchronize();
            return String.join(" ", words);
        }
    }

    /** Ends its part in the midst of what all do, as programs with a bug do that close what they opened. */
    private String end(String how) {
        try (Communicator all = comm) {
            reduce(FIRST_CALLS);
            System.out.println("running");
            switch (how) {
                case "throw" -> throw new IllegalStateException("a bug of the user's");
                case "exhaust" -> exhaust();
                case "exit" -> System.exit(0);
                default -> Runtime.getRuntime().halt(1);
            }
            return "still there, as rank " + all.rank();
        } catch (IllegalStateException | OutOfMemoryError e) {
            return "left by " + e;
        }
    }

    private static void exhaust() {
        List<long[]> all = new ArrayList<>();
        while (true) {
            all.add(new long[1 << 20]);
        }
    }

    private String reduce(int calls) {
        return reduce(calls, 0);
    }

    private String reduce(int calls, long pauseNs) {
        try (DeviceMemory memory = comm.allocate(BYTES)) {
            MemorySegment data = memory.segment();
            for (int i = 0; i < calls; i++) {
                fill(data, i % 1000 + rank);
                if (pauseNs > 0) {
                    Uninterruptibly.parkNanos(pauseNs);
                }
                comm.allReduce(data, data, BYTES / Float.BYTES, DataType.FLOAT32, RedOp.SUM);
                comm.synchronize();
                check(data, i % 1000 * nRanks + nRanks * (nRanks - 1) / 2f);
            }
        }
        return "reduced";
    }

    private static void fill(MemorySegment data, float value) {
        for (long at = 0; at < BYTES; at += STRIDE) {
            data.set(ValueLayout.JAVA_FLOAT, at, value);
        }
    }

    private void check(MemorySegment data, float expected) {
        for (long at = 0; at < BYTES; at += STRIDE) {
            float value = data.get(ValueLayout.JAVA_FLOAT, at);
            if (value != expected) {
                throw new AssertionError("rank " + rank + ": " + value + " instead of " + expected + " at " + at);
            }
        }
    }
}
