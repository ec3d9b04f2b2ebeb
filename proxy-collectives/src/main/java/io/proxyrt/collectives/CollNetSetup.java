/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollNetShape;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.runtime.ConnectionEnd;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.topology.RankPlace;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Has the ranks agree on whether the network carries out collectives, and connects them for it: RCCL's {@code
 * ncclCollNetSetup}. Whatever goes wrong at one rank is a reason for all not to use it, which each of them knows; then
 * the other algorithms do. All ranks take the same steps, up to the first that one of them cannot take.
 */
final class CollNetSetup {
    private static final String TRANSPORT = "COLLNET";
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final Logger LOG = Subsystem.NET.logger("collnet");

    private final ProxyState proxy;
    private final RingSetup setup;
    private final CommonStep steps;
    private final ProxyConfig config;
    private final Allowed<Algorithm> algorithms;
    private final int rank;
    private final int channels;
    private final Nodes nodes;
    private final List<Connector> connectors = new ArrayList<>();
    /** For a step of this rank's; then the greatest of all ranks'. */
    private Duration timeout;
    /** Of the network. */
    private List<TransportAdapter> adapters = List.of();
    /** Of all ranks. */
    private int[] numaNodes;

    CollNetSetup(ProxyState proxy, RingSetup setup, int channels) {
        this.proxy = proxy;
        this.setup = setup;
        this.steps = new CommonStep(setup.group());
        this.config = proxy.config();
        this.algorithms = config.get(CollectivesOptions.ALGORITHM);
        this.timeout = setup.timeout();
        this.rank = setup.rank();
        this.channels = channels;
        this.nodes = setup.nodes();
    }

    /**
     * What came of it.
     *
     * @param collNet null if the network does not carry out collectives
     * @param whyNot  empty if it does
     */
    record Outcome(CollNet collNet, String whyNot) {
        @Override
        public String toString() {
            return collNet == null ? "not used: " + whyNot : "used: " + collNet;
        }
    }

    /** Blocks until all ranks do so. */
    Outcome connect() {
        if (!config.get(CollectivesOptions.COLLNET_ENABLE)) {
            return told(new Outcome(null, CollectivesOptions.COLLNET_ENABLE + " is 0"));
        }
        String whyNot = whyNotAsked();
        if (whyNot.isEmpty()) {
            try {
                return told(new Outcome(agreed(), ""));
            } catch (CommonStep.Refused e) {
                giveUp();
                whyNot = e.getMessage();
            }
        }
        // Once for the job.
        LOG.atLevel(rank == 0 ? Level.WARN : Level.DEBUG)
                .log("rank {}: the network carries out no collectives, the ranks do: {}", rank, whyNot);
        return new Outcome(null, whyNot);
    }

    /** By one rank, for all say the same. */
    private Outcome told(Outcome outcome) {
        if (rank == 0) {
            Subsystem.INIT.loggerOr(LOG).info("rank 0: CollNet is {}", outcome);
        }
        return outcome;
    }

    /** Known without asking other ranks, and the same at all. */
    private String whyNotAsked() {
        if (!setup.group().isWhole()) {
            return setup.group().name() + " shares its network with others";
        }
        if (!algorithms.admits(Algorithm.COLLNETDIRECT) && !algorithms.admits(Algorithm.COLLNETCHAIN)) {
            return CollectivesOptions.ALGORITHM + " is " + algorithms;
        }
        if (setup.isOnGpu()) {
            return "kernels of GPUs do not know it";
        }
        int least = config.get(CollectivesOptions.COLLNET_NODE_THRESHOLD);
        return nodes.count() < least ? "the ranks are on " + nodes.count() + " node" + (nodes.count() == 1 ? "" : "s")
                + ", and " + CollectivesOptions.COLLNET_NODE_THRESHOLD + " is " + least : "";
    }

    private CollNet agreed() {
        CollNetSupport support = agreeOnSupport();
        CollNetShape shape = shape(Math.min(support.devices(), nodes.fewest()));
        ConnectionEnd[][] network = connectNetwork(shape);
        List<CollNet.Lane> lanes = new ArrayList<>();
        long stepBytes = take(() -> {
            lanes.addAll(new CollNetLanes(setup, shape, nodes.ranks().get(shape.node()), network, timeout).connect());
            CollNetLanes.requireRoom(lanes, config);
            return ByteBuffer.allocate(Long.BYTES).putLong(CollNetLanes.stepBytes(lanes)).flip();
        }, CollNetSetup::stepBytes).stream().mapToLong(Long::longValue).min().orElseThrow();
        return new CollNet(shape, lanes, support, stepBytes, nodes.areAlike(), mostBytes());
    }

    /** Up to which size the network carries out what it can: anything, where nothing else is allowed. */
    private Map<CollFunction, Long> mostBytes() {
        Map<CollFunction, Long> most = new EnumMap<>(CollFunction.class);
        for (CollFunction function : CollFunction.values()) {
            if (algorithms.admits(function, Algorithm.COLLNETDIRECT)
                    || algorithms.admits(function, Algorithm.COLLNETCHAIN)) {
                boolean isChoice = algorithms.admits(function, Algorithm.RING)
                        || algorithms.admits(function, Algorithm.DOUBLING);
                most.put(function, isChoice ? config.get(CollectivesOptions.COLLNET_BYTES) : Long.MAX_VALUE);
            }
        }
        return most;
    }

    private static long stepBytes(ByteBuffer told) {
        long bytes = told.getLong();
        require(bytes >= CollNetShape.LEAST_STEP_BYTES, "its slots have " + bytes + " bytes");
        return bytes;
    }

    private static void require(boolean isSound, String what) {
        if (!isSound) {
            throw new IllegalArgumentException(what);
        }
    }

    private CollNetShape shape(int heads) {
        int node = nodes.nodeOf(rank);
        List<Integer> locals = nodes.ranks().get(node);
        boolean isChain = algorithms.admits(Algorithm.COLLNETCHAIN)
                && (!algorithms.admits(Algorithm.COLLNETDIRECT) || nodes.most() > CollNet.MAX_DIRECT_RANKS);
        return new CollNetShape(setup.nRanks(), nodes.count(), node, locals.size(), locals.indexOf(rank), heads,
                channels, isChain);
    }

    /**
     * What a rank has to offer.
     *
     * @param support  of its network
     * @param timeout  that it sets up connections in
     * @param numaNode where it is; -1 if that is not known
     */
    private record Offer(CollNetSupport support, Duration timeout, int numaNode) {
        ByteBuffer encode() {
            ByteBuffer offered = support.encode();
            return ByteBuffer.allocate(offered.remaining() + Long.BYTES + Integer.BYTES).put(offered)
                    .putLong(timeout.toMillis()).putInt(numaNode).flip();
        }

        static Offer decode(ByteBuffer told) {
            Offer offer = new Offer(CollNetSupport.decode(told), Duration.ofMillis(told.getLong()), told.getInt());
            require(offer.support.devices() > 0, "its network has " + offer.support.devices() + " devices");
            require(!offer.timeout.isNegative(), "its time limit is " + offer.timeout);
            return offer;
        }
    }

    /** What the networks of all ranks carry out. */
    private CollNetSupport agreeOnSupport() {
        List<Offer> all = take(() -> {
            Connector any = networkConnector(Direction.SEND, 0, 0, ConnectorRequest.ANY_ADAPTER);
            adapters = any.adapters();
            return new Offer(any.collNet(), timeout, numaNode()).encode();
        }, Offer::decode);
        numaNodes = all.stream().mapToInt(Offer::numaNode).toArray();
        timeout = all.stream().map(Offer::timeout).max(Duration::compareTo).orElseThrow();
        return common(all.stream().map(Offer::support).toList());
    }

    /** Asked for where there is a choice. */
    private int numaNode() {
        return adapters.size() < 2 ? -1
                : RankPlace.ofThisProcess(config).map(RankPlace::numaNode).orElse(-1);
    }

    /** The adapter of a head of this node. */
    private int adapter(CollNetShape shape, int head) {
        List<Integer> locals = nodes.ranks().get(shape.node());
        return HeadAdapters.of(config, adapters, IntStream.rangeClosed(0, head)
                .map(earlier -> numaNodes[locals.get(shape.headLocal(earlier))]).toArray());
    }

    /** What the networks of all ranks carry out, by rank; refused at all ranks if they are not the same. */
    private static CollNetSupport common(List<CollNetSupport> all) {
        String network = all.getFirst().network();
        for (int other = 1; other < all.size(); other++) {
            if (!all.get(other).isOf(network)) {
                throw new CommonStep.Refused("rank 0 has the network " + network + ", and rank " + other + " has "
                        + all.get(other).network() + "; proxyrt.collnet says which one, the same at all ranks");
            }
        }
        return all.stream().reduce(CollNetSupport::and).orElseThrow();
    }

    /** By channel, to the network and from it; none unless this rank is a head. */
    private ConnectionEnd[][] connectNetwork(CollNetShape shape) {
        int head = shape.ownHead();
        List<Connector[]> pairs = new ArrayList<>();
        List<List<byte[]>> told = take(() -> head < 0 ? NOTHING : setUpNetwork(shape, head, pairs),
                CollNetSetup::infos);
        ConnectionEnd[][] network = new ConnectionEnd[channels][];
        take(() -> {
            for (int i = 0; i < pairs.size(); i++) {
                List<byte[]> infos = infos(told, shape, i);
                Connector[] pair = pairs.get(i);
                network[pair[0].request().channelId()] = new ConnectionEnd[] {join(pair[0], infos, shape.node()),
                    join(pair[1], infos, shape.node())};
            }
            return NOTHING;
        }, ByteBuffer::remaining);
        return network;
    }

    /** Of one of a head's channels, what the heads of all nodes told. */
    private List<byte[]> infos(List<List<byte[]>> told, CollNetShape shape, int index) {
        List<byte[]> infos = new ArrayList<>();
        for (List<Integer> ranks : nodes.ranks()) {
            int head = ranks.get(CollNetShape.headLocal(shape.ownHead(), shape.heads(), ranks.size()));
            require(told.get(head).size() > index, "rank " + head + " told of " + told.get(head).size() + " channels");
            infos.add(told.get(head).get(index));
        }
        return infos;
    }

    /** What this head's connectors have to tell the others. */
    private ByteBuffer setUpNetwork(CollNetShape shape, int head, List<Connector[]> pairs) {
        int adapter = adapter(shape, head);
        Connector shared = networkConnector(Direction.SEND, 0, head, adapter);
        connectors.add(shared);
        proxy.await(shared.sharedInit(channels), timeout, "the network's shared buffers");
        ByteBuffer infos = ByteBuffer.allocate(channels * (Short.BYTES + Connector.CONNECT_INFO_BYTES));
        for (int channel = 0; channel < channels; channel++) {
            if (shape.hasLane(channel, head)) {
                Connector send = networkConnector(Direction.SEND, channel, head, adapter);
                Connector recv = networkConnector(Direction.RECV, channel, head, adapter);
                connectors.add(send);
                connectors.add(recv);
                setup.setup(send);
                byte[] info = setup.setup(recv);
                infos.putShort((short) info.length).put(info);
                pairs.add(new Connector[] {send, recv});
            }
        }
        return infos.flip();
    }

    private static List<byte[]> infos(ByteBuffer told) {
        List<byte[]> infos = new ArrayList<>();
        while (told.hasRemaining()) {
            byte[] info = new byte[told.getShort()];
            told.get(info);
            infos.add(info);
        }
        return infos;
    }

    /** The network has as much time as this rank, and says more of what went wrong. */
    private ConnectionEnd join(Connector connector, List<byte[]> infos, int node) {
        return ConnectionEnd.of(connector, proxy.await(connector.connect(infos, node), timeout.multipliedBy(2),
                "connect of " + connector));
    }

    private Connector networkConnector(Direction direction, int channel, int head, int adapter) {
        return proxy.connector(new ConnectorRequest(direction, proxy.peerInfo(), PeerInfo.network(setup.nRanks()),
                channel, head, adapter), TRANSPORT);
    }

    /** Another rank may take three times as long as this one's own time limit. */
    private <T> List<T> take(Supplier<ByteBuffer> step, Function<ByteBuffer, T> reader) {
        return steps.take(timeout.multipliedBy(3), step, reader);
    }

    /** Gives back what was set up. */
    private void giveUp() {
        for (Connector connector : connectors) {
            if (connector.connectionId() != 0) {
                try {
                    proxy.await(connector.close(), timeout, "close of " + connector);
                } catch (ProxyException e) {
                    LOG.debug("rank {}: {}", rank, e.getMessage());
                }
            }
        }
    }
}
