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

/** A GDRCopy that maps memory of the host: compiled when a test asks, a library of its own each time. */
@SuppressWarnings("restricted")
final class StandInGdr {
    private static final long TEXT_BYTES = 4096;

    private final Path folder;
    private final SymbolLookup library;

    /** In a folder that is the test's, by options of the compiler. */
    StandInGdr(Path folder, String... options) {
        this.folder = folder;
        Path library = folder.resolve("libgdrapi.so.2");
        List<String> command = new ArrayList<>(List.of("cc", "-std=gnu17", "-Wall", "-Wextra", "-shared", "-fPIC",
                "-O1"));
        command.addAll(Arrays.asList(options));
        command.addAll(List.of("-o", library.toString(), folder.resolve("gdrapi.c").toString()));
        compile(command);
        this.library = SymbolLookup.libraryLookup(library, Arena.global());
    }

    private void compile(List<String> command) {
        try (InputStream source = StandInGdr.class.getResourceAsStream("gdrapi.c")) {
            Files.write(folder.resolve("gdrapi.c"), source.readAllBytes());
            HeaderValues.run(folder, command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while compiling", e);
        }
    }

    GdrCopy found() {
        return GdrCopy.find(List.of(folder));
    }

    /** Since they were asked for last. */
    String calls() {
        try {
            MemorySegment text = (MemorySegment) handle("standin_calls", FunctionDescriptor.of(ADDRESS)).invokeExact();
            return text.reinterpret(TEXT_BYTES).getString(0).strip();
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** The next call of a name. */
    void fail(String call, int status) {
        try (Arena arena = Arena.ofConfined()) {
            handle("standin_fail", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT)).invokeExact(arena.allocateFrom(call),
                    status);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** The device that was mapped last leaves the bus. */
    void lose() {
        try {
            handle("standin_lose", FunctionDescriptor.ofVoid()).invokeExact();
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    private MethodHandle handle(String name, FunctionDescriptor shape) {
        return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), shape);
    }
}
