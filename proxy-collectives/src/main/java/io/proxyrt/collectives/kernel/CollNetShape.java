/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

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
    /**
     * Which rank of the node a head is. It serves the ranks from itself to the next head.
     *
     * @param head 0 to heads; heads is behind the last
     * @return its place among the node's ranks
     */
    public int headLocal(int head) {
        return head * locals / heads;
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
