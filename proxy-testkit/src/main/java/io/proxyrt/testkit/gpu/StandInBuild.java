/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import io.proxyrt.core.platform.CurrentUser;
import io.proxyrt.core.platform.PrivateDirectory;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Compiles a stand-in, into a folder named after what it is made of. It gets that name when it is whole, so that builds
 * that run at once end up with the same one.
 */
final class StandInBuild {
    private static final List<String> COMMON = List.of("devices.c", "errors.c", "memory.c", "vmm.c", "streams.c",
            "blocks.c", "kernels.c", "compiler.c", "rtc.c");
    private static final List<String> HEADERS = List.of("gpu.h", "runtime_calls.h", "driver_calls.h",
            "blocks.h", "kernel_abi.h", "kernel_prelude.h");
    private static final List<String> COMPILE = List.of("cc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-g", "-Wall",
            "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wl,-z,nodelete");
    private static final long COMPILE_TIMEOUT_S = 120;

    private final GpuAbi abi;
    private final Path root;

    StandInBuild(GpuAbi abi) {
        this.abi = abi;
        this.root = root();
    }

    static String whyNot() {
        List<String> missing = Stream.of("cc", "c++").filter(command -> !isCommand(command)).toList();
        return missing.isEmpty() ? "" : "there is no " + String.join(", and no ", missing)
                + " on the PATH; Debian has both in g++";
    }

    private static boolean isCommand(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    /** In the module's build, where there is one; else where no other user can put a library. */
    private static Path root() {
        Path build = Path.of("target").toAbsolutePath();
        if (Files.isDirectory(build)) {
            return build.resolve("stand-in-gpu");
        }
        try (PrivateDirectory own = PrivateDirectory.make(Path.of(System.getProperty("java.io.tmpdir"),
                "proxyrt-stand-in-gpu-" + CurrentUser.id()))) {
            return own.path();
        }
    }

    /** The folder; compiled if need be. */
    Path folder() throws IOException {
        Path folder = root.resolve(abi.name().toLowerCase(Locale.ROOT) + "-" + digest());
        if (!Files.isDirectory(folder)) {
            if (!whyNot().isEmpty()) {
                throw new IllegalStateException(whyNot());
            }
            Files.createDirectories(root);
            build(folder);
        }
        return folder;
    }

    private List<String> sources() {
        List<String> all = new ArrayList<>(COMMON);
        all.addAll(abi.sources());
        return all;
    }

    private List<String> files() {
        List<String> all = sources();
        all.addAll(HEADERS);
        return all;
    }

    private static byte[] content(String file) {
        try (InputStream stream = StandInBuild.class.getResourceAsStream(file)) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String digest() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            files().forEach(file -> digest.update(content(file)));
            digest.update((COMPILE + abi.define() + abi.names()).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private void build(Path folder) throws IOException {
        Path begun = Files.createTempDirectory(root, "begun-");
        try {
            for (String file : files()) {
                Files.write(begun.resolve(file), content(file));
            }
            compile(begun);
            for (String name : abi.names()) {
                Files.createSymbolicLink(begun.resolve(name), Path.of(abi.library()));
            }
            Files.move(begun, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            // Another build was faster, and made the same.
        } finally {
            delete(begun);
        }
    }

    private void compile(Path folder) throws IOException {
        List<String> command = new ArrayList<>(COMPILE);
        command.add(abi.define());
        command.addAll(sources());
        command.addAll(List.of("-o", abi.library()));
        Path log = folder.resolve("compiler.log");
        Process compiler = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
        try {
            if (!compiler.waitFor(COMPILE_TIMEOUT_S, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ":\n" + Files.readString(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while compiling " + abi, e);
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
