/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.QueuePairPath;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.transport.net.IbOptions;
import io.proxyrt.transport.net.socket.ControlSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Sets a connection up over its control connection. Blocks: a thread of the attempt.
 *
 * <pre>
 *  sender                                          receiver
 *  queue pairs to INIT    ────── offer ──────▶     queue pairs to INIT, RTR, RTS; posts receives
 *  to RTR, RTS            ◀───── answer ─────
 *                         ────── ready ──────▶     may write where its messages go
 * </pre>
 */
final class SetUp {
    /** As NCCL has it: 0.64 ms. No receive is ever missing, so it does not matter. */
    private static final int MIN_RNR_TIMER = 12;
    private static final int RNR_FOREVER = 7;
    private static final int READS = 1;

    private final IbNet net;
    private final IbSettings settings;
    private final IbDevice device;
    private final ControlSocket socket;
    private final SetUpWire wire;

    SetUp(IbNet net, IbDevice device, ControlSocket socket, SetUpWire wire) {
        this.net = net;
        this.settings = net.settings();
        this.device = device;
        this.socket = socket;
        this.wire = wire;
    }

    /** The sending end. Its peer is told of the device that the handle is of. */
    IbSendComm send(IbHandle handle) {
        PairPlan plan = PairPlan.of(device.ports().size(), handle.ports(), settings.data().pairsPerPort(),
                handle.pairsPerPort(), settings.data().isSplit());
        Endpoint end = Endpoint.open(device, plan, settings, IbSendComm.SENDS, 1, false);
        try {
            EndInfo own = offer(settings, end);
            wire.send(SetUpWire.OFFER, own.encode());
            EndInfo peer = answer(plan, handle);
            connect(end, peer, own.serviceLevel(), own.trafficClass());
            wire.send(SetUpWire.READY, ByteBuffer.allocate(0));
            return new IbSendComm(net, end, peer, new PeerWatch.Peer(socket));
        } catch (RuntimeException | Error e) {
            end.close();
            throw e;
        }
    }

    /** What the sending end says of itself. */
    static EndInfo offer(IbSettings settings, Endpoint end) {
        return info(settings, end, settings.data().isSplit(), settings.path().serviceLevel(),
                settings.path().trafficClass());
    }

    /** The sending end of new queue pairs for a connection that is there. */
    Endpoint openAgain(int remotePorts, int pairsPerPort) {
        PairPlan plan = PairPlan.of(device.ports().size(), remotePorts, pairsPerPort, pairsPerPort,
                settings.data().isSplit());
        return Endpoint.open(device, plan, settings, IbSendComm.SENDS, 1, false);
    }

    /** Connects them; takes them over. */
    Endpoint connectAgain(Endpoint end, EndInfo peer) {
        return closingIfItFails(end, () -> connect(end, peer, settings.path().serviceLevel(),
                settings.path().trafficClass()));
    }

    /** The receiving end of new queue pairs, connected. */
    Endpoint receiveAgain(EndInfo peer) {
        Endpoint end = openReceiving(peer);
        return closingIfItFails(end, () -> connectReceiving(end, peer));
    }

    private static Endpoint closingIfItFails(Endpoint end, Runnable action) {
        try {
            action.run();
            return end;
        } catch (RuntimeException | Error e) {
            end.close();
            throw e;
        }
    }

    private EndInfo answer(PairPlan plan, IbHandle handle) {
        EndInfo peer = decoded(wire.receive(SetUpWire.ANSWER));
        if (peer.pairs().size() != plan.pairs() || peer.ports().size() != handle.ports()) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, socket.peer() + " answers with " + peer.pairs().size()
                    + " queue pairs at " + peer.ports().size() + " ports, where " + plan.pairs() + " at "
                    + handle.ports() + " were agreed on");
        }
        return peer;
    }

    /** The receiving end. What goes wrong here the peer is told. */
    IbRecvComm receive() {
        try {
            EndInfo peer = decoded(wire.receive(SetUpWire.OFFER));
            return receive(openReceiving(peer), peer);
        } catch (RuntimeException e) {
            tell(e);
            throw e;
        }
    }

    private IbRecvComm receive(Endpoint end, EndInfo peer) {
        try {
            connectReceiving(end, peer);
            IbRecvComm comm = new IbRecvComm(net, end, peer, new PeerWatch.Peer(socket));
            wire.send(SetUpWire.ANSWER, answer(settings, end, peer).encode());
            wire.receive(SetUpWire.READY);
            return comm;
        } catch (RuntimeException | Error e) {
            end.close();
            throw e;
        }
    }

    /** What the receiving end says of itself. */
    static EndInfo answer(IbSettings settings, Endpoint end, EndInfo peer) {
        return info(settings, end, peer.isSplit(), peer.serviceLevel(), peer.trafficClass());
    }

    private Endpoint openReceiving(EndInfo peer) {
        boolean isFlushing = settings.data().isFlushing() && (settings.data().isFlushForced()
                || device.ports().stream().allMatch(port -> port.adapter().takesDmaBuf()));
        return Endpoint.open(device, plan(peer), settings, IbRecvComm.SENDS, IbRecvComm.RECEIVES, isFlushing);
    }

    private void connectReceiving(Endpoint end, EndInfo peer) {
        int fifoClass = settings.path().fifoTrafficClass();
        connect(end, peer, peer.serviceLevel(), fifoClass < 0 ? peer.trafficClass() : fifoClass);
    }

    private PairPlan plan(EndInfo peer) {
        int most = Math.max(device.ports().size(), peer.ports().size());
        int pairs = peer.pairs().size();
        if (pairs % most != 0) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, socket.peer() + " offers " + pairs
                    + " queue pairs, which cannot be spread over " + most + " ports");
        }
        return new PairPlan(pairs, peer.isSplit() ? pairs : most);
    }

    private void tell(RuntimeException why) {
        try {
            wire.refuse(why instanceof ProxyException ? why.getMessage() : why.toString());
        } catch (ProxyException e) {
            IbNet.LOG.debug("{} was not told why it is refused: {}", socket.peer(), e.getMessage());
        }
    }

    private EndInfo decoded(ByteBuffer contents) {
        try {
            return EndInfo.decode(contents);
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), socket.peer() + " cannot be meant: " + e.getMessage(), e);
        }
    }

    private static EndInfo info(IbSettings settings, Endpoint end, boolean isSplit, int serviceLevel,
            int trafficClass) {
        List<EndInfo.Port> ports = new ArrayList<>();
        for (int i = 0; i < end.device().ports().size(); i++) {
            IbPort port = end.device().ports().get(i);
            ports.add(new EndInfo.Port(port.name(), port.address(), end.rkey(i)));
        }
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < end.plan().pairs(); i++) {
            numbers.add(end.pair(i).number());
        }
        return new EndInfo(settings.failing().isFailingOver(), isSplit, serviceLevel, trafficClass,
                end.memory().address(), ports, numbers);
    }

    private void connect(Endpoint end, EndInfo peer, int serviceLevel, int trafficClass) {
        for (int i = 0; i < end.plan().pairs(); i++) {
            EndInfo.Port remote = peer.ports().get(i % peer.ports().size());
            connect(end.pair(i), path(end.port(i), remote.name(), remote.address(), peer.pairs().get(i), serviceLevel,
                    trafficClass));
        }
        for (int i = end.plan().pairs(); i < end.plan().pairs() + end.flushPairs(); i++) {
            IbPort port = end.port(i);
            connect(end.pair(i), path(port, port.name(), port.address(), end.pair(i).number(), serviceLevel,
                    trafficClass));
        }
    }

    private QueuePairPath path(IbPort local, String remoteName, IbAddress remote, int number, int serviceLevel,
            int trafficClass) {
        IbAddress own = local.address();
        if (own.linkLayer() != remote.linkLayer()) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, local.name() + " is of link layer " + own.linkLayer()
                    + ", " + remoteName + " of " + socket.peer() + " of " + remote.linkLayer()
                    + " (1 InfiniBand, 2 Ethernet); choose ports alike by " + IbOptions.HCA);
        }
        int mtu = Math.min(own.mtu(), remote.mtu());
        boolean isByLid = own.linkLayer() == VerbsPort.INFINIBAND && GidChoice.isSameSubnet(own.gid(), remote.gid());
        int flid = GidChoice.flid(remote.gid());
        int lid = own.linkLayer() == VerbsPort.INFINIBAND && !isByLid && flid != 0 ? flid : remote.lid();
        return new QueuePairPath(number, mtu, lid, isByLid ? null : remote.gid(), own.gidIndex(), local.number(),
                serviceLevel, trafficClass, READS, MIN_RNR_TIMER);
    }

    private void connect(QueuePair pair, QueuePairPath path) {
        IbSettings.Failing failing = settings.failing();
        for (int attempt = 0;; attempt++) {
            try {
                pair.toReadyToReceive(path);
                break;
            } catch (ProxyException e) {
                boolean isWorthIt = e.result() == ProxyResult.REMOTE_ERROR || failing.isRetryingAll();
                if (!isWorthIt || attempt >= failing.retryCount()) {
                    // The path is what the peer says of itself: this device may be all right.
                    throw new ProxyException(ProxyResult.REMOTE_ERROR, "no way to " + socket.peer() + " by GID "
                            + path.gidIndex() + " of port " + path.port() + " to " + path.remoteGid() + ": "
                            + e.getMessage(), e);
                }
                wire.pause(failing.retrySleepNs());
            }
        }
        pair.toReadyToSend(settings.path().timeout(), settings.path().retries(), RNR_FOREVER, READS);
    }
}
