/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.testkit.Await;
import io.proxyrt.testkit.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Ranks in processes of their own, one of which comes to harm. */
final class ChildJob implements AutoCloseable {
    /** Soon exhausted. */
    private static final List<String> SMALL_HEAP = List.of("env", "JAVA_TOOL_OPTIONS=-Xmx256m");

    private final String transport;
    private final Path runtimes;
    private final List<String> options;
    private final List<ChildJvm> ranks = new ArrayList<>();
    private BootstrapRoot root;

    /**
     * Ranks that have joined nothing yet, and choose the transport of this name when they do. What an option has as
     * {rank} or {node} is each one's own; two ranks are on a node.
     */
    ChildJob(String transport, int nRanks, Path runtimes, String... options) throws IOException {
        this.transport = transport;
        this.runtimes = runtimes;
        this.options = List.of(options);
        for (int rank = 0; rank < nRanks; rank++) {
            ranks.add(start(rank, nRanks));
        }
    }

    /** In place of one that was killed. */
    void replace(int rank) throws IOException {
        ranks.get(rank).close();
        ranks.set(rank, start(rank, ranks.size()));
    }

    private ChildJvm start(int rank, int nRanks) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(Integer.toString(rank), Integer.toString(nRanks),
                runtimes.toString()));
        options.forEach(option -> arguments.add(option.replace("{rank}", Integer.toString(rank))
                .replace("{node}", Integer.toString(rank / 2))));
        return new ChildJvm(SMALL_HEAP, JobChild.class, arguments.toArray(String[]::new));
    }

    /** A whole job, after which each rank remembers what it holds: classes keep something for good. */
    void rehearse() {
        join(BootstrapConfig.defaults());
        tellAll("reduce", "reduced");
        tellAll("close", "closed");
        tellAll("remember", "remembered");
    }

    void join(BootstrapConfig config) {
        beginToJoin(config);
        ranks.forEach(rank -> rank.expect("joined " + transport));
    }

    /** Does not wait for their answers. */
    void beginToJoin(BootstrapConfig config) {
        if (root != null) {
            root.close();
        }
        root = BootstrapRoot.open(UniqueId.random(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                ranks.size(), config);
        ranks.forEach(rank -> rank.tell("join " + root.id()));
    }

    /** Until all ranks are amidst one collective after the other. */
    void run() {
        tellAll("run", "running");
    }

    /** Until all are, one of which ends soon, in one of the ways that a child knows. */
    void run(int victim, String fate) {
        ranks.forEach(rank -> rank.tell(rank == ranks.get(victim) ? fate : "run"));
        ranks.forEach(rank -> rank.expect("running"));
    }

    void tellAll(String command, String answer) {
        ranks.forEach(rank -> rank.tell(command));
        ranks.forEach(rank -> rank.expect(answer));
    }

    ChildJvm rank(int rank) {
        return ranks.get(rank);
    }

    List<ChildJvm> others(int victim) {
        return IntStream.range(0, ranks.size()).filter(rank -> rank != victim).mapToObj(ranks::get).toList();
    }

    /** Until a rank's runtime has the given number of connections. */
    void awaitConnections(int rank, int connections) {
        Await.until(() -> RuntimeDirectory.list(runtimes).stream()
                .filter(entry -> entry.rank() == rank && entry.isAlive())
                .anyMatch(entry -> connections(entry) >= connections),
                () -> connections + " connections of rank " + rank);
    }

    private static long connections(RuntimeDirectory.Entry entry) {
        try (CountersReader reader = CountersReader.open(entry.counters())) {
            return reader.value(Counter.CONNECTIONS.ordinal());
        } catch (io.proxyrt.core.ProxyException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        ranks.forEach(ChildJvm::close);
        if (root != null) {
            root.close();
        }
    }
}
