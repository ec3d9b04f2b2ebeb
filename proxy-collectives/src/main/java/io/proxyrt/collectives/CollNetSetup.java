/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.collectives.kernel.CollNetLane;
import io.proxyrt.collectives.kernel.CollNetShape;
import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the ranks agree on whether the network carries out collectives, and connects them for it: RCCL's {@code
 * ncclCollNetSetup}. Whatever goes wrong with the network at one rank is a reason for all not to use it, which each of
 * them knows; then the other algorithms do. All ranks take the same steps, up to the first on which they do not agree.
 */
final class CollNetSetup {
    private static final String TRANSPORT = "COLLNET";
    /** Of connections within a node, one for each head, behind those of rings and messages. */
    private static final int FIRST_CONN_INDEX = 2;
    private static final Logger LOG = LoggerFactory.getLogger("proxyrt.collnet");

    private final ProxyState proxy;
    private final RingSetup setup;
    private final Bootstrap bootstrap;
    private final ProxyConfig config;
    private final AlgorithmChoice algorithm;
    private final Duration timeout;
    private final int rank;
    private final int channels;
    private final Nodes nodes;
    private final List<Connector> connectors = new ArrayList<>();
    /** By channel, to the network and from it; none unless this rank is a head. */
    private final List<ConnectionEnd> ends = new ArrayList<>();

    CollNetSetup(ProxyState proxy, RingSetup setup, int channels) {
        this.proxy = proxy;
        this.setup = setup;
        this.bootstrap = setup.bootstrap();
        this.config = proxy.config();
        this.algorithm = config.get(CollectivesOptions.ALGORITHM);
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
    }

    /** Blocks until all ranks do so. */
    Outcome connect() {
        String whyNot = whyNotAsked();
        if (whyNot.isEmpty()) {
            try {
                return new Outcome(agree(), "");
            } catch (Disagreed e) {
                giveUp();
                whyNot = e.getMessage();
                report(whyNot);
            }
        }
        return new Outcome(null, whyNot);
    }

    /** Told once for the job. */
    private void report(String whyNot) {
        if (rank == 0) {
            LOG.warn("the network carries out no collectives, the ranks do: {}", whyNot);
        } else {
            LOG.debug("rank {}: the network carries out no collectives: {}", rank, whyNot);
        }
    }

    /** Known without asking other ranks, and the same at all. */
    private String whyNotAsked() {
        if (!config.get(CollectivesOptions.COLLNET_ENABLE)) {
            return CollectivesOptions.COLLNET_ENABLE + " is 0";
        }
        if (!algorithm.admitsCollNet()) {
            return CollectivesOptions.ALGORITHM + " is " + algorithm;
        }
        if (setup.isOnGpu()) {
            return "kernels of GPUs do not know it";
        }
        int least = config.get(CollectivesOptions.COLLNET_NODE_THRESHOLD);
        return nodes.count() < least ? "the ranks are on " + nodes.count() + " node" + (nodes.count() == 1 ? "" : "s")
                + ", and " + CollectivesOptions.COLLNET_NODE_THRESHOLD + " is " + least : "";
    }

    /** A rank cannot; all ranks end with this. */
    private static final class Disagreed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Disagreed(String why) {
            super(why);
        }
    }

    private CollNet agree() {
        try {
            return agreed();
        } catch (BufferUnderflowException | NegativeArraySizeException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "rank " + rank + ": what another rank told of its "
                    + "network is broken; are all of the same version?", e);
        }
    }

    private CollNet agreed() {
        CollNetSupport offer = agreeOnSupport();
        CollNetShape shape = shape(Math.min(offer.devices(), nodes.fewest()));
        connectNetwork(shape);
        List<CollNet.Lane> lanes = lanes(shape);
        long stepBytes = agreeOnStepBytes(lanes);
        return new CollNet(shape, lanes, offer, stepBytes, nodes.areAlike(), algorithm.isCollNet() ? Long.MAX_VALUE
                : config.get(CollectivesOptions.COLLNET_BYTES));
    }

    private CollNetShape shape(int heads) {
        int node = nodes.nodeOf(rank);
        List<Integer> locals = nodes.ranks().get(node);
        boolean isChain = algorithm == AlgorithmChoice.COLLNETCHAIN
                || algorithm != AlgorithmChoice.COLLNETDIRECT && nodes.most() > CollNet.MAX_DIRECT_RANKS;
        return new CollNetShape(setup.nRanks(), nodes.count(), node, locals.size(), locals.indexOf(rank), heads,
                channels, isChain);
    }

    /** What the networks of all ranks carry out. */
    private CollNetSupport agreeOnSupport() {
        ByteBuffer[] told = exchange(() -> {
            CollNetSupport own = networkConnector(Direction.SEND, 0, 0).collNet();
            return ByteBuffer.allocate(Integer.BYTES + Long.BYTES).putInt(own.devices()).putLong(own.reductions())
                    .flip();
        });
        return Arrays.stream(told).map(one -> new CollNetSupport(one.getInt(), one.getLong()))
                .reduce(CollNetSupport::and).orElseThrow();
    }

    private void connectNetwork(CollNetShape shape) {
        int head = shape.ownHead();
        List<Connector[]> network = new ArrayList<>();
        ByteBuffer[] told = exchange(() -> head < 0 ? ByteBuffer.allocate(0) : setUpNetwork(head, network));
        List<ByteBuffer> infos = new ArrayList<>();
        for (int node = 0; head >= 0 && node < nodes.count(); node++) {
            infos.add(told[headRank(shape, node, head)]);
        }
        exchange(() -> {
            joinNetwork(network, infos, shape.node());
            return ByteBuffer.allocate(0);
        });
    }

    /** Nodes may have different numbers of ranks. */
    private int headRank(CollNetShape shape, int node, int head) {
        List<Integer> locals = nodes.ranks().get(node);
        return locals.get(head * locals.size() / shape.heads());
    }

    /** What this head's connectors have to tell the others. */
    private ByteBuffer setUpNetwork(int head, List<Connector[]> network) {
        Connector shared = networkConnector(Direction.SEND, 0, head);
        connectors.add(shared);
        proxy.await(shared.sharedInit(channels), timeout, "the network's shared buffers");
        ByteBuffer infos = ByteBuffer.allocate(channels * (Short.BYTES + Connector.CONNECT_INFO_BYTES));
        for (int c = 0; c < channels; c++) {
            Connector recv = networkConnector(Direction.RECV, c, head);
            Connector send = networkConnector(Direction.SEND, c, head);
            connectors.add(recv);
            connectors.add(send);
            byte[] info = setup.setup(recv);
            setup.setup(send);
            infos.putShort((short) info.length).put(info);
            network.add(new Connector[] {send, recv});
        }
        return infos.flip();
    }

    private void joinNetwork(List<Connector[]> network, List<ByteBuffer> infos, int node) {
        for (Connector[] pair : network) {
            List<byte[]> ofChannel = infos.stream().map(CollNetSetup::take).toList();
            for (Connector connector : pair) {
                // The network has the same time, and says more of what went wrong.
                ends.add(ConnectionEnd.of(connector, proxy.await(connector.connect(ofChannel, node),
                        timeout.multipliedBy(2), "connect of " + connector)));
            }
        }
    }

    private static byte[] take(ByteBuffer infos) {
        byte[] info = new byte[infos.getShort()];
        infos.get(info);
        return info;
    }

    private Connector networkConnector(Direction direction, int channel, int head) {
        return proxy.connector(new ConnectorRequest(direction, proxy.peerInfo(), PeerInfo.network(setup.nRanks()),
                channel, head), TRANSPORT);
    }

    /** Connects the ranks of this node, in the same order at all of them. What fails here fails the communicator. */
    private List<CollNet.Lane> lanes(CollNetShape shape) {
        List<CollNet.Lane> lanes = new ArrayList<>();
        for (int c = 0; c < channels; c++) {
            for (int h = 0; h < shape.heads(); h++) {
                if (!shape.isChain() || c % shape.heads() == h) {
                    lanes.add(lane(shape, c, h));
                }
            }
        }
        return lanes;
    }

    private CollNet.Lane lane(CollNetShape shape, int channel, int head) {
        List<Integer> locals = nodes.ranks().get(shape.node());
        int distance = Math.floorMod(shape.local() - shape.headLocal(head), shape.locals());
        boolean isRoot = distance == 0;
        int parent = Math.floorMod(shape.isChain() ? shape.local() - 1 : shape.headLocal(head), shape.locals());
        List<Integer> children = new ArrayList<>();
        for (int local = 0; local < shape.locals(); local++) {
            int theirs = Math.floorMod(local - shape.headLocal(head), shape.locals());
            if (shape.isChain() ? theirs == distance + 1 : isRoot && theirs > 0) {
                children.add(local);
            }
        }
        PeerPorts ports = new PeerPorts(setup, channel, FIRST_CONN_INDEX + head);
        int[] peers = children.stream().mapToInt(locals::get).toArray();
        ports.connect(timeout, isRoot ? peers : append(peers, locals.get(parent)));
        ConnectionEnd toNet = isRoot ? ends.get(2 * channel) : null;
        ConnectionEnd fromNet = isRoot ? ends.get(2 * channel + 1) : null;
        PeerPorts.Pair up = isRoot ? null : ports.pair(locals.get(parent));
        List<CollNet.Child> below = children.stream()
                .map(local -> new CollNet.Child(local, ports.pair(locals.get(local)))).toList();
        Port to = isRoot ? Port.of(toNet.device(), true, 0) : up.sendPort();
        Port from = isRoot ? Port.of(fromNet.device(), false, 0) : up.recvPort();
        return new CollNet.Lane(channel, head, toNet, fromNet, up, below, new CollNetLane(channel, head, isRoot, to,
                from, below.stream().map(child -> new CollNetLane.Child(child.local(), child.pair().sendPort(),
                        child.pair().recvPort())).toList()));
    }

    private static int[] append(int[] ranks, int one) {
        int[] all = Arrays.copyOf(ranks, ranks.length + 1);
        all[ranks.length] = one;
        return all;
    }

    /** All ranks cut alike, by the smallest slot of all. */
    private long agreeOnStepBytes(List<CollNet.Lane> lanes) {
        long own = Long.MAX_VALUE;
        for (CollNet.Lane lane : lanes) {
            own = Math.min(own, lane.toNet() == null ? lane.parent().stepBytes(Protocol.SIMPLE)
                    : lane.toNet().device().stepBytes(Protocol.SIMPLE));
            for (CollNet.Child child : lane.children()) {
                own = Math.min(own, child.pair().stepBytes(Protocol.SIMPLE));
            }
        }
        long least = own;
        return Arrays.stream(exchange(() -> ByteBuffer.allocate(Long.BYTES).putLong(least).flip()))
                .mapToLong(ByteBuffer::getLong).min().orElseThrow();
    }

    /**
     * Has every rank take a step, and tells all what came of it.
     *
     * @param step gives what the others have to know
     * @return of every rank
     * @throws Disagreed if it failed at one of them, with its reason
     */
    private ByteBuffer[] exchange(Supplier<ByteBuffer> step) {
        byte[] mine;
        try {
            ByteBuffer told = step.get();
            mine = ByteBuffer.allocate(1 + told.remaining()).put((byte) 1).put(told).array();
        } catch (ProxyException e) {
            byte[] why = ("rank " + rank + ": " + e.getMessage()).getBytes(StandardCharsets.UTF_8);
            mine = ByteBuffer.allocate(1 + why.length).put((byte) 0).put(why).array();
        }
        ByteBuffer[] all = Arrays.stream(bootstrap.allGather(mine, timeout.multipliedBy(3))).map(ByteBuffer::wrap)
                .toArray(ByteBuffer[]::new);
        for (ByteBuffer one : all) {
            if (!one.hasRemaining() || one.get() == 0) {
                throw new Disagreed(StandardCharsets.UTF_8.decode(one).toString());
            }
        }
        return all;
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
