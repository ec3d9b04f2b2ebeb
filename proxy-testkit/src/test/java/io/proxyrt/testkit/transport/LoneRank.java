/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * One of two ranks that have a runtime each, a connection and a stream, and no communicator. In a process of its own it
 * does what it is told, and answers each line with one.
 */
final class LoneRank implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final JobSecret SECRET =
            JobSecret.of("ranks without a communicator".getBytes(StandardCharsets.UTF_8));
    private static final HexFormat HEX = HexFormat.of();
    private static final long SLICE_BYTES = 4096;
    private static final long POLL_NS = 100_000;

    final ProxyState proxy;
    final HostStream stream;
    private final OpsPoster poster;
    private final Direction direction;
    private Connector connector;
    private DeviceConnection connection;
    private long opCount;

    /** Rank 0 or 1, which sends or receives. */
    LoneRank(int rank, Direction direction, Path directory, Map<String, String> options) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, directory.resolve("runtimes").toString()).set("buffer.bytes", "32K");
        options.forEach(config::set);
        this.direction = direction;
        this.proxy = ProxyState.builder().rank(rank, 2).job(SECRET, "lone").config(config.build()).start();
        this.stream = proxy.stream("stream-" + rank);
        this.poster = proxy.poster();
    }

    /** Arguments: rank, direction, folder of the runtimes, transport, options as key=value. */
    public static void main(String[] args) throws IOException {
        Map<String, String> options = new java.util.HashMap<>();
        for (int i = 4; i < args.length; i++) {
            options.put(args[i].substring(0, args[i].indexOf('=')), args[i].substring(args[i].indexOf('=') + 1));
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        try (LoneRank rank = new LoneRank(Integer.parseInt(args[0]), Direction.valueOf(args[1]), Path.of(args[2]),
                options)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String answer = rank.answer(line.split(" "), args[3]);
                if (!answer.isEmpty()) {
                    System.out.println(answer);
                }
            }
        } catch (IllegalStateException | OutOfMemoryError e) {
            System.out.println("left by " + e);
            // Neither the input's end nor the process's shall be what the other rank notices.
            in.readLine();
        }
    }

    private String answer(String[] words, String transport) {
        switch (words[0]) {
            case "info" -> {
                return info();
            }
            case "setup" -> {
                return setUp(words[1], transport);
            }
            case "connect" -> {
                CompletableFuture<DeviceConnection> connected = connect(words[1]);
                while (!connected.isDone()) {
                    drive();
                }
                connected.join();
                return "connected";
            }
            case "move" -> {
                launch(Integer.parseInt(words[1]));
                awaitIdle();
                return "moved";
            }
            case "launch" -> {
                launch(Integer.parseInt(words[1]));
                if (proxy.isInvoker()) {
                    awaitIdle();
                }
                return "launched";
            }
            case "throw" -> throw new IllegalStateException("a bug of the user's");
            case "exhaust" -> exhaust();
            case "halt" -> Runtime.getRuntime().halt(3);
            case "exit" -> System.exit(0);
            default -> throw new IllegalArgumentException(words[0]);
        }
        return "";
    }

    private static void exhaust() {
        List<long[]> all = new ArrayList<>();
        while (true) {
            all.add(new long[1 << 20]);
        }
    }

    String info() {
        return HEX.formatHex(proxy.peerInfo().encode());
    }

    /** Returns what the other rank has to know. */
    String setUp(String peer, String transport) {
        connector = proxy.connector(new ConnectorRequest(direction, proxy.peerInfo(),
                PeerInfo.decode(HEX.parseHex(peer)), 0, 0), transport);
        return HEX.formatHex(proxy.await(connector.setup(), TIMEOUT, "setup"));
    }

    CompletableFuture<DeviceConnection> connect(String theirs) {
        return connector.connect(HEX.parseHex(theirs)).thenApply(made -> connection = made);
    }

    /** Of a number of steps; posts an op where one is needed. */
    void launch(int steps) {
        if (connector.needsProxy()) {
            poster.append(opCount).connection(connector.connectionId()).peer(1 - proxy.rank()).nsteps(steps)
                    .sliceSteps(1).chunkSteps(1).nbytes(connection.stepBytes(Protocol.SIMPLE))
                    .protocol(Protocol.SIMPLE.ordinal());
            poster.post();
            opCount += 2;
        }
        stream.launch(new Kernel(steps));
    }

    private void awaitIdle() {
        while (stream.outstanding() > 0 || poster.outstanding() > 0) {
            drive();
        }
    }

    /** What a caller does in INVOKER mode. */
    void drive() {
        if (!proxy.isInvoker() || stream.doWork() + proxy.invoke() == 0) {
            LockSupport.parkNanos(POLL_NS);
            proxy.invokeAll();
        }
    }

    @Override
    public void close() {
        poster.close();
        proxy.close(Duration.ofSeconds(1));
    }

    /** Moves slices as a kernel of a collective does. */
    private final class Kernel implements HostKernel {
        private final StepKernel steps;

        Kernel(int nsteps) {
            StepOp op = new StepOp(Protocol.SIMPLE, nsteps, 1, 1, SLICE_BYTES);
            var user = Arena.ofAuto().allocate(nsteps * SLICE_BYTES);
            steps = direction == Direction.SEND ? StepKernel.sending(connection, op, user)
                    : StepKernel.receiving(connection, op, user);
        }

        @Override
        public int doWork() {
            return steps.step() ? 1 : 0;
        }

        @Override
        public boolean isDone() {
            return steps.isDone();
        }

        @Override
        public void onRetired(boolean isDropped) {
        }

        @Override
        public ProxyException whyHopeless() {
            return direction == Direction.SEND ? connection.whyNoCredit() : connection.whyNoSteps(Protocol.SIMPLE);
        }

        @Override
        public String toString() {
            return direction + " of " + steps.op.nsteps() + " steps waits for step " + (steps.base + steps.done + 1)
                    + " from " + connection.peerName();
        }
    }
}
