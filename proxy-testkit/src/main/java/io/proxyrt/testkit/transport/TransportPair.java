/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ProxyStateBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Two runtimes of one job in this JVM, with threads of their own, that connect by one transport. One thread. */
final class TransportPair implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final JobSecret SECRET = JobSecret.of("two ranks of this test".getBytes(StandardCharsets.UTF_8));

    final List<ProxyState> ranks;
    final List<OpsPoster> posters;
    private final List<Device> devices;
    private final String transport;
    private final List<ProxyTransportProvider> providers;
    private final PeerInfo[] infos;

    /** On devices that it closes; null, or none: of the runtimes' own. */
    TransportPair(String transport, Path directory, Map<String, String> options, Device... devices) {
        this(transport, List.of(), directory, options, devices);
    }

    /** With transports that no module provides. */
    TransportPair(String transport, List<ProxyTransportProvider> providers, Path directory,
            Map<String, String> options, Device... devices) {
        this.transport = transport;
        this.providers = providers;
        this.devices = Arrays.asList(devices);
        this.ranks = new ArrayList<>(List.of(start(0, directory, options), start(1, directory, options)));
        this.posters = new ArrayList<>(ranks.stream().map(ProxyState::poster).toList());
        this.infos = ranks.stream().map(TransportPair::info).toArray(PeerInfo[]::new);
    }

    private ProxyState start(int rank, Path directory, Map<String, String> options) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, directory.toString()).set(CoreOptions.THREADING, ThreadingMode.DEDICATED);
        options.forEach(config::set);
        ProxyStateBuilder builder = ProxyState.builder().rank(rank, 2).job(SECRET, "test").config(config.build());
        providers.forEach(builder::transport);
        Device device = devices.isEmpty() ? null : devices.get(rank);
        return (device == null ? builder : builder.device(device)).start();
    }

    private static PeerInfo info(ProxyState proxy) {
        return new PeerInfo(proxy.rank(), PeerProcess.own(proxy.config()), proxy.serviceAddress(),
                proxy.memory().address(), PeerDevice.of(proxy.device()));
    }

    /** Of rank 0 to send, or of rank 1 to receive. */
    Connector connector(Direction direction, int channel) {
        return connector(direction == Direction.SEND ? 0 : 1, direction, channel);
    }

    private Connector connector(int rank, Direction direction, int channel) {
        return ranks.get(rank).connector(new ConnectorRequest(direction, infos[rank], infos[1 - rank], channel, 0),
                transport);
    }

    TransportLink connect(int channel) {
        Connector send = connector(Direction.SEND, channel);
        Connector recv = connector(Direction.RECV, channel);
        byte[] fromSender = setUp(send);
        byte[] fromReceiver = setUp(recv);
        return connect(channel, send, recv, fromSender, fromReceiver);
    }

    /** The other way, from rank 1 to rank 0. */
    TransportLink connectBack(int channel) {
        Connector send = connector(1, Direction.SEND, channel);
        Connector recv = connector(0, Direction.RECV, channel);
        byte[] fromSender = setUp(send);
        byte[] fromReceiver = setUp(recv);
        return connect(channel, send, recv, fromSender, fromReceiver);
    }

    TransportLink connect(int channel, Connector send, Connector recv, byte[] fromSender, byte[] fromReceiver) {
        CompletableFuture<DeviceConnection> sending = send.connect(fromReceiver);
        CompletableFuture<DeviceConnection> receiving = recv.connect(fromSender);
        return new TransportLink(channel, send, recv, await(send, sending), await(recv, receiving));
    }

    byte[] setUp(Connector connector) {
        return await(connector, connector.setup());
    }

    <T> T await(Connector connector, CompletableFuture<T> future) {
        return ranks.get(connector.request().self().rank()).await(future, TIMEOUT, connector.toString());
    }

    void close(TransportLink link) {
        await(link.send(), link.send().close());
        await(link.recv(), link.recv().close());
    }

    /** Closes rank 1's runtime. */
    void leave() {
        posters.removeLast().close();
        ranks.removeLast().close();
    }

    @Override
    public void close() {
        posters.forEach(OpsPoster::close);
        ranks.forEach(ProxyState::close);
        devices.stream().filter(Objects::nonNull).forEach(Device::close);
    }
}
