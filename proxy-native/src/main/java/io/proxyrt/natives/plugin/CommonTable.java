/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import io.proxyrt.natives.CFunction;

/**
 * What {@code ncclNet_vN} and {@code ncclCollNet_vN} have in common.
 *
 * @param version 6 to 12
 * @param name    of the plug-in
 * @param finish  {@code finalize}, not before version 11
 */
record CommonTable(int version, String name, CFunction init, CFunction devices, CFunction getProperties,
        CFunction listen, CFunction regMr, CFunction regMrDmaBuf, CFunction deregMr, CFunction test,
        CFunction closeListen, CFunction finish) {
    /** The places that differ are given. */
    static CommonTable read(TableReader table, long test, long closeListen, long finish) {
        return new CommonTable(table.version(), table.name(), table.need(8, TableReader.INIT),
                table.need(16, "devices"), table.need(24, "getProperties"), table.need(32, "listen"),
                table.need(56, "regMr"), table.find(0, 64, "regMrDmaBuf"), table.need(72, "deregMr"),
                table.need(test, "test"), table.need(closeListen, "closeListen"), table.find(11, finish, "finalize"));
    }
}
