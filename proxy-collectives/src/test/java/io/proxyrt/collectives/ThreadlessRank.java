/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Holdings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Starts two ranks again and again, the second of which gets one thread more each time, until it gets all. */
final class ThreadlessRank {
    private static final int MOST = 60;
    private static final int ALL = Integer.MAX_VALUE;
    /** Less than any timeout of a rank that waits for one that is gone. */
    private static final long SOON_NS = 12_000_000_000L;
    private static final long SETTLE_NS = 20_000_000_000L;

    private final ProxyConfig config;
    private final Process shell;
    private final String usual = line("/proc/self/limits", "Max processes").split(" {2,}")[1];

    private ThreadlessRank(String directory) throws IOException {
        ProxyConfig.Builder settings = ProxyConfig.builder().environment(Map.of());
        ThreadLimitTest.settings(directory).forEach(settings::set);
        this.config = settings.build();
        this.shell = new ProcessBuilder("sh", "-c", "while read n; do prlimit --pid " + ProcessHandle.current().pid()
                + " --nproc=$n: && echo set || echo refused; done").redirectErrorStream(true).start();
    }

    /** Argument: a folder. */
    public static void main(String... args) throws Exception {
        ThreadlessRank rank = new ThreadlessRank(args[0]);
        for (int i = 0; i < 2; i++) {
            List<Throwable> ends = rank.start(ALL);
            if (!ends.isEmpty()) {
                System.out.println("does not start without a limit: " + ends);
                return;
            }
        }
        System.out.println(rank.limit(ALL).equals("set") ? "ready" : "no limit");
        Holdings before = Holdings.now();
        boolean isUp = false;
        for (int more = 0; more < MOST && !isUp; more++) {
            long start = System.nanoTime();
            List<Throwable> ends = rank.start(more);
            long tookNs = System.nanoTime() - start;
            String left = left(before);
            isUp = ends.isEmpty();
            if (!isUp || !left.isEmpty()) {
                boolean isGood = left.isEmpty() && ends.size() == 2 && tookNs < SOON_NS;
                System.out.println(isGood ? "undone and told"
                        : "ended by " + ends + " after " + tookNs + " ns; left: " + left);
            }
        }
        System.out.println(isUp ? "enough" : "never enough");
    }

    private String limit(int threads) throws IOException {
        shell.outputWriter().write((threads == ALL ? usual : Integer.toString(threads)) + "\n");
        shell.outputWriter().flush();
        return shell.inputReader().readLine();
    }

    /** Empty if both came up; else what became of each. */
    private List<Throwable> start(int more) throws Exception {
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2)) {
            CompletableFuture<Optional<Throwable>> other = new CompletableFuture<>();
            Thread.ofPlatform().start(() -> other.complete(init(root, 0)));
            if (more < ALL) {
                limit(threads() + 1 + more);
            }
            Optional<Throwable> own = init(root, 1);
            limit(ALL);
            return Stream.of(own, other.get()).flatMap(Optional::stream).toList();
        }
    }

    private Optional<Throwable> init(BootstrapRoot root, int rank) {
        try (Communicator comm = Communicator.init(root.id(), rank, 2, config)) {
            comm.barrier();
            return Optional.empty();
        } catch (ProxyException | OutOfMemoryError e) {
            return Optional.of(e);
        }
    }

    /** Of this user: this process and its shell. */
    private static int threads() throws IOException {
        return Integer.parseInt(line("/proc/self/status", "Threads:").substring("Threads:".length()).strip());
    }

    private static String line(String file, String begin) throws IOException {
        return Files.readAllLines(Path.of(file)).stream().filter(line -> line.startsWith(begin)).findFirst()
                .orElseThrow();
    }

    private static String left(Holdings before) {
        long deadline = System.nanoTime() + SETTLE_NS;
        Holdings now = Holdings.now();
        while (!now.equals(before) && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
            now = Holdings.now();
        }
        return now.equals(before) ? "" : now.toString();
    }
}
