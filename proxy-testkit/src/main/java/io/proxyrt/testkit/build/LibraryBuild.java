/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.build;

import io.proxyrt.core.platform.CurrentUser;
import io.proxyrt.core.platform.PrivateDirectory;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A shared library out of C sources that lie beside a class. It is compiled into a folder named after what it is made
 * of, which gets that name when it is whole, so that builds that run at once end up with the same one.
 *
 * @param owner   beside which the sources are
 * @param kind    of libraries: the folder that has all of them
 * @param variant which of that kind, for the folder's name
 * @param sources that are compiled
 * @param headers that they need
 * @param options of the compiler, beyond those that every library has
 * @param library the file
 * @param links   other names of the file
 */
public record LibraryBuild(Class<?> owner, String kind, String variant, List<String> sources, List<String> headers,
        List<String> options, String library, List<String> links) {
    /** What compiles C. */
    public static final String CC = "cc";

    private static final List<String> COMPILE = List.of(CC, "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-g", "-Wall",
            "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wl,-z,nodelete");
    private static final long COMPILE_TIMEOUT_S = 120;

    /**
     * Which commands are missing.
     *
     * @param commands that a build, or its outcome, needs
     * @return empty if all are there; else which are not, and where they are to be had
     */
    public static String whyNot(String... commands) {
        List<String> missing = Stream.of(commands).filter(command -> !isCommand(command)).toList();
        return missing.isEmpty() ? "" : "there is no " + String.join(", and no ", missing)
                + " on the PATH; Debian has cc and c++ in g++";
    }

    private static boolean isCommand(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    /**
     * Compiles it, unless that was done before. Blocks for some seconds then.
     *
     * @return the folder with the library, absolute
     * @throws IllegalStateException if it cannot be compiled, with what the compiler says
     */
    public Path folder() {
        try {
            Path root = root();
            Path folder = root.resolve(variant + "-" + digest());
            if (!Files.isDirectory(folder)) {
                String whyNot = whyNot(CC);
                if (!whyNot.isEmpty()) {
                    throw new IllegalStateException(whyNot);
                }
                Files.createDirectories(root);
                makeOnce(folder, this::build);
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Makes a copy of a library, unless that was done before: for a process, a library of its own.
     *
     * @param library that was compiled
     * @param name    of the copy's folder, beside it
     * @param file    that the copy has beside it
     * @param text    of that file
     * @return the copy, absolute
     */
    public static Path copy(Path library, String name, String file, String text) {
        Path folder = library.resolveSibling(name);
        try {
            if (!Files.isDirectory(folder)) {
                makeOnce(folder, begun -> {
                    Files.copy(library, begun.resolve(library.getFileName()));
                    Files.writeString(begun.resolve(file), text);
                });
            }
            return folder.resolve(library.getFileName());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fills a folder. */
    @FunctionalInterface
    private interface Filling {
        void fill(Path folder) throws IOException;
    }

    /** In the module's build, where there is one; else where no other user can put a library. */
    private Path root() {
        Path build = Path.of("target").toAbsolutePath();
        if (Files.isDirectory(build)) {
            return build.resolve(kind);
        }
        try (PrivateDirectory own = PrivateDirectory.make(Path.of(System.getProperty("java.io.tmpdir"),
                "proxyrt-" + kind + "-" + CurrentUser.id()))) {
            return own.path();
        }
    }

    private List<String> files() {
        return Stream.concat(sources.stream(), headers.stream()).toList();
    }

    private byte[] content(String file) {
        try (InputStream stream = owner.getResourceAsStream(file)) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String digest() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            files().forEach(file -> digest.update(content(file)));
            digest.update((COMPILE + " " + options + links).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static void makeOnce(Path folder, Filling filling) throws IOException {
        Path begun = Files.createTempDirectory(folder.getParent(), "begun-");
        try {
            filling.fill(begun);
            Files.move(begun, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // Another build may have been faster, and made the same: the folder is not empty, which no subclass says.
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        } finally {
            delete(begun);
        }
    }

    private void build(Path folder) throws IOException {
        for (String file : files()) {
            Files.write(folder.resolve(file), content(file));
        }
        compile(folder);
        for (String link : links) {
            Files.createSymbolicLink(folder.resolve(link), Path.of(library));
        }
    }

    private void compile(Path folder) throws IOException {
        List<String> command = new ArrayList<>(COMPILE);
        command.addAll(options);
        command.addAll(sources);
        command.addAll(List.of("-o", library));
        Path log = folder.resolve("compiler.log");
        Process compiler = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
        try {
            if (!compiler.waitFor(COMPILE_TIMEOUT_S, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ":\n" + Files.readString(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while compiling " + library, e);
        } finally {
            compiler.destroyForcibly();
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }
}
