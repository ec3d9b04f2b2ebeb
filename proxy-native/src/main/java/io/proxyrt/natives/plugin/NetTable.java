/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@code ncclNet_vN}: a name, and functions at places that have not changed since version 6.
 *
 * @param version      6 to 12
 * @param name         of the plug-in
 * @param consumed     {@code irecvConsumed}, not before version 7
 * @param finish       {@code finalize}, not before version 11
 */
record NetTable(int version, String name, TableFunction init, TableFunction devices, TableFunction getProperties,
        TableFunction listen, TableFunction connect, TableFunction accept, TableFunction regMr,
        TableFunction regMrDmaBuf, TableFunction deregMr, TableFunction isend, TableFunction irecv,
        TableFunction iflush, TableFunction test, TableFunction closeSend, TableFunction closeRecv,
        TableFunction closeListen, TableFunction consumed, TableFunction finish) {
    static final int NEWEST = 12;
    static final int OLDEST = 6;

    private static final String SYMBOL = "ncclNetPlugin_v";
    private static final int MAX_NAME_BYTES = 256;
    private static final long CONSUMED = 144;
    private static final long FINALIZE = 160;

    /**
     * The newest table that a library exports.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it has none, or one that lacks functions
     */
    static NetTable find(SharedLibrary library) {
        for (int version = NEWEST; version >= OLDEST; version--) {
            long address = library.find(SYMBOL + version);
            if (address != 0) {
                return checked(read(version, address), library);
            }
        }
        throw new ProxyException(ProxyResult.INVALID_USAGE, library.file() + " is no network plug-in that is known: it"
                + " exports none of " + SYMBOL + NEWEST + " to " + SYMBOL + OLDEST);
    }

    @SuppressWarnings("restricted")
    private static NetTable read(int version, long address) {
        MemorySegment table = MemorySegment.ofAddress(address).reinterpret(FINALIZE + Long.BYTES);
        String name = CText.at(table.get(JAVA_LONG, 0), MAX_NAME_BYTES);
        return new NetTable(version, name == null ? "" : name, at(table, 8, "init"), at(table, 16, "devices"),
                at(table, 24, "getProperties"), at(table, 32, "listen"), at(table, 40, "connect"),
                at(table, 48, "accept"), at(table, 56, "regMr"), at(table, 64, "regMrDmaBuf"), at(table, 72, "deregMr"),
                at(table, 80, "isend"), at(table, 88, "irecv"), at(table, 96, "iflush"), at(table, 104, "test"),
                at(table, 112, "closeSend"), at(table, 120, "closeRecv"), at(table, 128, "closeListen"),
                version < 7 ? TableFunction.absent("irecvConsumed") : at(table, CONSUMED, "irecvConsumed"),
                version < 11 ? TableFunction.absent("finalize") : at(table, FINALIZE, "finalize"));
    }

    private static TableFunction at(MemorySegment table, long offset, String name) {
        return TableFunction.at(table, offset, name);
    }

    private static NetTable checked(NetTable table, SharedLibrary library) {
        List<String> missing = Stream.of(table.init, table.devices, table.getProperties, table.listen, table.connect,
                        table.accept, table.regMr, table.deregMr, table.isend, table.irecv, table.test, table.closeSend,
                        table.closeRecv, table.closeListen)
                .filter(function -> !function.exists()).map(TableFunction::name).toList();
        if (!missing.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, SYMBOL + table.version + " of " + library.file()
                    + " lacks " + String.join(", ", missing));
        }
        return table;
    }
}
