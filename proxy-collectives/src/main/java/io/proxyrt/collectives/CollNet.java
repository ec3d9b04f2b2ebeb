/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollNetKernel;
import io.proxyrt.collectives.kernel.CollNetLane;
import io.proxyrt.collectives.kernel.CollNetShape;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.UserRedOp;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.util.List;
import java.util.Map;

/**
 * Collectives that the network carries out, once all ranks agreed that it does: the connections of this rank, and what
 * may go over them.
 *
 * @param shape     where this rank is
 * @param lanes     that it is on, by channel and then by head
 * @param support   of all heads
 * @param stepBytes that every slot holds, at every rank
 * @param areAlike  whether all nodes have equally many ranks, which follow each other
 * @param mostBytes of an all-reduce, or of all ranks' parts, that go so; of functions that may
 */
record CollNet(CollNetShape shape, List<Lane> lanes, CollNetSupport support, long stepBytes, boolean areAlike,
        Map<CollFunction, Long> mostBytes) {
    /** Most ranks of a node that form a star around its heads: RCCL's NCCL_MAX_DIRECT_ARITY and the head. */
    static final int MAX_DIRECT_RANKS = 8;

    /**
     * A lane, as ops need it.
     *
     * @param channel  which
     * @param head     at its root
     * @param toNet    connection to the network; null unless this rank is the head
     * @param fromNet  connection from the network; null unless this rank is the head
     * @param parent   the rank that is nearer to the head; null if this rank is the head
     * @param children ranks that are farther from it
     * @param kernels  the kernels' part
     */
    record Lane(int channel, int head, ConnectionEnd toNet, ConnectionEnd fromNet, PeerPorts.Pair parent,
            List<Child> children, CollNetLane kernels) {
    }

    /**
     * A rank that is farther from a head.
     *
     * @param local its place in the node
     * @param pair  connections with it
     */
    record Child(int local, PeerPorts.Pair pair) {
    }

    /** The connection that takes the user's memory as it is; null if data go through slots in any case. */
    ConnectionEnd registering() {
        // Only the data of channels that make a call together are in one piece.
        boolean isAlone = shape.nNodes() == shape.nRanks() && shape.channels() <= CollNetSupport.GROUP_CHANNELS;
        return isAlone ? lanes.getFirst().toNet() : null;
    }

    Algorithm algorithm() {
        return shape.isChain() ? Algorithm.COLLNETCHAIN : Algorithm.COLLNETDIRECT;
    }

    CollNetKernel[] kernels(int count) {
        return CollNetKernel.create(count, shape, lanes.stream().map(Lane::kernels).toList());
    }

    /** Whether a collective is small enough for the network, if it can carry it out. All ranks say the same. */
    boolean isSmall(CollFunction function, long bytes) {
        Long most = mostBytes.get(function);
        return most != null && bytes <= (function == CollFunction.ALL_REDUCE ? most : most / shape.nRanks());
    }

    /** Whether the network can carry a collective out. All ranks say the same. */
    boolean carries(CollFunction function, DataType type, ReduceOp op) {
        return switch (function) {
            case ALL_REDUCE -> reduces(type, op);
            case REDUCE_SCATTER -> hasParts() && reduces(type, op);
            case ALL_GATHER -> hasParts();
            default -> false;
        };
    }

    /** Why it cannot. */
    String whyNot(CollFunction function, DataType type, ReduceOp op) {
        if (op instanceof UserRedOp) {
            return "the network knows no functions of users, such as " + op.label();
        }
        if (op != null && !reduces(type, op)) {
            return "the network does not reduce " + type.label() + " by " + network(op).label();
        }
        return shape.isChain() ? function + " does not go by a chain"
                : !support.hasWindows() ? "the network carries out all-reduces alone"
                : function + " needs nodes with equally many ranks that follow each other";
    }

    private boolean hasParts() {
        return areAlike && !shape.isChain() && support.hasWindows();
    }

    private boolean reduces(DataType type, ReduceOp op) {
        return !(op instanceof UserRedOp) && support.reduces(type, network(op));
    }

    /** Heads divide the sum. */
    static RedOp network(ReduceOp op) {
        return op == RedOp.AVG ? RedOp.SUM : op.proxied();
    }

    @Override
    public String toString() {
        return shape.nNodes() + " nodes with " + shape.heads() + " heads each, by a " + (shape.isChain() ? "chain"
                : "star") + " within a node";
    }
}
