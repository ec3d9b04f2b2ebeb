/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A shared library of a driver, loaded for as long as the process lives: drivers have threads, and do not unload.
 *
 * @param name   soname, or the path it was loaded by
 * @param folder where it was found; null if the system found it
 * @param lookup its symbols
 */
record GpuLibrary(String name, Path folder, SymbolLookup lookup) {
    /** What the system's search may not know: the usual places of toolkits, and of drivers in containers. */
    private static final List<Path> USUAL = List.of(Path.of("/usr/local/nvidia/lib64"),
            Path.of("/usr/local/cuda/lib64"), Path.of("/opt/rocm/lib"));

    /**
     * The first there is: in each of the folders, then where the system looks, then in the usual places.
     *
     * @param failures gets what was found and could not be loaded
     */
    static Optional<GpuLibrary> find(List<Path> folders, List<String> failures, String... sonames) {
        return inFolders(folders, failures, sonames)
                .or(() -> inSystem(sonames))
                .or(() -> inFolders(USUAL, failures, sonames));
    }

    /**
     * What came of looking for functions.
     *
     * @param api    them; null if they cannot be called
     * @param name   of their library; empty if they cannot be called
     * @param whyNot why they cannot be called; empty if they can
     * @param <T>    what they are to be called by
     */
    record Bound<T>(T api, String name, String whyNot) {
        private static <T> Bound<T> none(String whyNot) {
            return new Bound<>(null, "", whyNot);
        }
    }

    /** The functions of the first library there is, as {@link #find}; or what is wrong, such as that it is absent. */
    static <T> Bound<T> bind(List<Path> folders, Function<Symbols, T> functions, String absent, String... sonames) {
        List<String> failures = new ArrayList<>();
        Optional<GpuLibrary> library = find(folders, failures, sonames);
        if (library.isEmpty()) {
            failures.add(absent);
            return Bound.none(String.join("; ", failures));
        }
        Symbols symbols = new Symbols(library.get());
        T api = functions.apply(symbols);
        return symbols.whyNot().isEmpty() ? new Bound<>(api, library.get().name, "") : Bound.none(symbols.whyNot());
    }

    /** What belongs to a library: of the folder that it is in, and only if the system found it, where that looks. */
    static Optional<GpuLibrary> beside(GpuLibrary library, List<Path> folders, String... sonames) {
        List<String> failures = new ArrayList<>();
        return library.folder == null ? find(folders, failures, sonames)
                : inFolders(List.of(library.folder), failures, sonames);
    }

    private static Optional<GpuLibrary> inFolders(List<Path> folders, List<String> failures, String... sonames) {
        for (Path folder : folders) {
            for (String soname : sonames) {
                Path file = folder.resolve(soname);
                Optional<GpuLibrary> library = Files.exists(file) ? load(file, failures) : Optional.empty();
                if (library.isPresent()) {
                    return library;
                }
            }
        }
        return Optional.empty();
    }

    @SuppressWarnings("restricted")
    private static Optional<GpuLibrary> inSystem(String... sonames) {
        for (String soname : sonames) {
            try {
                return Optional.of(new GpuLibrary(soname, null, SymbolLookup.libraryLookup(soname, Arena.global())));
            } catch (IllegalArgumentException e) {
                // Not there, or broken: the message is the same. The caller names what it looked for.
            }
        }
        return Optional.empty();
    }

    /** Loads a file, which libraries that are loaded after it then find by its soname. */
    @SuppressWarnings("restricted")
    static Optional<GpuLibrary> load(Path file, List<String> failures) {
        try {
            SymbolLookup lookup = SymbolLookup.libraryLookup(file, Arena.global());
            return Optional.of(new GpuLibrary(file.toString(), file.getParent(), lookup));
        } catch (IllegalArgumentException e) {
            failures.add(e.getMessage());
            return Optional.empty();
        }
    }

    /** The functions of some libraries, and a note of those that they should have and do not. */
    static final class Symbols {
        private final List<GpuLibrary> libraries;
        private final List<String> missing = new ArrayList<>();

        Symbols(GpuLibrary... libraries) {
            this.libraries = List.of(libraries);
        }

        /** A function without which nothing works. */
        CFunction need(String name) {
            CFunction function = find(name);
            if (!function.exists()) {
                missing.add(name);
            }
            return function;
        }

        /** A function that not every version has. */
        CFunction find(String name) {
            for (GpuLibrary library : libraries) {
                Optional<MemorySegment> address = library.lookup.find(name);
                if (address.isPresent()) {
                    return new CFunction(name, address.get());
                }
            }
            return new CFunction(name, MemorySegment.NULL);
        }

        /** {@return why these libraries are of no use, empty if they are} */
        String whyNot() {
            return missing.isEmpty() ? "" : String.join(" and ", libraries.stream().map(GpuLibrary::name).toList())
                    + " without " + String.join(", ", missing) + ": too old, or something else of that name";
        }
    }
}
