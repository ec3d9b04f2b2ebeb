/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.contender.PoolContender;
import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.RpcPlan;
import io.proxyrt.bench.run.ShmPlan;
import java.util.List;

/** Who has which colour: ours are blue, C is red, the others are told apart but stay behind. */
final class Palette {
    static final String OURS = "#0969da";
    private static final List<String> MORE_OF_OURS = List.of(OURS, "#54aeff", "#0a3069", "#80ccff");
    private static final String C_PEERS = "c-";
    private static final String C = "#cf222e";
    private static final String OTHER = "#8c959f";
    private static final List<String> TOLD_APART = List.of("#bf8700", "#2da44e", "#8250df", "#e16f24", "#6e7781",
            "#bf3989", "#1b7c83", "#7d4e00");

    private Palette() {
    }

    static boolean isOurs(String contender) {
        return contender.startsWith(RpcPlan.OURS) || PoolContender.kinds().contains(plain(contender));
    }

    /** The one among the peers in C that ours is held against. */
    static boolean isC(String contender) {
        return contender.startsWith(OpsPlan.C_POLLING) || contender.equals(NetPlan.C)
                || contender.equals(ShmPlan.C_COPY);
    }

    /** For bars, which have their names beside them. */
    static String bar(String contender) {
        if (isOurs(contender)) {
            return OURS;
        }
        return contender.startsWith(C_PEERS) ? C : OTHER;
    }

    /** For lines, which are told apart by colour alone; which one it is among ours, or among the others. */
    static String line(String contender, int index) {
        if (isOurs(contender)) {
            int kind = PoolContender.kinds().indexOf(plain(contender));
            int shade = kind < 0 ? index : kind;
            return MORE_OF_OURS.get(shade % MORE_OF_OURS.size());
        }
        return isC(contender) ? C : TOLD_APART.get(index % TOLD_APART.size());
    }

    /** Which pool it is, however it waits. */
    private static String plain(String contender) {
        return contender.replace(OpsPlan.PARKED, "").replace(OpsPlan.AWAKE, "");
    }
}
