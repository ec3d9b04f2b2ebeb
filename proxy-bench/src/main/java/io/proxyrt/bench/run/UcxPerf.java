/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.process.Child;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Two processes of {@code ucx_perftest}, on the first and the second CPU, over shared memory with a copy in and a copy
 * out. The words of a job: what to measure, {@code tag_lat} or {@code tag_bw}, then a size and how many messages of it,
 * and so on.
 */
final class UcxPerf {
    /** Of the program. */
    static final String NAME = "ucx_perftest";
    /** What it shows the speed of. */
    static final String LIBRARY = "UCX";

    private static final String LATENCY = "tag_lat";
    private static final String REFUSED = "Connection refused";
    private static final long WARM_UP_PARTS = 10;
    private static final int MEDIAN_US = 1;
    private static final int RATE_MIB = 5;
    private static final double NS_PER_US = 1000;
    private static final double GB_PER_MIB = (1 << 20) / 1e9;
    private static final int ATTEMPTS = 50;
    private static final long PAUSE_NS = 100_000_000;

    private UcxPerf() {
    }

    /**
     * Its version.
     *
     * @throws BenchException if it is not there
     */
    static String describe(Path build, Duration timeout) {
        return Child.run(List.of("ucx_info", "-v"), build, timeout).getFirst().replaceFirst("^# ", "") + ", " + NAME
                + " with UCX_TLS=posix,self";
    }

    static List<String> run(List<String> words, Path build, Duration timeout) {
        List<String> values = new ArrayList<>();
        String test = words.getFirst();
        for (int i = 1; i < words.size(); i += 2) {
            String[] figures = measure(test, words.get(i), Long.parseLong(words.get(i + 1)), build, timeout);
            values.add(test.equals(LATENCY)
                    ? line(words.get(i), "rtt_p50", 2 * NS_PER_US * Double.parseDouble(figures[MEDIAN_US]))
                    : line(words.get(i), "gbs", GB_PER_MIB * Double.parseDouble(figures[RATE_MIB])));
        }
        return values;
    }

    private static String[] measure(String test, String bytes, long messages, Path build, Duration timeout) {
        Process server = null;
        try {
            String port = Integer.toString(freePort());
            server = new ProcessBuilder(command(1, port)).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            List<String> client = command(0, port);
            client.addAll(List.of(InetAddress.getLoopbackAddress().getHostAddress(), "-t", test, "-s", bytes, "-n",
                    Long.toString(messages), "-w", Long.toString(messages / WARM_UP_PARTS + 1), "-f", "-v"));
            return ask(client, build, timeout).getLast().split(",");
        } catch (IOException e) {
            throw new BenchException("cannot run " + NAME + ": " + e.getMessage(), e);
        } finally {
            if (server != null) {
                server.destroyForcibly();
            }
        }
    }

    /** The server may not listen yet. */
    private static List<String> ask(List<String> client, Path build, Duration timeout) {
        for (int attempt = 1;; attempt++) {
            try {
                return Child.run(client, build, timeout);
            } catch (BenchException e) {
                if (attempt == ATTEMPTS || !e.getMessage().contains(REFUSED)) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private static List<String> command(int end, String port) {
        int[] cpus = Platform.find().processCpus().stream().toArray();
        return new ArrayList<>(List.of("env", "UCX_TLS=posix,self", "UCX_WARN_UNUSED_ENV_VARS=n", "taskset", "-c",
                Integer.toString(cpus[Math.min(end, cpus.length - 1)]), NAME, "-p", port));
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }

    private static String line(String bytes, String metric, double value) {
        return String.format(Locale.ROOT, "R\t%s\t%s\t%.6g", bytes, metric, value);
    }
}
