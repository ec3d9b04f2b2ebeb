/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import io.proxyrt.natives.CFunction;

/**
 * {@code ncclCollNet_vN}. Version 8 put two functions between others.
 *
 * @param common        what tables of networks have too
 * @param allGather     {@code iallgather}, not before version 8
 * @param reduceScatter {@code ireducescatter}, not before version 8
 */
record CollNetTable(CommonTable common, CFunction connect, CFunction reduceSupport, CFunction allReduce,
        CFunction allGather, CFunction reduceScatter, CFunction iflush, CFunction closeColl) {
    static final String PREFIX = "ncclCollNetPlugin_v";

    private static final int SINCE_PARTS = 8;

    static CollNetTable read(TableReader table) {
        long next = table.version() >= SINCE_PARTS ? 104 : 88;
        return new CollNetTable(CommonTable.read(table, next + 8, next + 24, 144),
                table.need(40, "connect"), table.need(48, "reduceSupport"), table.need(80, "iallreduce"),
                table.find(SINCE_PARTS, 88, "iallgather"), table.find(SINCE_PARTS, 96, "ireducescatter"),
                table.find(0, next, "iflush"), table.need(next + 16, "closeColl"));
    }
}
