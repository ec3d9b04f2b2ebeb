/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Socket networks over the loopback interface, and connections within one. */
final class Loopback {
    /** The rank of these networks. */
    static final int RANK = 3;

    private Loopback() {
    }

    /** A network with options, as pairs of key, without its prefix, and value. */
    static SocketNet net(String... options) {
        return net(InetAddress.getLoopbackAddress(), options);
    }

    static SocketNet net(InetAddress address, String... options) {
        return net(address, Platform.find(), options);
    }

    static SocketNet net(InetAddress address, Platform platform, String... options) {
        return new SocketNet(settings(options), SocketEngine.of(config(options), platform), new InterfaceChoice(
                List.of(new InterfaceChoice.Device("lo", address)), List.of("lo: for tests")));
    }

    /** The platform, and how many sockets it was asked for. */
    static Platform counting(AtomicInteger sockets) {
        return (Platform) Proxy.newProxyInstance(Platform.class.getClassLoader(), new Class<?>[] {Platform.class},
                (proxy, method, arguments) -> {
                    sockets.addAndGet(method.getName().equals("streamSocket") ? 1 : 0);
                    return method.invoke(Platform.find(), arguments);
                });
    }

    static SocketSettings settings(String... options) {
        return SocketSettings.of(config(options), RANK);
    }

    private static ProxyConfig config(String... options) {
        ProxyConfig.Builder builder = ProxyConfig.builder().environment(Map.of());
        for (int i = 0; i < options.length; i += 2) {
            builder.set("proxyrt." + options[i], options[i + 1]);
        }
        return builder.build();
    }

    /** The two ends of a connection. */
    record Pair(NetSendComm send, NetRecvComm recv) implements AutoCloseable {
        @Override
        public void close() {
            send.close();
            recv.close();
        }
    }

    static Pair connect(NetPlugin from, NetPlugin to) {
        try (NetListenComm listen = to.listen(0);
                NetConnectComm connect = from.connect(0, listen.handle())) {
            NetSendComm send = null;
            NetRecvComm recv = null;
            while (send == null || recv == null) {
                send = send == null ? connect.connect() : send;
                recv = recv == null ? listen.accept() : recv;
            }
            return new Pair(send, recv);
        }
    }
}
