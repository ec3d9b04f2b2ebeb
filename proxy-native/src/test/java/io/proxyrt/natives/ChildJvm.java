/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Another JVM, on the class path, which denies native access unless told otherwise, and prints for the test. */
public final class ChildJvm implements AutoCloseable {
    public static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    private final Process process;
    private final BufferedReader output;

    /** Starts {@code prefix java flags main arguments}. */
    public ChildJvm(List<String> prefix, List<String> flags, Class<?> main, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dslf4j.internal.verbosity=ERROR",
                "--illegal-native-access=deny"));
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        output = process.inputReader();
    }

    public String line() throws IOException {
        return output.readLine();
    }

    /** What is left of its output, once it has ended. */
    public List<String> rest() throws InterruptedException {
        List<String> lines = output.lines().toList();
        process.waitFor();
        return lines;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    private static String classPath() throws Exception {
        Path classes = Path.of(LinuxPlatform.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Stream<String> given = Stream.of("jdk.module.path", "java.class.path")
                .map(key -> System.getProperty(key, "")).filter(value -> !value.isEmpty());
        return String.join(File.pathSeparator,
                Stream.concat(given, Stream.of(classes.resolveSibling("test-classes").toString())).toList());
    }
}
