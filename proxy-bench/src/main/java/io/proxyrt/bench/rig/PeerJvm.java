/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Another process, a JVM with the options and the class path of this one unless said otherwise. The two talk in lines;
 * it ends with its input.
 */
final class PeerJvm implements AutoCloseable {
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
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(words);
        return command;
    }

    /** The other end of a rig: with words of its own, whether it is pinned, and the runtime's options. */
    static PeerJvm peer(Class<?> main, RigArguments arguments, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(more));
        words.add("pinned=" + arguments.isTrue("pinned"));
        arguments.options().forEach((key, value) -> words.add(key + '=' + value));
        return new PeerJvm(main, List.of(), words);
    }

    /** In that process: does what each line orders, until there are no more. */
    static void obey(BufferedReader orders, Consumer<String[]> duty) throws IOException {
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            duty.accept(order.split(" "));
        }
    }

    /** The orders, in that process. */
    static BufferedReader orders() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    }

    /** A service, by the word that {@link ServiceMain} has for it. */
    static PeerJvm service(String kind, Map<String, String> options, String... jvmOptions) throws IOException {
        List<String> words = new ArrayList<>(List.of(kind));
        options.forEach((key, value) -> words.add(key + '=' + value));
        return new PeerJvm(ServiceMain.class, List.of(jvmOptions), words);
    }

    /** Reads the next line of what it says. */
    String line() {
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

    /** Tells it something. */
    void tell(String line) {
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
