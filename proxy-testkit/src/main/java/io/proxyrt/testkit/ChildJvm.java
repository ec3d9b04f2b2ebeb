/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A class of a test that runs in another JVM, on the class path of this one. The two talk in lines. One thread at a
 * time.
 */
public final class ChildJvm implements AutoCloseable {
    private static final long LINE_TIMEOUT_S = 180;

    private final Process process;
    private final BufferedReader output;
    private final BufferedWriter input;

    /**
     * Starts it.
     *
     * @param prefix    put before the command, such as {@code setpriv --reuid 1000}; may be empty
     * @param main      has a main method; its folder of classes goes to the class path
     * @param arguments of the main method
     * @throws IOException if there is no such command
     */
    public ChildJvm(List<String> prefix, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-Dslf4j.internal.verbosity=ERROR",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=deny", "--illegal-native-access=deny", "-cp", classPath(main),
                main.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        output = process.inputReader();
        input = process.outputWriter();
    }

    /**
     * Reads a line of its output. Blocks, for three minutes at most.
     *
     * @return null once it has ended
     */
    public String line() {
        try {
            return CompletableFuture.supplyAsync(this::readLine).get(LINE_TIMEOUT_S, TimeUnit.SECONDS);
        } catch (InterruptedException | java.util.concurrent.ExecutionException | TimeoutException e) {
            throw new IllegalStateException("process " + pid() + " says nothing: " + e, e);
        }
    }

    /**
     * Reads the line that has to come next.
     *
     * @param expected its text
     */
    public void expect(String expected) {
        String line = line();
        if (!Objects.equals(line, expected)) {
            throw new IllegalStateException("process " + pid() + " says '" + line + "', not '" + expected + "'");
        }
    }

    /**
     * Writes a line to its input.
     *
     * @param line without its end
     */
    public void tell(String line) {
        try {
            input.write(line);
            input.newLine();
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("process " + pid() + " does not listen", e);
        }
    }

    /**
     * Its number.
     *
     * @return as the system gave it
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Lets it open a number of descriptors more, and no others.
     *
     * @param spare than it has now
     * @throws IOException if that cannot be done
     */
    public void limitDescriptors(int spare) throws IOException {
        long open;
        try (Stream<Path> all = Files.list(Path.of("/proc/" + pid() + "/fd"))) {
            open = all.count();
        }
        Process prlimit = new ProcessBuilder("prlimit", "--pid", Long.toString(pid()), "--nofile=" + (open + spare))
                .inheritIO().start();
        if (prlimit.onExit().join().exitValue() != 0) {
            throw new IOException("cannot limit the descriptors of process " + pid());
        }
    }

    /**
     * Sends it a signal.
     *
     * @param name such as {@code STOP} or {@code KILL}
     * @throws IOException if that cannot be done
     */
    public void signal(String name) throws IOException {
        signal(pid(), name);
        if (name.equals("KILL")) {
            process.onExit().join();
        }
    }

    /**
     * Sends a signal to any process.
     *
     * @param pid  of the process
     * @param name such as {@code STOP} or {@code KILL}
     * @throws IOException if that cannot be done
     */
    public static void signal(long pid, String name) throws IOException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start();
        if (kill.onExit().join().exitValue() != 0) {
            throw new IOException("cannot send " + name + " to process " + pid);
        }
    }

    /** Kills it and waits until it is gone. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    private String readLine() {
        try {
            return output.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String classPath(Class<?> main) {
        try {
            Path classes = Path.of(ChildJvm.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            Stream<String> given = Stream.of("jdk.module.path", "java.class.path")
                    .map(key -> System.getProperty(key, "")).filter(value -> !value.isEmpty());
            Path own = Path.of(main.getProtectionDomain().getCodeSource().getLocation().toURI());
            return String.join(File.pathSeparator, Stream.concat(given, Stream.of(own.toString(), classes.toString(),
                    classes.resolveSibling("test-classes").toString())).distinct().toList());
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
