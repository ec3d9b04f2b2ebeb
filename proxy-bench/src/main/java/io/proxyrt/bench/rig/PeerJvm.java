/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.process.Child;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Another process, a JVM with the options and the class path of this one unless said otherwise. The two talk in lines;
 * it ends with its input.
 */
final class PeerJvm implements Talk, AutoCloseable {
    private static final long PATIENCE_MS = Rank.PATIENCE.toMillis();

    private final Process process;
    private final BufferedReader output;
    private final BufferedWriter input;

    PeerJvm(Class<?> main, List<String> jvmOptions, List<String> words) throws IOException {
        this(command(main, jvmOptions, words));
    }

    private PeerJvm(List<String> command) throws IOException {
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        output = process.inputReader();
        input = process.outputWriter();
    }

    /** A program that is no JVM. */
    static PeerJvm program(String file) throws IOException {
        return new PeerJvm(List.of(file));
    }

    private static List<String> command(Class<?> main, List<String> jvmOptions, List<String> words) {
        List<String> options = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
        options.addAll(jvmOptions);
        List<String> command = Child.java(options, main.getName());
        command.addAll(words);
        return command;
    }

    /** What {@link PeerMain} has that word for; with more options than this JVM has. */
    static PeerJvm of(String what, List<String> words, String... jvmOptions) throws IOException {
        List<String> all = new ArrayList<>(words);
        all.addFirst(what);
        return new PeerJvm(PeerMain.class, List.of(jvmOptions), all);
    }

    @Override
    public String line() {
        try {
            String line = CompletableFuture.supplyAsync(this::readLine).get(PATIENCE_MS, TimeUnit.MILLISECONDS);
            if (line == null) {
                throw new IllegalStateException(this + " ended");
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + this, e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(this + " says nothing: " + e, e);
        }
    }

    /** Tells it something, and reads what it says to that. */
    String ask(String line) {
        tell(line);
        return line();
    }

    @Override
    public void tell(String line) {
        try {
            input.write(line);
            input.newLine();
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(this + " does not listen", e);
        }
    }

    /** Ends its input, and waits until it is gone; kills it if it takes too long. */
    @Override
    public void end() {
        close();
    }

    @Override
    public void close() {
        try {
            input.close();
            if (process.waitFor(PATIENCE_MS, TimeUnit.MILLISECONDS) && process.exitValue() == 0) {
                return;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
        throw new IllegalStateException(this + (process.isAlive() ? " did not end"
                : " ended with status " + process.exitValue()));
    }

    private String readLine() {
        try {
            return output.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return "process " + process.pid();
    }
}
