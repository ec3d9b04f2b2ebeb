/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.wire.Abort;
import io.proxyrt.transport.collnet.wire.CallHeader;
import io.proxyrt.transport.collnet.wire.ResultHeader;
import io.proxyrt.transport.collnet.wire.ServerHandshake;
import io.proxyrt.transport.collnet.wire.WireCredential;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import io.proxyrt.transport.collnet.wire.WireSockets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A switch whose part the test plays, byte by byte, and on the test's own thread; and networks that know of it. */
final class PlayedSwitch implements AutoCloseable {
    private ServerSocketChannel server;
    private final int port;
    private final List<AutoCloseable> open = new ArrayList<>();
    private SocketChannel channel;
    private SwitchNet net;

    PlayedSwitch() {
        try {
            server = listen(0);
            port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerSocketChannel listen(int port) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.configureBlocking(false);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return server;
    }

    static ProxyConfig config(String... options) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of());
        for (int i = 0; i < options.length; i += 2) {
            config.set(options[i], options[i + 1]);
        }
        return config.build();
    }

    static SwitchNet net(Platform platform, String... options) {
        return new SwitchNet(SwitchSettings.of(config(options), 7, platform));
    }

    /** On a host that is that one, as far as it knows; without a switch. */
    static SwitchNet net(HostIdentity host) {
        SwitchSettings own = SwitchSettings.of(config(), 7, Platform.find());
        return new SwitchNet(new SwitchSettings(own.config(), own.name(), host, own.switches(), own.credential(),
                own.platform(), own.connectTimeoutNs()));
    }

    /** The platform, but for sockets. */
    static Platform channelsAlone() {
        return (Platform) Proxy.newProxyInstance(Platform.class.getClassLoader(), new Class<?>[] {Platform.class},
                (proxy, method, arguments) -> method.getName().equals("streamSocket") ? Optional.empty()
                        : method.invoke(Platform.find(), arguments));
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** Connects with it as the only participant, through the JDK's channels or the platform. */
    SwitchComm connect(Platform platform) {
        return connect(platform, 1, 0);
    }

    /** As one of so many participants, of whom only this one comes. */
    SwitchComm connect(Platform platform, int nRanks, int rank) {
        if (channel != null) {
            keep(channel);
            channel = null;
        }
        net = net(platform, "collnet.switch", address());
        CollNetConnectComm attempt = attempt(net, nRanks, rank);
        ServerHandshake handshake = greet(attempt, WireCredential.of(config()));
        send(handshake.welcome(""));
        send(WireDescriptor.ready());
        return comm(attempt);
    }

    /** That of the last comm that was connected. */
    SwitchNet net() {
        return net;
    }

    SwitchComm connect() {
        return connect(channelsAlone());
    }

    /** As one of so many participants. */
    CollNetConnectComm attempt(SwitchNet net, int nRanks, int rank) {
        List<ByteBuffer> handles = new ArrayList<>();
        CollNetListenComm own = null;
        for (int i = 0; i < nRanks; i++) {
            CollNetListenComm listen = keep(net.listen(0));
            own = i == rank ? listen : own;
            handles.add(listen.handle());
        }
        keep(net);
        return keep(net.connect(0, handles, rank, own));
    }

    /** Goes on until the connecting side has proven itself. */
    ServerHandshake greet(CollNetConnectComm attempt, WireCredential credential) {
        ServerHandshake handshake = new ServerHandshake(credential);
        try {
            while (channel == null || !handshake.advance(channel)) {
                assertEquals(null, attempt.connect());
                accept();
            }
            return handshake;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void accept() {
        try {
            if (channel == null) {
                channel = server.accept();
                if (channel != null) {
                    WireSockets.configure(channel);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    SwitchComm comm(CollNetConnectComm attempt) {
        SwitchComm comm = null;
        while (comm == null) {
            comm = (SwitchComm) attempt.connect();
            turn();
        }
        return keep(comm);
    }

    void send(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
                turn();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void abort(ProxyResult result, String text) {
        send(new Abort(result, text).encode());
    }

    /** A frame of a result. */
    void result(long seq, byte[] payload) {
        resultHeader(seq, payload.length);
        send(ByteBuffer.wrap(payload));
    }

    void resultHeader(long seq, long bytes) {
        ByteBuffer header = ByteBuffer.allocate(ResultHeader.BYTES);
        ResultHeader.put(header, seq, bytes);
        send(header);
    }

    /** Exactly so many bytes, which the comm sends while it is asked for a request that is not complete. */
    ByteBuffer receive(int bytes, SwitchComm comm, long request) {
        ByteBuffer received = ByteBuffer.allocate(bytes);
        try {
            while (received.hasRemaining()) {
                assertTrue(channel.read(received) >= 0, "the comm closed its connection");
                assertEquals(0, comm.test(request), comm.failure());
                turn();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return received.flip();
    }

    ByteBuffer receiveHeader(SwitchComm comm, long request) {
        return receive(CallHeader.BYTES, comm, request);
    }

    /** Reads what has come. Returns whether the buffer is full. */
    boolean fill(ByteBuffer call) {
        try {
            channel.read(call);
            return !call.hasRemaining();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A result of any content, with the buffer's first bytes. */
    void answer(ByteBuffer buffer, long seq, int bytes) {
        ResultHeader.put(buffer.clear(), seq, bytes);
        send(buffer.limit(ResultHeader.BYTES + bytes));
    }

    /** What the comm has sent by now, at most so many bytes. */
    int drain(int bytes) {
        try {
            return channel.read(ByteBuffer.allocate(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the connection; by a reset if bytes are in it. */
    void hangUp() {
        SwitchSettings.close(channel);
    }

    /** Accepts no connection any more. */
    void stopListening() {
        SwitchSettings.close(server);
    }

    void listenAgain() throws IOException {
        server = listen(port);
    }

    /** Waits until the connecting side has hung up. */
    void awaitEnd() {
        while (drain(1 << 10) >= 0) {
            turn();
        }
    }

    <T extends AutoCloseable> T keep(T resource) {
        open.add(resource);
        return resource;
    }

    static void turn() {
        if (Thread.interrupted()) {
            throw new AssertionError("the test's time is up");
        }
        Thread.yield();
    }

    @Override
    public void close() {
        for (AutoCloseable each : open.reversed()) {
            try {
                each.close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        SwitchSettings.close(channel);
        SwitchSettings.close(server);
    }
}
