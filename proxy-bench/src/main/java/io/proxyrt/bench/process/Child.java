/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program to its end, or to its time-out, and gives what it printed. */
public final class Child {
    private static final int TAIL = 15;

    private Child() {
    }

    /**
     * The beginning of a command line: another JVM like this one.
     *
     * @param options of that JVM
     * @param main    its class
     * @return words, to be added to
     */
    public static List<String> java(List<String> options, String main) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                .toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        return command;
    }

    /** Lets no child outlive this JVM, should it be ended while one runs. */
    public static void endAllOnExit() {
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
                ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly)));
    }

    /**
     * Runs it. What is said about the command is its last words: the first are options and a long class path.
     *
     * @param command   in words
     * @param directory for what it prints
     * @param timeout   after which it is killed
     * @return the lines it printed
     * @throws BenchException if it cannot be run, fails or does not end
     */
    public static List<String> run(List<String> command, Path directory, Duration timeout) {
        try {
            Path out = Files.createTempFile(directory, "child", ".out");
            Path err = Files.createTempFile(directory, "child", ".err");
            Process process = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile())
                    .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile())).start();
            await(process, command, timeout);
            List<String> lines = Files.readAllLines(out);
            String complaints = String.join(System.lineSeparator(), tail(Files.readAllLines(err)));
            Files.delete(out);
            Files.delete(err);
            if (process.exitValue() != 0) {
                throw new BenchException("ended with status " + process.exitValue() + ": " + name(command)
                        + System.lineSeparator()
                        + (complaints.isEmpty() ? String.join(System.lineSeparator(), tail(lines)) : complaints));
            }
            if (!complaints.isEmpty()) {
                System.err.println(complaints);
            }
            return lines;
        } catch (IOException e) {
            throw new BenchException("cannot run " + name(command) + ": " + e.getMessage(), e);
        }
    }

    private static void await(Process process, List<String> command, Duration timeout) {
        boolean isEnded = false;
        try {
            isEnded = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (!isEnded) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
        if (!isEnded) {
            throw new BenchException("did not end within " + timeout.toSeconds() + " s, so something may be stuck: "
                    + name(command));
        }
    }

    private static String name(List<String> command) {
        return String.join(" ", command.subList(command.indexOf("-cp") < 0 ? 0 : command.indexOf("-cp") + 2,
                command.size()));
    }

    private static List<String> tail(List<String> lines) {
        return lines.subList(Math.max(0, lines.size() - TAIL), lines.size());
    }
}
