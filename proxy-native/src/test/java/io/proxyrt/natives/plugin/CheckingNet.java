/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Compiles plug-ins that check. Each library is another to the system, for it keeps what has been loaded. */
final class CheckingNet {
    private static final String NET = "checking_net.c";
    private static final String COLL_NET = "checking_coll_net.c";
    private static final String COMMON = "checking.h";
    private static final long COMPILER_SECONDS = 60;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private CheckingNet() {
    }

    /** The file of a library with a network. */
    static Path compile(Path folder, int version, String... options) {
        return compileSource(NET, folder, version, options);
    }

    /** The file of a library with collectives. */
    static Path compileCollNet(Path folder, int version, String... options) {
        return compileSource(COLL_NET, folder, version, options);
    }

    private static Path compileSource(String name, Path folder, int version, String... options) {
        List<String> command = new ArrayList<>(List.of("cc", "-std=gnu17", "-Wall", "-Wextra", "-Wno-override-init",
                "-Wno-format-zero-length", "-shared", "-fPIC", "-O1", "-pthread", "-DV=" + version));
        command.addAll(Arrays.asList(options));
        Path library = folder.resolve("libnccl-net-checking" + COUNT.incrementAndGet() + ".so");
        command.addAll(List.of("-o", library.toString(), folder.resolve(name).toString()));
        try {
            copy(name, folder);
            copy(COMMON, folder);
            run(folder, command);
            return library;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(String name, Path folder) throws IOException {
        try (InputStream source = CheckingNet.class.getResourceAsStream(name)) {
            Files.write(folder.resolve(name), source.readAllBytes());
        }
    }

    private static void run(Path folder, List<String> command) throws IOException {
        Path output = folder.resolve("output");
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = compiler.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS);
            assertEquals(0, ended ? compiler.exitValue() : -1, () -> read(output));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while compiling", e);
        } finally {
            compiler.destroyForcibly();
        }
    }

    private static String read(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
