/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Another JVM, on the class path, quiet unless it has something to say. */
final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    /** Starts {@code prefix java flags main arguments}; what it says on standard error goes to the test's, or along. */
    ChildJvm(List<String> prefix, boolean isErrorMerged, List<String> flags, String classPath, Class<?> main,
            String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dslf4j.internal.verbosity=ERROR",
                "--sun-misc-unsafe-memory-access=deny", "--illegal-native-access=deny",
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectErrorStream(isErrorMerged)
                .redirectError(isErrorMerged ? Redirect.PIPE : Redirect.DISCARD).start();
        output = process.inputReader();
    }

    String line() throws IOException {
        return output.readLine();
    }

    /** What is left of its output, once it has ended. */
    List<String> rest() throws InterruptedException {
        List<String> lines = output.lines().toList();
        process.waitFor();
        return lines;
    }

    /** With SIGKILL. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    static String classPath() throws Exception {
        Path classes = Path.of(UdsService.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Stream<String> given = Stream.of("jdk.module.path", "java.class.path")
                .map(key -> System.getProperty(key, "")).filter(value -> !value.isEmpty());
        return String.join(File.pathSeparator,
                Stream.concat(given, Stream.of(classes.resolveSibling("test-classes").toString())).toList());
    }

    /** For a user who cannot read where the class path lies. */
    static String copiedClassPath(Path to) throws Exception {
        List<String> copies = new ArrayList<>();
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (String entry : classPath().split(File.pathSeparator)) {
            Path copy = to.resolve(Integer.toString(copies.size()) + (Files.isDirectory(Path.of(entry)) ? "" : ".jar"));
            copy(Path.of(entry), copy);
            copies.add(copy.toString());
        }
        return String.join(File.pathSeparator, copies);
    }

    private static void copy(Path from, Path to) throws IOException {
        if (!Files.exists(from)) {
            return;
        }
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(
                        Files.isDirectory(file) ? "rwxr-xr-x" : "rw-r--r--"));
            }
        }
    }
}
