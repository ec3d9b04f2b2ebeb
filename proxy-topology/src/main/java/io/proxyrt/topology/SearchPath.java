/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

/** A path as a search needs it: which links it takes bandwidth of, and how much of it. */
final class SearchPath {
    private static final double UNITS = 1000;
    /** What peer-to-peer traffic costs more on PCI if it goes through a CPU of Intel. */
    private static final double INTEL_OVERHEAD = 1.2;
    /** Older GPUs answer what comes in from a NIC with an eighth of it. */
    private static final int ANSWER = 8;
    private static final int AMPERE = 80;

    private final PathType type;
    private final double bandwidth;
    private final boolean isCostly;
    private final int[] links;
    private final boolean[] isPci;
    /** The link the other way; -1 if nothing goes there. */
    private final int[] reverse;
    /** Which part of the bandwidth that is. */
    private final int[] parts;

    SearchPath(TopologyNode start, TopologyPath path) {
        int hops = path.hops();
        this.type = path.type();
        this.bandwidth = path.bandwidth();
        this.isCostly = path.type() == PathType.PHB && start.type() == NodeType.GPU
                && path.cpu().filter(cpu -> cpu.cpu().isIntel()).isPresent();
        this.links = new int[hops];
        this.isPci = new boolean[hops];
        this.reverse = new int[hops];
        this.parts = new int[hops];
        TopologyNode node = start;
        for (int hop = 0; hop < hops; hop++) {
            TopologyLink link = path.links().get(hop);
            links[hop] = link.index();
            isPci[hop] = link.type() == TopologyLink.Type.PCI;
            parts[hop] = part(start, link);
            reverse[hop] = parts[hop] == 0 ? -1 : reverse(node, link);
            node = link.to();
        }
    }

    private static int part(TopologyNode start, TopologyLink link) {
        if (link.to().type() == NodeType.GPU && start.type() != NodeType.GPU && link.to().gpu().capability() < AMPERE) {
            return ANSWER;
        }
        return link.to().type() == NodeType.CPU && link.type() == TopologyLink.Type.NVL ? 1 : 0;
    }

    private static int reverse(TopologyNode node, TopologyLink link) {
        return link.to().links().stream().filter(other -> other.to() == node && other.type() == link.type())
                .mapToInt(TopologyLink::index).findFirst().orElse(-1);
    }

    /** Thousandths of GB/s, which add up exactly. */
    static long units(double bandwidth) {
        return Math.round(bandwidth * UNITS);
    }

    PathType type() {
        return type;
    }

    double bandwidth() {
        return bandwidth;
    }

    int hops() {
        return links.length;
    }

    /** Takes a bandwidth of all links, or of none, and says which. */
    boolean take(long[] left, double amount) {
        int taken = spend(left, links.length, amount, 1);
        if (taken < links.length) {
            spend(left, taken, amount, -1);
            return false;
        }
        return true;
    }

    /** Gives back what was taken. */
    void give(long[] left, double amount) {
        spend(left, links.length, amount, -1);
    }

    private int spend(long[] left, int hops, double amount, int sign) {
        long plain = units(amount);
        long onPci = isCostly ? units(amount * INTEL_OVERHEAD) : plain;
        for (int hop = 0; hop < hops; hop++) {
            long forth = isPci[hop] ? onPci : plain;
            int back = reverse[hop];
            if (sign > 0 && (left[links[hop]] < forth || back >= 0 && left[back] < forth / parts[hop])) {
                return hop;
            }
            left[links[hop]] -= sign * forth;
            if (back >= 0) {
                left[back] -= sign * (forth / parts[hop]);
            }
        }
        return hops;
    }
}
