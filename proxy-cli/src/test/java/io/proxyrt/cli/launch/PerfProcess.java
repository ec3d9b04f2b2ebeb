/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.cli.ProxyRt;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command in a JVM of its own, with all that it says. */
final class PerfProcess implements AutoCloseable {
    private static final Pattern DEVICE = Pattern.compile("#  Rank +(\\d+) Pid +(\\d+) on .*");

    /** Not among the options of a launcher's JVMs: with them a JVM makes no use of an AOT cache. */
    private static final String DENY = "--sun-misc-unsafe-memory-access=deny --illegal-native-access=deny";

    private final Process process;
    private final List<String> out = new ArrayList<>();
    private final List<String> err = new ArrayList<>();
    private final List<Thread> readers = new ArrayList<>();

    PerfProcess(Path runtimes, Map<String, String> environment, String... arguments) throws IOException {
        this(List.of(), runtimes, environment, arguments);
    }

    /** With this before the command. */
    PerfProcess(List<String> prefix, Path runtimes, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(ChildCommand.of(ProxyRt.class, List.of(arguments),
                Map.of(ChildCommand.JAVA_OPTIONS, DENY)));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("PROXYRT_DIRECTORY", runtimes.toString());
        builder.environment().put(ChildCommand.JAVA_OPTIONS, DENY);
        builder.environment().putAll(environment);
        this.process = builder.start();
        read(process.getInputStream(), out);
        read(process.getErrorStream(), err);
    }

    Process process() {
        return process;
    }

    /** Waits until a line of errors has this part. */
    synchronized void awaitErr(String part) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (err.stream().noneMatch(line -> line.contains(part))) {
            if (System.nanoTime() - deadline > 0 || !process.isAlive()) {
                throw new AssertionError("never said '" + part + "': " + this);
            }
            wait(100);
        }
    }

    /** The ranks' processes, once rank 0 has listed them. */
    List<ProcessHandle> ranks(int count) throws InterruptedException {
        awaitOut(lines -> pids(lines).size() == count);
        synchronized (this) {
            return pids(out).stream().map(pid -> ProcessHandle.of(pid).orElseThrow()).toList();
        }
    }

    /** Waits until what was printed so far satisfies a condition. */
    synchronized void awaitOut(Predicate<List<String>> condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!condition.test(out)) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (leftMs <= 0 || !process.isAlive()) {
                throw new AssertionError("never came: out " + out + ", err " + err);
            }
            wait(Math.min(leftMs, 100));
        }
    }

    /** The exit status, once all output is there. */
    int await(Duration timeout) throws InterruptedException {
        if (!process.waitFor(timeout)) {
            throw new AssertionError("did not end within " + timeout + ": " + this);
        }
        for (Thread reader : readers) {
            reader.join(Duration.ofSeconds(10));
        }
        return process.exitValue();
    }

    synchronized List<String> out() {
        return List.copyOf(out);
    }

    synchronized List<String> err() {
        return List.copyOf(err);
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public String toString() {
        return "status " + (process.isAlive() ? "none yet" : process.exitValue()) + "\nout:\n"
                + String.join("\n", out()) + "\nerr:\n" + String.join("\n", err());
    }

    private static List<Long> pids(List<String> lines) {
        return lines.stream().map(DEVICE::matcher).filter(Matcher::matches).map(line -> Long.valueOf(line.group(2)))
                .toList();
    }

    private void read(InputStream text, List<String> lines) {
        readers.add(Thread.ofPlatform().daemon().start(() -> {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(text, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    add(lines, line);
                }
            } catch (IOException e) {
                add(lines, "broke off: " + e);
            }
        }));
    }

    private synchronized void add(List<String> lines, String line) {
        lines.add(line);
        notifyAll();
    }
}
