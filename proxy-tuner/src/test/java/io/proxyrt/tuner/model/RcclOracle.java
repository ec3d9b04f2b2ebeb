/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.CollFunction;
import io.proxyrt.topology.PathType;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.GraphValues;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;

/** RCCL's model once more, from its tables, by adding up what each step costs. A time below 0 is none. */
final class RcclOracle {
    private static final String[] PROTOCOLS = {"ll", "ll128", "simple"};

    private final Properties tables = new Properties();
    private final String architecture;

    RcclOracle(String architecture, int model) throws IOException {
        this.architecture = architecture;
        try (InputStream in = RcclOracle.class.getResourceAsStream("rccl-" + model + ".table")) {
            tables.load(in);
        }
    }

    double timeUs(TuningInput in, Way way, long bytes) {
        int p = way.protocol().ordinal();
        GraphValues g = in.graphs().get(way.algorithm());
        boolean mi300 = List.of("gfx942", "gfx950").contains(architecture);
        boolean rooted = in.function() == CollFunction.BROADCAST || in.function() == CollFunction.REDUCE;
        boolean reduce = in.function() == CollFunction.ALL_REDUCE;
        if (!has(in, way, mi300 && in.nodes() == 1) || p == 1 && (!mi300 && !architecture.equals("gfx90a")
                || g.typeIntra().ordinal() > 1 || g.typeInter().ordinal() > 5)) {
            return -1;
        }
        boolean net = way.algorithm().name().startsWith("COLLNET");
        double bw = g.channels() * (in.nodes() <= 2 || net ? g.bwIntra() : g.bwInter())
                * row("ratio." + (in.nodes() <= 2 ? "two." : "more.") + way.algorithm().label())[p];
        boolean ring = way.algorithm() == NcclAlgorithm.RING;
        bw *= ring && rooted && p == 0 && mi300 && in.nodes() == 1 ? 1.65 : 1;
        bw *= ring ? 1.0 * in.ranks() / steps(in, in.ranks()) : rooted || reduce ? 0.5 : 1;
        if (way.algorithm() == NcclAlgorithm.TREE || ring && in.nodes() > 1) {
            int i = (int) (Math.log(bytes / 64.0) / Math.log(2) + 1e-9);
            bw *= row("correction." + way.algorithm().label() + "." + PROTOCOLS[p])[Math.min(i, 26)];
        }
        return bw == 0 ? -1 : latency(in, way, g, rooted) + bytes / bw / 1000;
    }

    private static boolean has(TuningInput in, Way way, boolean oneMi300) {
        boolean simple = way.protocol().ordinal() == 2;
        boolean reduce = in.function() == CollFunction.ALL_REDUCE;
        boolean parts = in.function() == CollFunction.ALL_GATHER || in.function() == CollFunction.REDUCE_SCATTER;
        return switch (way.algorithm().label()) {
            case "ring" -> true;
            case "tree" -> reduce && (!simple || !oneMi300);
            case "collnetdirect" -> simple && (reduce || parts);
            case "collnetchain" -> simple && reduce;
            case "pat" -> simple && parts && in.nodes() == in.ranks();
            default -> false;
        };
    }

    private double latency(TuningInput in, Way way, GraphValues g, boolean rooted) {
        int p = way.protocol().ordinal();
        String near = g.typeIntra() == PathType.NVL ? "nvlink." : "pci.";
        double hop = row("latency." + near + way.algorithm().label())[p];
        double far = row("latency.net." + (in.ranks() == in.nodes() ? "tree" : way.algorithm().label()))[p]
                + g.latencyInter() + (p == 2 ? g.latencyInter() : 0);
        int inner = in.ranks() / in.nodes() - 1;
        double log = Math.floor(Math.log(in.nodes()) / Math.log(2) + 1e-9);
        double base = p == 2 ? 17 : 12;
        return switch (way.algorithm().label()) {
            case "tree" -> base + 2 * inner * hop + 2 * log * far;
            case "pat" -> 8 + in.ranks() * 2.8 + log * (far / 3.5);
            case "collnetdirect" -> base + (inner > 0 ? 2 * hop : 0) + 0.8 * inner + far;
            case "collnetchain" -> base + 2 * inner * hop + far;
            default -> base + (rooted ? rooted(in, g, near, p) : ring(in, hop, far, p));
        };
    }

    private static double ring(TuningInput in, double hop, double far, int p) {
        double post = in.nodes() == 1 ? 0 : (in.cpu() == CpuVendor.AMD ? 2 : 1) * (p == 2 ? 3 : 1);
        double sum = 0;
        int between = in.nodes() == 1 ? 0 : steps(in, in.nodes());
        for (int i = steps(in, in.ranks()); i > 0; i--) {
            sum += i <= between ? far : Math.max(hop, post);
        }
        return sum;
    }

    private double rooted(TuningInput in, GraphValues g, String near, int p) {
        String link = "latency." + (in.nodes() == 1 ? near : "net.");
        return g.sameChannels() ? row(link + "ring")[p] : in.ranks() * row(link + (p == 2 ? "tree" : "ring"))[p];
    }

    private static int steps(TuningInput in, int n) {
        return switch (in.function()) {
            case ALL_REDUCE -> 2 * n - 2;
            case ALL_GATHER, REDUCE_SCATTER -> n - 1;
            default -> n;
        };
    }

    private double[] row(String name) {
        return Grid.doubles(tables.getProperty(name));
    }
}
