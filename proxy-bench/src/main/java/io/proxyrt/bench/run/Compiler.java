/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import io.proxyrt.bench.process.Child;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What makes the peers out of their sources, and the library that each kind is of. */
enum Compiler {
    /** The system's own calls. */
    CC("C", ".c", List.of("cc"), List.of(), List.of("cc", "--version")),
    /** MPI, with the compiler and the launcher of whichever implementation is installed. */
    MPICC("MPI", ".c", List.of("mpicc"), List.of(), List.of("mpirun", "--version")),
    /** Gloo, which does not say its version. */
    GLOO("Gloo", ".cc", List.of("c++", "-std=c++17"), List.of("-lgloo"), List.of("c++", "--version"));

    private static final List<String> OPTIONS = List.of("-O3", "-march=native", "-pthread");
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    private final String library;
    private final String suffix;
    private final List<String> command;
    private final List<String> libraries;
    private final List<String> version;

    Compiler(String library, String suffix, List<String> command, List<String> libraries, List<String> version) {
        this.library = library;
        this.suffix = suffix;
        this.command = command;
        this.libraries = libraries;
        this.version = version;
    }

    /** What the peers show the speed of. */
    String library() {
        return library;
    }

    /**
     * Compiles a program.
     *
     * @return the version of what is compared with, and how it was compiled
     * @throws BenchException with the reason in its first line
     */
    String compile(String name, Path sources, Path build) {
        List<String> words = new ArrayList<>(command);
        words.addAll(OPTIONS);
        words.addAll(List.of("-o", build.resolve(name).toString(), sources.resolve(name + suffix).toString()));
        words.addAll(libraries);
        Child.run(words, build, TIMEOUT);
        return Child.run(version, build, TIMEOUT).getFirst() + ", " + String.join(" ", command.getFirst(),
                OPTIONS.get(0), OPTIONS.get(1));
    }
}
