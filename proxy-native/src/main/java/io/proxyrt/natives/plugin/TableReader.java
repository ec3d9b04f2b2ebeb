/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Reads a table of a plug-in: a name, and functions, among which some must not lack. There are plug-ins that fill their
 * table when they are initialized, so it is read before, for init, and again after.
 */
final class TableReader {
    static final String INIT = "init";

    private static final int NEWEST = 12;
    private static final int OLDEST = 6;
    private static final int MAX_NAME_BYTES = 256;
    /** Of the longest table. Shorter ones are not read beyond their end. */
    private static final long MOST_BYTES = 176;

    private final SharedLibrary library;
    private final String symbol;
    private final int version;
    private final MemorySegment table;
    private final Set<String> missing = new LinkedHashSet<>();

    @SuppressWarnings("restricted")
    private TableReader(SharedLibrary library, String symbol, int version, long address) {
        this.library = library;
        this.symbol = symbol;
        this.version = version;
        this.table = MemorySegment.ofAddress(address).reinterpret(MOST_BYTES);
    }

    /**
     * The newest table that a library exports.
     *
     * @param prefix of the symbol, before the version
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it has none
     */
    static TableReader newest(SharedLibrary library, String prefix) {
        return newest(library, prefix, NEWEST, OLDEST);
    }

    /**
     * The newest of some versions of a table that a library exports.
     *
     * @param prefix of the symbol, before the version
     * @param newest version that is looked for
     * @param oldest version that is looked for
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it has none
     */
    static TableReader newest(SharedLibrary library, String prefix, int newest, int oldest) {
        for (int version = newest; version >= oldest; version--) {
            long address = library.find(prefix + version);
            if (address != 0) {
                return new TableReader(library, prefix + version, version, address);
            }
        }
        throw new ProxyException(ProxyResult.INVALID_USAGE, library.file() + " is no plug-in that is known here: it"
                + " exports none of " + prefix + newest + " to " + prefix + oldest);
    }

    int version() {
        return version;
    }

    /** What the plug-in calls itself; may be blank. */
    String name() {
        String name = CText.at(table.get(JAVA_LONG, 0), MAX_NAME_BYTES);
        return name == null ? "" : name;
    }

    /** A function without which the plug-in is of no use. */
    CFunction need(long offset, String name) {
        CFunction function = CFunction.at(table, offset, name);
        if (function.exists()) {
            missing.remove(name);
        } else {
            missing.add(name);
        }
        return function;
    }

    /** A function that a plug-in may lack, and that tables before a version do not have. */
    CFunction find(int since, long offset, String name) {
        return version < since ? CFunction.absent(name) : CFunction.at(table, offset, name);
    }

    /**
     * After a reading.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the table lacks a function that it needs
     */
    void check() {
        if (!missing.isEmpty()) {
            throw lacks(missing);
        }
    }

    /**
     * After the first reading.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the plug-in cannot even be initialized
     */
    void checkInit() {
        if (missing.contains(INIT)) {
            throw lacks(Set.of(INIT));
        }
    }

    private ProxyException lacks(Set<String> functions) {
        return new ProxyException(ProxyResult.INVALID_USAGE, symbol + " of " + library.file() + " lacks "
                + String.join(", ", functions));
    }
}
