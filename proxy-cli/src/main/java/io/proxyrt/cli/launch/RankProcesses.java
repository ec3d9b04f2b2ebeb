/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs all ranks as processes of this host, and has none of them outlive it: it ends them when one fails and the others
 * do not end by themselves, and when it is asked to end. If it is killed, they find the bootstrap root gone and end.
 * The id of the job goes to them in their environment, which other users cannot read. Rank 0 has the standard output;
 * what the others say comes out on the standard error, with their rank.
 */
public final class RankProcesses {
    /** A rank's exit status that says that it, and all others, did their work, but the data were wrong. */
    public static final int WRONG_DATA = 3;
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Duration STOP = Duration.ofSeconds(3);

    private final List<String> command;
    private final ProxyConfig config;
    private final String name;
    private final PrintStream err;
    private final RankBinding binding;
    private final List<RankProcess> ranks = new ArrayList<>();
    private final BlockingQueue<RankProcess> ended = new LinkedBlockingQueue<>();
    private volatile boolean isStopping;

    /**
     * Describes the processes.
     *
     * @param main      class with the main method
     * @param arguments of it, at all ranks
     * @param config    of the ranks: where their runtimes are, and the secret if there is one
     * @param name      what the user called, for messages
     * @param err       where their errors go
     * @param binding   of the ranks to CPUs: of whole processes, for a thread of a JVM that wakes on the CPU of another
     *                  rank holds all up
     */
    public RankProcesses(Class<?> main, List<String> arguments, ProxyConfig config, String name,
            PrintStream err, RankBinding binding) {
        this.command = ChildCommand.of(main, arguments, System.getenv());
        this.config = config;
        this.name = name;
        this.err = err;
        this.binding = binding;
    }

    /**
     * Starts the ranks and waits for all of them.
     *
     * @param nRanks how many
     * @return 0 if all went well, else 1
     */
    public int run(int nRanks) {
        // Now, for a folder that ranks cannot use is refused once here, or else by each of them.
        RuntimeDirectory.reap(config);
        try (ShutdownHook _ = new ShutdownHook(this::stop);
                BootstrapRoot root = BootstrapRoot.open(
                        UniqueId.random(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), nRanks,
                        BootstrapConfig.defaults(), config)) {
            for (int rank = 0; rank < nRanks; rank++) {
                start(rank, Map.of("PROXYRT_RANK", Integer.toString(rank), "PROXYRT_NRANKS", Integer.toString(nRanks),
                        "PROXYRT_UNIQUE_ID", root.id().toString()));
            }
            return await();
        } catch (InterruptedException e) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "interrupted while waiting for the ranks", e);
        } finally {
            stop();
        }
    }

    private void start(int rank, Map<String, String> variables) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectInput(new File("/dev/null"));
        builder.environment().putAll(variables);
        if (rank == 0) {
            builder.redirectOutput(Redirect.INHERIT);
        } else {
            builder.redirectErrorStream(true);
        }
        synchronized (ranks) {
            if (isStopping) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "interrupted while starting the ranks");
            }
            try {
                binding.bind(rank);
                ranks.add(new RankProcess(rank, builder.start(), err, ended::add));
            } catch (IOException e) {
                throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot start rank " + rank + ": " + e.getMessage(),
                        e);
            } finally {
                binding.release();
            }
        }
    }

    private int await() throws InterruptedException {
        List<String> failures = new ArrayList<>();
        boolean isWrong = false;
        long deadline = 0;
        for (int left = ranks.size(); left > 0; ) {
            RankProcess rank = failures.isEmpty() ? ended.take()
                    : ended.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (rank == null) {
                ranks.forEach(RankProcess::kill);
                deadline = System.nanoTime() + GRACE.toNanos();
                continue;
            }
            left--;
            if (rank.status() == WRONG_DATA) {
                isWrong = true;
            } else if (rank.status() != 0) {
                deadline = failures.isEmpty() ? System.nanoTime() + GRACE.toNanos() : deadline;
                failures.add(rank.epitaph());
            }
        }
        if (!isStopping) {
            failures.forEach(failure -> err.println(name + ": " + failure));
        }
        return failures.isEmpty() && !isWrong ? 0 : 1;
    }

    /** Ends the ranks that still run, and removes the files of those that could not do so themselves. */
    private void stop() {
        List<RankProcess> started;
        synchronized (ranks) {
            isStopping = true;
            started = List.copyOf(ranks);
        }
        started.forEach(RankProcess::terminate);
        long deadline = System.nanoTime() + STOP.toNanos();
        for (RankProcess rank : started) {
            if (!rank.join(deadline - System.nanoTime())) {
                started.forEach(RankProcess::kill);
            }
        }
        if (started.stream().anyMatch(rank -> rank.join(STOP.toNanos()) && rank.status() != 0)) {
            RuntimeDirectory.reap(config);
        }
    }
}
