/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollNetLane;
import io.proxyrt.collectives.kernel.CollNetShape;
import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Connects the ranks of a node for {@link CollNet}: a star around each head, or a line to it, in each channel. */
final class CollNetLanes {
    /** Of connections within a node, one for each head, behind those of rings and messages. */
    private static final int FIRST_CONN_INDEX = 2;

    private final RingSetup setup;
    private final CollNetShape shape;
    private final List<Integer> ranks;
    private final ConnectionEnd[][] network;
    private final Duration timeout;

    /**
     * None yet.
     *
     * @param ranks   of this node
     * @param network by channel, to it and from it; of a head
     */
    CollNetLanes(RingSetup setup, CollNetShape shape, List<Integer> ranks, ConnectionEnd[][] network,
            Duration timeout) {
        this.setup = setup;
        this.shape = shape;
        this.ranks = ranks;
        this.network = network;
        this.timeout = timeout;
    }

    /** Blocks until all ranks of the node do so: they take the same order. */
    List<CollNet.Lane> connect() {
        List<CollNet.Lane> lanes = new ArrayList<>();
        for (int channel = 0; channel < shape.channels(); channel++) {
            for (int head = 0; head < shape.heads(); head++) {
                if (shape.hasLane(channel, head)) {
                    lanes.add(connect(channel, head));
                }
            }
        }
        return lanes;
    }

    private CollNet.Lane connect(int channel, int head) {
        PeerPorts ports = new PeerPorts(setup, channel, FIRST_CONN_INDEX + head);
        List<Integer> children = shape.children(head);
        int parent = shape.parent(head);
        ports.connect(timeout, Stream.concat(children.stream(), parent < 0 ? Stream.of() : Stream.of(parent))
                .mapToInt(ranks::get).toArray());
        List<CollNet.Child> below = children.stream()
                .map(local -> new CollNet.Child(local, ports.pair(ranks.get(local)))).toList();
        List<CollNetLane.Child> kernels = below.stream().map(child -> new CollNetLane.Child(child.local(),
                child.pair().sendPort(), child.pair().recvPort())).toList();
        if (parent < 0) {
            ConnectionEnd to = network[channel][0];
            ConnectionEnd from = network[channel][1];
            return new CollNet.Lane(channel, head, to, from, null, below, new CollNetLane(channel, head, true,
                    Port.of(to.device(), true, 0), Port.of(from.device(), false, 0), kernels));
        }
        PeerPorts.Pair up = ports.pair(ranks.get(parent));
        return new CollNet.Lane(channel, head, null, null, up, below, new CollNetLane(channel, head, false,
                up.sendPort(), up.recvPort(), kernels));
    }

    /** What every slot of some lanes holds. */
    static long stepBytes(List<CollNet.Lane> lanes) {
        return ends(lanes).mapToLong(end -> end.device().stepBytes(Protocol.SIMPLE)).min().orElse(Long.MAX_VALUE);
    }

    /** Refuses lanes of which a collective has more ops than can be posted at once. */
    static void requireRoom(List<CollNet.Lane> lanes, ProxyConfig config) {
        long ops = ends(lanes).filter(ConnectionEnd::needsProxy).count();
        int room = config.get(CoreOptions.LANE_CAPACITY);
        if (ops > room) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "a collective would have " + ops + " ops, and " + room
                    + " can be posted at once; raise " + CoreOptions.LANE_CAPACITY + ", or have fewer channels");
        }
    }

    /** All connections. */
    static Stream<ConnectionEnd> ends(List<CollNet.Lane> lanes) {
        return lanes.stream().flatMap(lane -> Stream.concat(
                lane.toNet() != null ? Stream.of(lane.toNet(), lane.fromNet())
                        : Stream.of(lane.parent().send(), lane.parent().recv()),
                lane.children().stream().flatMap(child -> Stream.of(child.pair().send(), child.pair().recv()))));
    }

    /** Those to the network and from it. */
    static List<ConnectionEnd> network(List<CollNet.Lane> lanes) {
        return lanes.stream().filter(lane -> lane.toNet() != null)
                .flatMap(lane -> Arrays.asList(lane.toNet(), lane.fromNet()).stream()).toList();
    }
}
