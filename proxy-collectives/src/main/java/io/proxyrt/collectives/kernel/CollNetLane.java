/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import java.util.List;

/**
 * One channel's way between a node's ranks and one of its heads, as one rank sees it: at the root of a star or line is
 * the head, and above it the network. Kernels take turns on it.
 */
public final class CollNetLane {
    final int channel;
    final int head;
    final boolean isRoot;
    final SimplePrimitives toParent;
    final SimplePrimitives fromParent;
    final Child[] children;

    /**
     * A lane.
     *
     * @param channel    which
     * @param head       at the root
     * @param isRoot     whether this rank is the head
     * @param toParent   to the network or the rank that is nearer to the head
     * @param fromParent from there
     * @param children   ranks of this node that are farther from the head by one
     */
    public CollNetLane(int channel, int head, boolean isRoot, Port toParent, Port fromParent, List<Child> children) {
        this.channel = channel;
        this.head = head;
        this.isRoot = isRoot;
        this.toParent = toParent.simple();
        this.fromParent = fromParent.simple();
        this.children = children.toArray(Child[]::new);
    }

    /**
     * A rank that is farther from the head.
     *
     * @param local its place among the node's ranks
     * @param send  to it
     * @param recv  from it
     */
    public record Child(int local, Port send, Port recv) {
        SimplePrimitives to() {
            return send.simple();
        }

        SimplePrimitives from() {
            return recv.simple();
        }
    }
}
