/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.TransportVerdict;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gathers who the peers are, and connects this rank with them: RCCL's {@code ncclTransportP2pSetup}. */
final class RingSetup {
    private static final Logger LOG = LoggerFactory.getLogger("proxyrt.collectives");
    private static final int RECORD_BYTES = 2 * (2 + Connector.CONNECT_INFO_BYTES);

    private final ProxyState proxy;
    private final Bootstrap bootstrap;
    private final Agreement agreement;
    private final Duration timeout;
    private final String transport;
    private final boolean isOnGpu;
    private final GpuPath path;
    private final int channels;
    private final long directLlBytes;
    private final int rank;
    private final int nRanks;
    private final PeerInfo[] infos;

    /** Blocks until all ranks have told who they are. */
    RingSetup(ProxyState proxy, Bootstrap bootstrap, Agreement agreement, ProxyConfig config, boolean isOnGpu) {
        this.proxy = proxy;
        this.bootstrap = bootstrap;
        this.agreement = agreement;
        this.timeout = config.get(CoreOptions.CONNECT_TIMEOUT);
        this.isOnGpu = isOnGpu;
        this.directLlBytes = config.get(isOnGpu ? CollectivesOptions.GPU_MESSAGE_LL_BYTES
                : CollectivesOptions.DIRECT_LL_BYTES);
        this.transport = config.get(CollectivesOptions.TRANSPORT).isEmpty() ? null
                : config.get(CollectivesOptions.TRANSPORT);
        this.rank = bootstrap.rank();
        this.nRanks = bootstrap.nRanks();
        AgreedSettings.check(bootstrap, config, isOnGpu, timeout);
        this.infos = gatherInfos();
        this.path = isOnGpu && nRanks > 1 ? agreeOnPath() : null;
        this.channels = channels(config);
        List<String> leftOut = config.get(CollectivesOptions.ALGORITHM).leftOut();
        if (rank == 0 && !leftOut.isEmpty()) {
            LOG.info("{} is {}; not here, and left out: {}", CollectivesOptions.ALGORITHM,
                    config.get(CollectivesOptions.ALGORITHM), String.join(", ", leftOut));
        }
    }

    Bootstrap bootstrap() {
        return bootstrap;
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

    /** The hosts of all ranks. */
    Nodes nodes() {
        return Nodes.of(infos);
    }

    /** What the slowest connection of all rings goes by; null unless kernels run on a GPU and there are any. */
    GpuPath path() {
        return path;
    }

    /** Up to which size data go by LL between two ranks that are connected directly. */
    long llBytes() {
        return directLlBytes;
    }

    Duration timeout() {
        return timeout;
    }

    List<TransportVerdict> explain(int peer) {
        return proxy.explain(infos[peer], transport);
    }

    Ring[] connectRings() {
        if (nRanks == 1) {
            return new Ring[0];
        }
        int prev = Math.floorMod(rank - 1, nRanks);
        int next = (rank + 1) % nRanks;
        List<Connector> recvs = new ArrayList<>();
        List<Connector> sends = new ArrayList<>();
        ByteBuffer mine = ByteBuffer.allocate(channels * RECORD_BYTES);
        for (int c = 0; c < channels; c++) {
            recvs.add(connector(Direction.RECV, prev, c, 0));
            sends.add(connector(Direction.SEND, next, c, 0));
            put(mine, setup(recvs.get(c)));
            put(mine, setup(sends.get(c)));
        }
        byte[][] all = bootstrap.allGather(mine.array(), timeout);
        return connectRings(recvs, sends, all[prev], all[next]);
    }

    /** Whether all ranks' rings do without proxies. Blocks until all ranks ask. */
    boolean agreeOnDirect(Ring[] rings) {
        byte isDirect = (byte) (Arrays.stream(rings).allMatch(Ring::isDirect) ? 1 : 0);
        byte[][] all = bootstrap.allGather(new byte[] {isDirect}, timeout);
        return Arrays.stream(all).allMatch(one -> one.length == 1 && one[0] == 1);
    }

    Connector connector(Direction direction, int peer, int channel, int connIndex) {
        return proxy.connector(new ConnectorRequest(direction, infos[rank], infos[peer], channel, connIndex),
                transport);
    }

    byte[] setup(Connector connector) {
        return proxy.await(connector.setup(), timeout, "setup of " + connector);
    }

    /** Waits for what a peer says when it connects with this rank; if that takes long, tells others what for. */
    byte[] receive(int peer, int tag, Duration limit) {
        return bootstrap.receive(peer, tag, limit, waitedNs -> agreement.standsStill(0, waitedNs));
    }

    /** Waits for a connection, unless another one of those that are made with it fails. */
    ConnectionEnd await(Connector connector, Connecting connecting, Duration limit) {
        return ConnectionEnd.of(connector, proxy.await(connecting.of(connector), limit, "connect of " + connector));
    }

    private Ring[] connectRings(List<Connector> recvs, List<Connector> sends, byte[] fromPrev, byte[] fromNext) {
        Connecting connecting = new Connecting();
        for (int c = 0; c < channels; c++) {
            connecting.begin(sends.get(c), get(fromNext, 2 * c));
            connecting.begin(recvs.get(c), get(fromPrev, 2 * c + 1));
        }
        Ring[] rings = new Ring[channels];
        for (int c = 0; c < channels; c++) {
            rings[c] = Ring.join(c, await(recvs.get(c), connecting, timeout), await(sends.get(c), connecting, timeout));
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
        GpuPath mine = slower(path((rank + 1) % nRanks), path(Math.floorMod(rank - 1, nRanks)));
        byte[][] all = bootstrap.allGather(new byte[] {(byte) mine.ordinal()}, timeout);
        return Arrays.stream(all).map(one -> one.length == 1 && one[0] >= 0 && one[0] < GpuPath.values().length
                ? GpuPath.values()[one[0]] : GpuPath.NET).reduce(mine, RingSetup::slower);
    }

    private GpuPath path(int peer) {
        return explain(peer).stream().filter(TransportVerdict::isChosen).map(TransportVerdict::name)
                .map(GpuPath::of).findFirst().orElse(GpuPath.NET);
    }

    private static GpuPath slower(GpuPath one, GpuPath other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private PeerInfo[] gatherInfos() {
        byte[][] all = bootstrap.allGather(proxy.peerInfo().encode(), timeout);
        PeerInfo[] peers = new PeerInfo[nRanks];
        for (int i = 0; i < nRanks; i++) {
            peers[i] = PeerInfo.decode(all[i]);
        }
        return peers;
    }

    private static void put(ByteBuffer into, byte[] info) {
        into.putShort((short) info.length).put(info);
        into.position(into.position() + Connector.CONNECT_INFO_BYTES - info.length);
    }

    private static byte[] get(byte[] from, int index) {
        try {
            ByteBuffer in = ByteBuffer.wrap(from).position(index * RECORD_BYTES / 2);
            byte[] info = new byte[in.getShort()];
            in.get(info);
            return info;
        } catch (IllegalArgumentException | BufferUnderflowException | NegativeArraySizeException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "a peer's connect infos are broken: it sent "
                    + from.length + " bytes; do all ranks have the same number of channels?", e);
        }
    }
}
