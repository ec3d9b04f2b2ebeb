/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where a rank is among nodes, their ranks and heads: what collectives that the network carries out are cut by. All
 * ranks of a communicator have the same, but for node and local. Immutable.
 *
 * @param nRanks   of the communicator
 * @param nNodes   hosts, each a participant of the network's collectives
 * @param node     this rank's
 * @param locals   ranks of this node; of every node, where collectives have a part for each rank
 * @param local    this rank's place among them
 * @param heads    ranks of a node that are connected with the network
 * @param channels that share the work
 * @param isChain  whether a node's ranks form a line to each head, and no star around it
 */
public record CollNetShape(int nRanks, int nNodes, int node, int locals, int local, int heads, int channels,
        boolean isChain) {
    /** Least bytes that a slot has to hold: the grain of chunks. */
    public static final long LEAST_STEP_BYTES = RingGeometry.GRAIN_BYTES;

    /**
     * Which rank of a node a head is.
     *
     * @param head   0 to heads; heads is behind the last
     * @param heads  of each node
     * @param locals ranks of the node
     * @return its place among the node's ranks
     */
    public static int headLocal(int head, int heads, int locals) {
        return head * locals / heads;
    }

    /**
     * Which rank of this node a head is. It serves the ranks from itself to the next head.
     *
     * @param head 0 to heads; heads is behind the last
     * @return its place among the node's ranks
     */
    public int headLocal(int head) {
        return headLocal(head, heads, locals);
    }

    /**
     * Whether a channel has a way to a head: each to all of a star, each to one of a line.
     *
     * @param channel which
     * @param head    which
     * @return true if it has
     */
    public boolean hasLane(int channel, int head) {
        return !isChain || channel % heads == head;
    }

    /**
     * Which rank of the node is nearer to a head by one.
     *
     * @param head which
     * @return its place; -1 if this rank is the head
     */
    public int parent(int head) {
        int root = headLocal(head);
        return local == root ? -1 : isChain ? Math.floorMod(local - 1, locals) : root;
    }

    /**
     * Which ranks of the node are farther from a head by one.
     *
     * @param head which
     * @return their places, ascending
     */
    public List<Integer> children(int head) {
        return IntStream.range(0, locals).filter(other -> new CollNetShape(nRanks, nNodes, node, locals, other, heads,
                channels, isChain).parent(head) == local).boxed().toList();
    }

    /**
     * Whether data of a rank of this node go up to a head, from rank to rank: all do that are reduced.
     *
     * @param function of the collective
     * @param head     which
     * @param other    the rank's place
     * @return false if the head takes nothing from there
     */
    public boolean goesUp(CollFunction function, int head, int other) {
        return function != CollFunction.ALL_GATHER || serves(head, other);
    }

    /**
     * Whether data go from a head down to a rank of this node.
     *
     * @param function of the collective
     * @param head     which
     * @param other    the rank's place
     * @return false if the head has nothing for it
     */
    public boolean goesDown(CollFunction function, int head, int other) {
        return function != CollFunction.REDUCE_SCATTER || serves(head, other);
    }

    /**
     * Which head this rank is.
     *
     * @return -1 if it is none
     */
    public int ownHead() {
        for (int head = 0; head < heads; head++) {
            if (headLocal(head) == local) {
                return head;
            }
        }
        return -1;
    }

    /**
     * Whether a head serves a rank: hands its part to the network, and its part of the outcome to it.
     *
     * @param head  of this node
     * @param local a rank of this node
     * @return true for the head itself, too
     */
    public boolean serves(int head, int local) {
        return headLocal(head) <= local && local < headLocal(head + 1);
    }
}
