/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A driver's library that a test plays: compiled when the test asks, a library of its own each time. */
@SuppressWarnings("restricted")
class StandInLibrary {
    private static final String HEADER = "standin.h";
    private static final long TEXT_BYTES = 1 << 16;

    private final Path folder;
    private final SymbolLookup library;

    /** Of a source beside the tests, in a folder that is the test's, by options of the compiler. */
    StandInLibrary(Path folder, String source, String soname, String... options) {
        this.folder = folder;
        Path file = folder.resolve(soname);
        List<String> command = new ArrayList<>(List.of("cc", "-std=gnu17", "-Wall", "-Wextra", "-shared", "-fPIC",
                "-O1"));
        command.addAll(Arrays.asList(options));
        command.addAll(List.of("-o", file.toString(), folder.resolve(source).toString()));
        compile(List.of(source, HEADER), command);
        this.library = SymbolLookup.libraryLookup(file, Arena.global());
    }

    private void compile(List<String> sources, List<String> command) {
        try {
            for (String source : sources) {
                copy(source);
            }
            HeaderValues.run(folder, command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while compiling", e);
        }
    }

    private void copy(String name) throws IOException {
        try (InputStream source = StandInLibrary.class.getResourceAsStream(name)) {
            Files.write(folder.resolve(name), source.readAllBytes());
        }
    }

    final Path folder() {
        return folder;
    }

    /** Since they were asked for last. */
    final String calls() {
        try {
            MemorySegment text = (MemorySegment) handle("standin_calls", FunctionDescriptor.of(ADDRESS)).invokeExact();
            return text.reinterpret(TEXT_BYTES).getString(0).strip();
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** All calls of a name from now on. */
    final void fail(String call, int status) {
        try (Arena arena = Arena.ofConfined()) {
            handle("standin_fail", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT)).invokeExact(arena.allocateFrom(call),
                    status);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Does what a function without arguments does. */
    final void run(String function) {
        try {
            handle(function, FunctionDescriptor.ofVoid()).invokeExact();
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    private MethodHandle handle(String name, FunctionDescriptor shape) {
        return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), shape);
    }
}
