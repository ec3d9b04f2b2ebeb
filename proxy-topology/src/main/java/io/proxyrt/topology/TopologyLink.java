/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

/**
 * What joins two nodes directly, one way. Immutable.
 *
 * @param index     of it, among all links of its graph
 * @param from      where it begins
 * @param to        where it ends
 * @param type      what it is
 * @param bandwidth of it in GB/s, of all that are bundled in it; greater than 0
 */
public record TopologyLink(int index, TopologyNode from, TopologyNode to, Type type, double bandwidth) {
    /** What a link is. */
    public enum Type {
        /** NVLink or xGMI. */
        NVL(PathType.NVL),
        /** Between a GPU and its CPU. */
        C2C(PathType.C2C),
        /** PCI. */
        PCI(PathType.PIX),
        /** Between NUMA nodes. */
        SYS(PathType.SYS),
        /** From an adapter into its network. */
        NET(PathType.LOC);

        private final PathType path;

        Type(PathType path) {
            this.path = path;
        }

        /** Of a path that is this link alone. */
        PathType path() {
            return path;
        }
    }

    /** For people. */
    @Override
    public String toString() {
        return from + " -" + type + "-> " + to;
    }
}
