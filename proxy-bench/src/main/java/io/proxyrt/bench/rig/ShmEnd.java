/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * One end of a pair of connections, one each way, through memory that two processes share, as their kernels see it. Its
 * runtime is driven by its caller. One thread.
 */
final class ShmEnd implements AutoCloseable {
    private static final String TRANSPORT = "SHM";
    private static final int RANKS = 2;
    private static final HexFormat HEX = HexFormat.of();

    private final ProxyState proxy;
    private Connector sending;
    private Connector receiving;
    private DeviceConnection send;
    private DeviceConnection recv;
    private long headSeen;

    ShmEnd(int number, Map<String, String> options) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.THREADING, ThreadingMode.INVOKER);
        options.forEach(config::set);
        proxy = ProxyState.builder().rank(number, RANKS).job(Rank.SECRET, "bench").config(config.build()).start();
    }

    /** What the other end needs first; one word. */
    String introduction() {
        return HEX.formatHex(proxy.peerInfo().encode());
    }

    /** Makes both connections; what the other end needs next, in one word. */
    String meet(String introduction) {
        PeerInfo peer = PeerInfo.decode(HEX.parseHex(introduction));
        sending = connector(Direction.SEND, peer);
        receiving = connector(Direction.RECV, peer);
        return setUp(sending) + ',' + setUp(receiving);
    }

    /** Connects both ways, with what the other end said when it met this one. */
    void connect(String infos) {
        String[] both = infos.split(",");
        CompletableFuture<DeviceConnection> sent = sending.connect(HEX.parseHex(both[1]));
        CompletableFuture<DeviceConnection> received = receiving.connect(HEX.parseHex(both[0]));
        send = proxy.await(sent, Rank.PATIENCE, "connect");
        recv = proxy.await(received, Rank.PATIENCE, "connect");
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

    @Override
    public void close() {
        proxy.close();
    }
}
