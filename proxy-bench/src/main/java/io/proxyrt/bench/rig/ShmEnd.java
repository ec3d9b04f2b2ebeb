/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;

/**
 * One end of a pair of connections, one each way, through memory that two processes share, as their kernels see it. Its
 * runtime is driven by its caller. One thread.
 */
final class ShmEnd extends End {
    private static final String TRANSPORT = "SHM";
    private static final int RANKS = 2;
    private static final HexFormat HEX = HexFormat.of();

    private final RigArguments arguments;
    private final ProxyState proxy;
    private final Connector sending;
    private final DeviceConnection send;
    private final DeviceConnection recv;
    private long headSeen;

    ShmEnd(int number, RigArguments arguments, Talk other) {
        this.arguments = arguments;
        Pinning.pin(arguments, number);
        proxy = ProxyState.builder().rank(number, RANKS).job(Rank.SECRET, "bench")
                .config(RigArguments.config(arguments.options()).set(CoreOptions.THREADING, ThreadingMode.INVOKER)
                        .build()).start();
        onClose(proxy::close);
        try {
            other.tell(HEX.formatHex(proxy.peerInfo().encode()));
            PeerInfo peer = PeerInfo.decode(HEX.parseHex(other.line()));
            sending = connector(Direction.SEND, peer);
            Connector receiving = connector(Direction.RECV, peer);
            other.tell(setUp(sending) + ',' + setUp(receiving));
            String[] infos = other.line().split(",");
            CompletableFuture<DeviceConnection> sent = sending.connect(HEX.parseHex(infos[1]));
            CompletableFuture<DeviceConnection> received = receiving.connect(HEX.parseHex(infos[0]));
            send = proxy.await(sent, Rank.PATIENCE, "connect");
            recv = proxy.await(received, Rank.PATIENCE, "connect");
        } catch (Throwable t) {
            close();
            throw t;
        }
    }

    @Override
    Messages messages() {
        return SlotMessages.of(arguments.text("protocol"), this);
    }

    @Override
    public void obey(String[] order, Talk rig) {
        if (order[0].equals("consume")) {
            ShmCopyRig.consume(this);
            rig.tell("consumed");
        } else {
            super.obey(order, rig);
        }
    }

    ProxyState proxy() {
        return proxy;
    }

    /** Names the sending connection in ops. */
    long sendId() {
        return sending.connectionId();
    }

    DeviceConnection send() {
        return send;
    }

    DeviceConnection recv() {
        return recv;
    }

    /**
     * Whether the next step may be sent. As kernels do, looks at head only when the credit seen is used up: each look
     * takes the line from its writer.
     */
    boolean hasCredit() {
        if (headSeen + DeviceConnection.STEPS <= send.step()) {
            headSeen = send.sendMem().head();
        }
        return headSeen + DeviceConnection.STEPS > send.step();
    }

    private Connector connector(Direction direction, PeerInfo peer) {
        return proxy.connector(new ConnectorRequest(direction, proxy.peerInfo(), peer, 0, 0), TRANSPORT);
    }

    private String setUp(Connector connector) {
        return HEX.formatHex(proxy.await(connector.setup(), Rank.PATIENCE, "set-up"));
    }
}
