/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.PeerConnector;
import io.proxyrt.bootstrap.PeerLink;
import io.proxyrt.bootstrap.RankGroup;
import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.collectives.kernel.RingOrder;
import io.proxyrt.core.Direction;
import io.proxyrt.core.LinkType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.ConnectionEnd;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.TransportVerdict;
import io.proxyrt.topology.HostRanks;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.slf4j.Logger;

/** Connects this rank with its peers: RCCL's {@code ncclTransportP2pSetup}. */
final class RingSetup {
    private static final Logger LOG = Subsystem.TUNING.logger();
    private static final Logger GRAPH = Subsystem.GRAPH.logger();
    /** Of what ranks tell their neighbours in rings. */
    private static final int TAG = -3;
    private static final int RECORD_BYTES = 2 * (2 + Connector.CONNECT_INFO_BYTES);

    private final ProxyState proxy;
    private final RankGroup group;
    private final Agreement agreement;
    private final Duration timeout;
    private final PeerConnector peers;
    private final String transport;
    private final boolean isOnGpu;
    private final Nodes nodes;
    private final RingOrder order;
    private final GpuPath path;
    private final int channels;
    private final JobTuning tuning;
    private final long directLlBytes;
    private final int rank;
    private final int nRanks;

    /**
     * Blocks until all ranks have told their settings, which ranks of a job have done before they form groups; these go
     * by the tuning of the job.
     */
    RingSetup(RankRuntime runtime, Agreement agreement, ProxyConfig config, JobTuning ofJob, boolean isOnGpu) {
        this.proxy = runtime.proxy();
        this.group = runtime.group();
        this.peers = runtime.peers();
        this.agreement = agreement;
        this.timeout = config.get(CoreOptions.CONNECT_TIMEOUT);
        this.isOnGpu = isOnGpu;
        this.directLlBytes = config.get(isOnGpu ? CollectivesOptions.GPU_MESSAGE_LL_BYTES
                : CollectivesOptions.DIRECT_LL_BYTES);
        this.transport = config.get(CollectivesOptions.TRANSPORT);
        this.rank = group.rank();
        this.nRanks = group.nRanks();
        this.tuning = group.isWhole() ? AgreedSettings.agree(group, config, isOnGpu, timeout) : ofJob;
        this.nodes = placedNodes();
        this.order = nodes.ring();
        agreement.neighbours(order.prev(rank), order.next(rank));
        this.path = isOnGpu && nRanks > 1 ? agreeOnPath() : null;
        this.channels = channels(config);
        if (rank == 0 && group.isWhole()) {
            tellLeftOut(config.get(CollectivesOptions.ALGORITHM));
            tellNoFiles(config);
        }
    }

    /** Also chooses the adapters of this rank's connections. */
    private Nodes placedNodes() {
        List<PeerInfo> infos = infos();
        Nodes byRank = Nodes.of(infos.toArray(PeerInfo[]::new));
        HostPlace place = new HostPlace(proxy, group, infos, byRank, isOnGpu);
        int[] adapters = place.adapters();
        if (adapters.length > 0) {
            peers.adapters(adapters);
        }
        if (rank == 0 && group.isWhole()) {
            place.dump(byRank.count() == 1);
        }
        return isOnGpu && nRanks > 2 && byRank.most() > 1 ? agreeOnOrder(byRank, place) : byRank;
    }

    private Nodes agreeOnOrder(Nodes byRank, HostPlace place) {
        int node = byRank.nodeOf(rank);
        Optional<HostRanks.Order> order = place.order(byRank.count() == 1, node % 2 == 1);
        HostOrders.Outcome outcome = HostOrders.agree(byRank,
                group.allGather(HostOrders.tell(order, byRank.ranks().get(node).indexOf(rank)), timeout));
        if (rank == 0) {
            Subsystem.INIT.loggerOr(GRAPH).atLevel(outcome.level()).log("{}: {}", group.self(), outcome);
        }
        return outcome.nodes();
    }

    private void tellNoFiles(ProxyConfig config) {
        List<Option<String>> options = List.of(CollectivesOptions.MSCCL_FILES, CollectivesOptions.MSCCL_FOLDER,
                CollectivesOptions.MSCCLPP_FOLDER);
        if (isOnGpu && options.stream().anyMatch(config::isSet)) {
            LOG.info("{} are left out: kernels of a GPU do not go by files", options);
        }
    }

    private void tellLeftOut(Allowed<Algorithm> algorithms) {
        if (!algorithms.leftOut().isEmpty()) {
            LOG.info("{} is {}; not here, and left out: {}", CollectivesOptions.ALGORITHM, algorithms,
                    String.join(", ", algorithms.leftOut()));
        }
        if (isOnGpu && !algorithms.admits(Algorithm.RING) && !algorithms.admits(Algorithm.TREE)
                && !algorithms.admits(Algorithm.HIERARCHICAL) && !algorithms.admits(Algorithm.ONESHOT)) {
            LOG.info("{} is {}: kernels of a GPU go by rings, trees, nodes, and in one shot",
                    CollectivesOptions.ALGORITHM, algorithms);
        }
    }

    RankGroup group() {
        return group;
    }

    int rank() {
        return rank;
    }

    int nRanks() {
        return nRanks;
    }

    boolean isOnGpu() {
        return isOnGpu;
    }

    /** Of all ranks. */
    List<PeerInfo> infos() {
        return IntStream.range(0, nRanks).mapToObj(peers::info).toList();
    }

    /** The hosts of all ranks. */
    Nodes nodes() {
        return nodes;
    }

    /** In which order the ranks follow each other in all rings. */
    RingOrder order() {
        return order;
    }

    /** What the slowest connection of all rings goes by; null unless kernels run on a GPU and there are any. */
    GpuPath path() {
        return path;
    }

    /** Up to which size data go by LL between two ranks that are connected directly. */
    long llBytes() {
        return directLlBytes;
    }

    /** By which all ranks of the job choose. */
    JobTuning tuning() {
        return tuning;
    }

    Duration timeout() {
        return timeout;
    }

    List<TransportVerdict> explain(int peer) {
        return proxy.explain(peers.info(peer), transport.isEmpty() ? null : transport);
    }

    /** How many rings there are, once they are connected. */
    int channels() {
        return nRanks == 1 ? 0 : channels;
    }

    /** Blocks until all ranks do so, who may come as late as the limit says. */
    Ring[] connectRings(Duration limit) {
        if (nRanks == 1) {
            return new Ring[0];
        }
        int prev = order.prev(rank);
        int next = order.next(rank);
        List<Connector> recvs = new ArrayList<>();
        List<Connector> sends = new ArrayList<>();
        ByteBuffer mine = ByteBuffer.allocate(channels * RECORD_BYTES);
        for (int c = 0; c < channels; c++) {
            recvs.add(peers.connector(Direction.RECV, prev, link(c, 0)));
            sends.add(peers.connector(Direction.SEND, next, link(c, 0)));
            put(mine, setup(recvs.get(c)));
            put(mine, setup(sends.get(c)));
        }
        return connectRings(recvs, sends, mine.array(), limit);
    }

    /** Tells the neighbours alone; that all take part is known before this waits for either. */
    private Ring[] connectRings(List<Connector> recvs, List<Connector> sends, byte[] mine, Duration limit) {
        int prev = order.prev(rank);
        int next = order.next(rank);
        group.send(next, TAG, mine);
        if (prev != next) {
            group.send(prev, TAG, mine);
        }
        group.barrier(limit);
        byte[] fromNext = group.receive(next, TAG, timeout, _ -> { });
        byte[] fromPrev = prev == next ? fromNext : group.receive(prev, TAG, timeout, _ -> { });
        return connectRings(recvs, sends, fromPrev, fromNext);
    }

    /** What all ranks' rings go by. Blocks until all ranks ask. */
    HostPath agreeOnHostPath(Ring[] rings) {
        return HostPath.ofAll(group.allGather(new byte[] {(byte) HostPath.of(rings).ordinal()}, timeout));
    }

    /** Whether it is so at all ranks. Blocks until all ranks ask. */
    boolean agree(boolean isSo) {
        byte[][] all = group.allGather(new byte[] {(byte) (isSo ? 1 : 0)}, timeout);
        return Arrays.stream(all).allMatch(one -> one.length == 1 && one[0] == 1);
    }

    /** Of connections for messages. */
    int messageConnIndex() {
        return peers.messageConnIndex();
    }

    private PeerConnector.LinkId link(int channel, int connIndex) {
        return new PeerConnector.LinkId(transport, channel, connIndex);
    }

    /** Connects both ways with ranks; if their part in it takes long, tells others what this one waits for. */
    List<PeerLink> connect(int channel, int connIndex, Duration limit, int... ranks) {
        return peers.connect(link(channel, connIndex), limit, waitedNs -> agreement.standsStill(0, waitedNs), ranks);
    }

    byte[] setup(Connector connector) {
        return proxy.await(connector.setup(), timeout, "setup of " + connector);
    }

    private Ring[] connectRings(List<Connector> recvs, List<Connector> sends, byte[] fromPrev, byte[] fromNext) {
        List<Connector> connectors = new ArrayList<>();
        List<byte[]> infos = new ArrayList<>();
        for (int c = 0; c < channels; c++) {
            connectors.add(sends.get(c));
            infos.add(get(fromNext, order.next(rank), 2 * c));
            connectors.add(recvs.get(c));
            infos.add(get(fromPrev, order.prev(rank), 2 * c + 1));
        }
        List<ConnectionEnd> ends = ConnectionEnd.connect(proxy, connectors, infos, timeout);
        Ring[] rings = new Ring[channels];
        for (int c = 0; c < channels; c++) {
            rings[c] = Ring.join(c, ends.get(2 * c + 1).of(order.prev(rank)),
                    ends.get(2 * c).of(order.next(rank)));
        }
        return rings;
    }

    private int channels(ProxyConfig config) {
        return channels(config, path == null ? 1 : path.channels());
    }

    /** Where the greatest number allowed is below the least, the least holds, as in NCCL. */
    static int channels(ProxyConfig config, int usual) {
        int wanted = config.get(CollectivesOptions.CHANNELS);
        int most = config.get(CollectivesOptions.MAX_CHANNELS);
        return wanted > 0 ? wanted
                : Math.max(config.get(CollectivesOptions.MIN_CHANNELS), most > 0 ? Math.min(most, usual) : usual);
    }

    private GpuPath agreeOnPath() {
        GpuPath mine = slower(path(order.next(rank)), path(order.prev(rank)));
        byte[][] all = group.allGather(new byte[] {(byte) mine.ordinal()}, timeout);
        return Arrays.stream(all).map(one -> one.length == 1 && one[0] >= 0 && one[0] < GpuPath.values().length
                ? GpuPath.values()[one[0]] : GpuPath.NET).reduce(mine, RingSetup::slower);
    }

    private GpuPath path(int peer) {
        LinkType link = proxy.device().linkTo(peers.info(peer).device());
        return explain(peer).stream().filter(TransportVerdict::isChosen)
                .map(verdict -> GpuPath.of(verdict.name(), link)).findFirst().orElse(GpuPath.NET);
    }

    private static GpuPath slower(GpuPath one, GpuPath other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static void put(ByteBuffer into, byte[] info) {
        into.putShort((short) info.length).put(info);
        into.position(into.position() + Connector.CONNECT_INFO_BYTES - info.length);
    }

    private static byte[] get(byte[] from, int peer, int index) {
        try {
            ByteBuffer in = ByteBuffer.wrap(from).position(index * RECORD_BYTES / 2);
            byte[] info = new byte[in.getShort()];
            in.get(info);
            return info;
        } catch (IllegalArgumentException | BufferUnderflowException | NegativeArraySizeException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "rank " + peer + "'s connect infos are broken: it"
                    + " sent " + from.length + " bytes; do all ranks have the same number of channels?", e);
        }
    }
}
