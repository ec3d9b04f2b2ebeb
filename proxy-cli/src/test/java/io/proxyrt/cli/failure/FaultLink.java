/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One of two ranks over {@link ProxyState} alone, which send each other steps. */
final class FaultLink implements FaultRank {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final JobSecret SECRET = JobSecret.of("the ranks of this test".getBytes(StandardCharsets.UTF_8));
    private static final int STEPS = 64;
    private static final int STEP_BYTES = 512;

    private final ProxyState proxy;
    private final OpsPoster poster;
    private final HostStream stream;
    private final Connector send;
    private final Connector recv;
    private final DeviceConnection sending;
    private final DeviceConnection receiving;
    private long opCount;

    private FaultLink(ProxyState proxy, Connector send, Connector recv, DeviceConnection sending,
            DeviceConnection receiving) {
        this.proxy = proxy;
        this.poster = proxy.poster();
        this.stream = proxy.stream("stream-" + proxy.rank());
        this.send = send;
        this.recv = recv;
        this.sending = sending;
        this.receiving = receiving;
    }

    /** Tells its parent what the other rank has to know, and is told what that says. */
    static FaultRank connect(int rank, ProxyConfig config, BufferedReader in, String transport) throws IOException {
        ProxyState proxy = ProxyState.builder().rank(rank, 2).job(SECRET, "faults").config(config).start();
        try {
            say(proxy.peerInfo().encode());
            PeerInfo peer = PeerInfo.decode(heard(in)[0]);
            Connector send = connector(proxy, Direction.SEND, peer, transport);
            Connector recv = connector(proxy, Direction.RECV, peer, transport);
            say(proxy.await(send.setup(), TIMEOUT, "setup"), proxy.await(recv.setup(), TIMEOUT, "setup"));
            byte[][] theirs = heard(in);
            CompletableFuture<DeviceConnection> sending = send.connect(theirs[1]);
            CompletableFuture<DeviceConnection> receiving = recv.connect(theirs[0]);
            return new FaultLink(proxy, send, recv, proxy.await(sending, TIMEOUT, "connect"),
                    proxy.await(receiving, TIMEOUT, "connect"));
        } catch (Throwable t) {
            proxy.close(Duration.ZERO);
            throw t;
        }
    }

    private static Connector connector(ProxyState proxy, Direction direction, PeerInfo peer, String transport) {
        return proxy.connector(new ConnectorRequest(direction, proxy.peerInfo(), peer, 0, 0), transport);
    }

    private static void say(byte[]... infos) {
        StringBuilder line = new StringBuilder("infos");
        for (byte[] info : infos) {
            line.append(' ').append(HexFormat.of().formatHex(info));
        }
        System.out.println(line);
    }

    private static byte[][] heard(BufferedReader in) throws IOException {
        String[] words = in.readLine().split(" ");
        byte[][] infos = new byte[words.length - 1][];
        for (int i = 1; i < words.length; i++) {
            infos[i - 1] = HexFormat.of().parseHex(words[i]);
        }
        return infos;
    }

    @Override
    public void round(Misdeed misdeed) {
        opCount += 2;
        append(send, sending);
        append(recv, receiving);
        poster.post();
        FaultKernel kernel = new FaultKernel(sending, receiving, STEPS, STEP_BYTES);
        stream.launch(kernel);
        while (stream.outstanding() > 0 || poster.outstanding() > 0) {
            requireSound();
            Thread.onSpinWait();
        }
        requireSound();
    }

    private void append(Connector connector, DeviceConnection connection) {
        if (connector.needsProxy()) {
            poster.append(opCount).connection(connector.connectionId()).peer(connector.request().peer().rank())
                    .protocol(Protocol.SIMPLE.ordinal()).nsteps(STEPS).sliceSteps(1).chunkSteps(1)
                    .nbytes(connection.stepBytes(Protocol.SIMPLE));
        }
    }

    private void requireSound() {
        ProxyException failure = stream.failure() == null ? proxy.asyncResult().failure() : stream.failure();
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String dump() {
        return String.join("; ", proxy.dump().orTimeout(1, TimeUnit.SECONDS).join());
    }

    @Override
    public void close() {
        poster.close();
        proxy.close();
    }
}
