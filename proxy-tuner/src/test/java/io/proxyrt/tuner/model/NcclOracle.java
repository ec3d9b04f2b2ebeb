/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.CollFunction;
import io.proxyrt.topology.PathType;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.GraphValues;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.List;

/**
 * NCCL's model once more: from the tables of the reference, as they stand there, and by adding up what each step costs.
 * A time below 0 is none.
 */
final class NcclOracle {
    private static final List<String> ORDER = List.of("Tree", "Ring", "CollNetDirect", "Chain", "NVLS", "NVLSTree",
            "PAT");
    private static final double[][] BASE = {Grid.doubles("6.8/14/8.4"), Grid.doubles("6.6/14/8.4"), new double[3],
        new double[3], new double[3], new double[3], Grid.doubles("8/8/8")};
    private static final String[][] STEP = {
        {".6/1.25/4.0", ".6/1.9/3.4", "0/0/3.7", "0/0/2.8", "0/0/25", "0/0/25", "0/0/4.0"},
        {"1.0/1.9/4.0", "1.0/2.5/5.7", "0/0/3.7", "0/0/2.8", "0/0/0", "0/0/0", "0/0/4.0"},
        {"5.0/8.5/14", "2.7/4.0/14", "0/0/31", "0/0/30", "0/0/18", "0/0/20.9", "0/0/14"}};
    private static final String[] LL_MAX = {"39/39/20.4", "87.7/22.5/19", "141/45/35", "282/90/70"};
    private static final double[] RING_LL128 = {20, 20, 36.7, 40};
    private static final String[] TREE_LL128 = {"20/20/20", "20/20/20", "36.7/36.7/29", "55.6/31.67/20"};
    private static final String[] TREE_MAX = {"26.5/18.5/10", "24/23.6/17.8", "38.7/41.4/36", "70/42.8/24"};
    private static final String[] NVLS_TREE_MAX = {"26.5/18.5/10", "24/23.6/17.8", "0/57.7/45.5", "0/96/80"};
    private static final String[] CORRECTION = {
        "1 1 1 1 .9 .8 .7 .7 .7 .7 .6 .5 .4 .4 .5 .6 .7 .8 .9 1 1 1 1",
        "1 1 1 1 1 .9 .8 .8 .8 .7 .6 .6 .6 .6 .6 .6 .8 .9 .9 .9 .9 1 1",
        ".9 .9 .9 .9 .9 .9 .9 .8 .7 .6 .6 .5 .5 .5 .5 .6 .7 .8 .7 .7 .8 .9 .9"};

    private final TuningInput in;
    private final int cc;
    private final int row;
    private final int scale;

    NcclOracle(TuningInput in, int cc) {
        this.in = in;
        this.cc = cc;
        row = cc < 80 ? 0 : cc < 90 ? 1 : cc < 100 ? 2 : 3;
        scale = in.nodes() > 2 ? 2 : in.nodes() - 1;
    }

    double timeUs(Way way, CollInfo call) {
        GraphValues g = in.graphs().get(way.algorithm());
        int p = way.protocol().ordinal();
        if (p == 1 && !(cc >= 70 && g.typeIntra().ordinal() <= 2 && g.typeInter().ordinal() <= (cc >= 90 ? 7 : 5))) {
            return -1;
        }
        double[] cost = switch (ORDER.get(way.algorithm().ordinal())) {
            case "Ring" -> ring(p, g, call.bytes());
            case "Tree" -> tree(p, g, call.bytes());
            case "PAT" -> pat(p, g);
            case "NVLS", "NVLSTree" -> nvls(way.algorithm().ordinal(), p, g);
            default -> collNet(way.algorithm().ordinal(), p, g);
        };
        return cost == null || cost[1] <= 0 ? -1 : cost[0] * call.pipeOps() + call.bytes() / cost[1] * 1e-3;
    }

    private boolean is(CollFunction... functions) {
        return List.of(functions).contains(in.function());
    }

    private double[] ring(int p, GraphValues g, long bytes) {
        int n = in.ranks();
        int nodes = in.nodes();
        double all = g.channels() * (nodes == 1 || nodes == 2 && cc < 100 ? g.bwIntra() : g.bwInter());
        double[] busses = {Math.min(.5 * all, llMax()), Math.min(.92 * all, g.channels() * RING_LL128[row]), all};
        int steps = is(CollFunction.ALL_REDUCE) ? n - 1 + n - 1
                : is(CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER) ? n - 1 : n;
        double lat = BASE[1][p];
        double near = step(g, 1, p);
        double far = nodes == 1 ? near : cell(2, n == nodes ? 0 : 1, p) + (p == 2 ? 2 : 1) * g.latencyInter();
        if (is(CollFunction.BROADCAST, CollFunction.REDUCE)) {
            int hw = nodes > 1 ? 2 : g.typeIntra() == PathType.NVL ? 0 : 1;
            lat += g.sameChannels() ? cell(hw, 1, p) : steps * cell(hw, p == 2 ? 0 : 1, p);
        } else {
            int crossings = (nodes - 1) * (is(CollFunction.ALL_REDUCE) ? 2 : 1);
            double post = nodes == 1 ? 0 : (in.cpu() == CpuVendor.AMD ? 2 : 1) * (p == 2 ? 3 : 1);
            for (int i = 0; i < steps; i++) {
                lat += i < crossings ? far : Math.max(near, post);
            }
        }
        boolean plateau = nodes > 1 ? is(CollFunction.ALL_REDUCE) : cc >= 100 && g.typeIntra() == PathType.NVL
                && is(CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER);
        if (p == 2 && plateau && bytes >= 64L * g.channels() * n) {
            lat *= cc < 80 ? 1.9 : 1.4;
        }
        return new double[] {lat, busses[p] * n / steps};
    }

    private double[] tree(int p, GraphValues g, long bytes) {
        if (!is(CollFunction.ALL_REDUCE)) {
            return null;
        }
        double bw = in.nodes() <= 2 ? g.bwIntra() : g.bwInter();
        if (cc >= 100) {
            bw = Math.min(g.bwIntra(), g.bwInter());
        }
        double bus = g.channels() * Math.min(.92 * bw, Grid.doubles(TREE_MAX[row])[scale]);
        if (p == 0) {
            bus = Math.min(bus / 3.8, llMax());
        } else if (p == 1) {
            bus = Math.min(bus * (in.nodes() == 1 ? 7 / 9.0 : .9375),
                    g.channels() * Grid.doubles(TREE_LL128[row])[scale]);
        }
        bus *= g.isPlainTree() ? .85 : 1;
        int size = (int) (Math.log(bytes / 64.0) / Math.log(2) + 1e-9);
        if (bytes >= 64 && size <= 22) {
            bus *= Grid.doubles(CORRECTION[p])[size];
        }
        double lat = BASE[0][p] + 2 * (in.ranks() / in.nodes() - 1) * step(g, 0, p)
                + 2 * depth() * between(g, 0, p);
        return new double[] {lat, bus / 2};
    }

    private double[] pat(int p, GraphValues g) {
        if (p != 2 || in.ranks() != in.nodes() || !is(CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER)) {
            return null;
        }
        double inter = (in.nodes() == 1 ? step(g, 6, p) : cell(2, 6, p)) + g.latencyInter();
        return new double[] {8 + depth() * (inter / 3.5) + in.ranks() * 2.8,
            .75 * g.channels() * Math.min(g.bwInter(), g.bwIntra())};
    }

    private double[] nvls(int a, int p, GraphValues g) {
        boolean isTree = a == 5;
        boolean parts = is(CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER);
        if (p != 2 || g.channels() < 2 || !(is(CollFunction.ALL_REDUCE) || parts && !isTree)
                || isTree && in.nodes() == 1) {
            return null;
        }
        double ppn = in.ranks() / in.nodes();
        double intra = g.bwIntra() * new double[] {0, 0, .85, .74}[row] * (1 - 1.0 / g.channels())
                * (parts ? 1 - 1 / ppn : 2);
        double inter = isTree && in.nodes() == 2 ? 2 * g.bwInter() : g.bwInter();
        double bw = g.channels() * Math.min(intra, inter);
        if (isTree) {
            bw = Math.min(bw, g.channels() * Grid.doubles(NVLS_TREE_MAX[row])[scale]);
        }
        double lat = step(g, a, p) + (isTree ? 2 * depth() * between(g, a, p) : in.nodes() > 1 ? between(g, a, p) : 0);
        return new double[] {lat, parts ? bw : bw * in.ranks() / (2 * in.ranks() - 2)};
    }

    private double[] collNet(int a, int p, GraphValues g) {
        boolean parts = is(CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER);
        if (p != 2 || !(is(CollFunction.ALL_REDUCE) || parts && a == 2)) {
            return null;
        }
        double ppn = 1.0 * in.ranks() / in.nodes();
        double bus = ppn * Math.min(g.bwIntra(), .9 * g.bwInter());
        if (!parts) {
            bus /= (ppn / g.channels() + 1) / 2;
        }
        int others = in.ranks() / in.nodes() - 1;
        double lat = a == 3 ? 2 * others * step(g, a, p) : (others > 0 ? 2 * step(g, a, p) : 0) + .8 * others;
        return new double[] {lat + between(g, a, p), bus / 2};
    }

    private double between(GraphValues g, int a, int p) {
        return (in.nodes() == 1 ? step(g, a, p) : cell(2, a, p)) + (p == 2 ? 2 : 1) * g.latencyInter();
    }

    private double step(GraphValues g, int a, int p) {
        return cell(g.typeIntra() == PathType.NVL ? 0 : 1, a, p);
    }

    private static double cell(int hw, int a, int p) {
        return Grid.doubles(STEP[hw][a])[p];
    }

    private double llMax() {
        boolean amd = in.cpu() == CpuVendor.AMD || in.cpu() == CpuVendor.MIXED;
        return Grid.doubles(LL_MAX[in.nodes() == 1 ? row : amd ? 1 : 0])[scale];
    }

    private int depth() {
        int depth = 0;
        for (int reached = 2; reached <= in.nodes(); reached *= 2) {
            depth++;
        }
        return depth;
    }
}
