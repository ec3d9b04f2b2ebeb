/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.cli.ProxyRt;
import io.proxyrt.core.platform.CurrentUser;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Another user of this host, of any number; only root can act for one. */
record OtherUser(int id) {
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

    OtherUser {
        assumeTrue(CurrentUser.id() == 0 && Files.isExecutable(SETPRIV), "only root can be another user, by setpriv");
    }

    List<String> prefix() {
        return List.of(SETPRIV.toString(), "--reuid", Integer.toString(id), "--regid", Integer.toString(id),
                "--clear-groups");
    }

    /** Runs a line of shell. */
    void run(String line) throws Exception {
        List<String> command = new ArrayList<>(prefix());
        command.addAll(List.of("sh", "-c", line));
        assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor(), line);
    }

    /** The command of {@code proxyrt}, with classes that this user can read. */
    List<String> proxyrt(String classPath, String... arguments) {
        List<String> command = new ArrayList<>(prefix());
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Duser.name=" + id,
                "--enable-native-access=ALL-UNNAMED", "-cp", classPath, ProxyRt.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Copies the class path of this JVM to where everybody can read it. */
    static String copiedClassPath(Path to) throws IOException {
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> copies = new ArrayList<>();
        List<String> entries = Stream.of("jdk.module.path", "java.class.path")
                .flatMap(key -> Stream.of(System.getProperty(key, "").split(File.pathSeparator)))
                .filter(entry -> Files.exists(Path.of(entry)) && !entry.isEmpty()).toList();
        for (String entry : entries) {
            Path copy = to.resolve(copies.size() + (Files.isDirectory(Path.of(entry)) ? "" : ".jar"));
            copy(Path.of(entry), copy);
            copies.add(copy.toString());
        }
        return String.join(File.pathSeparator, copies);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.copy(file, target);
                Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(
                        Files.isDirectory(file) ? "rwxr-xr-x" : "rw-r--r--"));
            }
        }
    }
}
