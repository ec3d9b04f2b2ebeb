/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import io.proxyrt.natives.CFunction;

/**
 * {@code ncclNet_vN}: functions at places that have not changed since version 6.
 *
 * @param common   what tables of collectives have too
 * @param consumed {@code irecvConsumed}, not before version 7
 */
record NetTable(CommonTable common, CFunction connect, CFunction accept, CFunction isend, CFunction irecv,
        CFunction iflush, CFunction closeSend, CFunction closeRecv, CFunction consumed) {
    static final String PREFIX = "ncclNetPlugin_v";

    static NetTable read(TableReader table) {
        return new NetTable(CommonTable.read(table, 104, 128, 160), table.need(40, "connect"),
                table.need(48, "accept"), table.need(80, "isend"), table.need(88, "irecv"),
                table.find(0, 96, "iflush"), table.need(112, "closeSend"), table.need(120, "closeRecv"),
                table.find(7, 144, "irecvConsumed"));
    }
}
