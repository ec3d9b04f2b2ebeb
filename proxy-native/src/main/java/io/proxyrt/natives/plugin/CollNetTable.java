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
 * {@code ncclCollNet_vN}: a name, and functions. Version 8 put two between others.
 *
 * @param version       6 to 12
 * @param name          of the plug-in
 * @param allGather     {@code iallgather}, not before version 8
 * @param reduceScatter {@code ireducescatter}, not before version 8
 * @param finish        {@code finalize}, not before version 11
 */
record CollNetTable(int version, String name, TableFunction init, TableFunction devices, TableFunction getProperties,
        TableFunction listen, TableFunction connect, TableFunction reduceSupport, TableFunction regMr,
        TableFunction regMrDmaBuf, TableFunction deregMr, TableFunction allReduce, TableFunction allGather,
        TableFunction reduceScatter, TableFunction iflush, TableFunction test, TableFunction closeColl,
        TableFunction closeListen, TableFunction finish) {
    private static final String SYMBOL = "ncclCollNetPlugin_v";
    private static final int MAX_NAME_BYTES = 256;
    /** Of the table of version 12; older ones are shorter, and not read beyond their end. */
    private static final long BYTES = 152;

    /**
     * The newest table that a library exports.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it has none, or one that lacks functions
     */
    static CollNetTable find(SharedLibrary library) {
        for (int version = NetTable.NEWEST; version >= NetTable.OLDEST; version--) {
            long address = library.find(SYMBOL + version);
            if (address != 0) {
                return checked(read(version, address), library);
            }
        }
        throw new ProxyException(ProxyResult.INVALID_USAGE, library.file() + " has no collectives: it exports none of "
                + SYMBOL + NetTable.NEWEST + " to " + SYMBOL + NetTable.OLDEST);
    }

    @SuppressWarnings("restricted")
    private static CollNetTable read(int version, long address) {
        MemorySegment table = MemorySegment.ofAddress(address).reinterpret(BYTES);
        String name = CText.at(table.get(JAVA_LONG, 0), MAX_NAME_BYTES);
        boolean hasParts = version >= 8;
        int next = hasParts ? 104 : 88;
        return new CollNetTable(version, name == null ? "" : name, at(table, 8, "init"), at(table, 16, "devices"),
                at(table, 24, "getProperties"), at(table, 32, "listen"), at(table, 40, "connect"),
                at(table, 48, "reduceSupport"), at(table, 56, "regMr"), at(table, 64, "regMrDmaBuf"),
                at(table, 72, "deregMr"), at(table, 80, "iallreduce"),
                hasParts ? at(table, 88, "iallgather") : TableFunction.absent("iallgather"),
                hasParts ? at(table, 96, "ireducescatter") : TableFunction.absent("ireducescatter"),
                at(table, next, "iflush"), at(table, next + 8, "test"), at(table, next + 16, "closeColl"),
                at(table, next + 24, "closeListen"),
                version < 11 ? TableFunction.absent("finalize") : at(table, 144, "finalize"));
    }

    private static TableFunction at(MemorySegment table, long offset, String name) {
        return TableFunction.at(table, offset, name);
    }

    private static CollNetTable checked(CollNetTable table, SharedLibrary library) {
        List<String> missing = Stream.of(table.init, table.devices, table.getProperties, table.listen, table.connect,
                        table.reduceSupport, table.regMr, table.deregMr, table.allReduce, table.test, table.closeColl,
                        table.closeListen)
                .filter(function -> !function.exists()).map(TableFunction::name).toList();
        if (!missing.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, SYMBOL + table.version + " of " + library.file()
                    + " lacks " + String.join(", ", missing));
        }
        return table;
    }
}
