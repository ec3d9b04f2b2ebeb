/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One rank's process, with what it says and how it ended. */
final class RankProcess {
    /** What a status says on top of a signal's number. */
    private static final int SIGNALLED = 128;
    private static final Map<Integer, String> SIGNALS = Map.of(1, "SIGHUP", 2, "SIGINT", 3, "SIGQUIT", 4, "SIGILL",
            6, "SIGABRT", 7, "SIGBUS", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");
    private static final long OUTPUT_MS = 1000;

    private final int rank;
    private final Process process;
    private final PrintStream err;
    private final Thread reader;
    private volatile boolean isKilled;

    RankProcess(int rank, Process process, PrintStream err, Consumer<RankProcess> onEnd) {
        this.rank = rank;
        this.process = process;
        this.err = err;
        InputStream text = rank == 0 ? process.getErrorStream() : process.getInputStream();
        this.reader = Thread.ofPlatform().daemon().name("proxyrt-output-" + rank).start(() -> copy(text));
        Thread.ofPlatform().daemon().name("proxyrt-rank-" + rank).start(() -> {
            process.onExit().join();
            onEnd.accept(this);
        });
    }

    /** Of a process that has ended. */
    int status() {
        return process.exitValue();
    }

    /** What became of it, once all it had to say is out. */
    String epitaph() {
        try {
            reader.join(OUTPUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String who = "rank " + rank + " (pid " + process.pid() + ")";
        if (isKilled) {
            return who + " did not end after another rank had failed, and was killed";
        }
        int signal = status() - SIGNALLED;
        return signal <= 0 ? who + " failed, with status " + status()
                : who + " was killed by signal " + signal
                        + (SIGNALS.containsKey(signal) ? " (" + SIGNALS.get(signal) + ")" : "");
    }

    /** Asks it to end. */
    void terminate() {
        process.destroy();
    }

    /** Ends it. */
    void kill() {
        if (process.isAlive()) {
            isKilled = true;
            process.destroyForcibly();
        }
    }

    /** Whether it ended in time. */
    boolean join(long timeoutNs) {
        try {
            return process.waitFor(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void copy(InputStream text) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(text, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                err.println("[rank " + rank + "] " + line);
            }
        } catch (IOException e) {
            err.println("[rank " + rank + "] its output broke off: " + e.getMessage());
        }
    }
}
