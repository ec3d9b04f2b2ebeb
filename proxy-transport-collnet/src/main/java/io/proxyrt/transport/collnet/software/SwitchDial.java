/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.StreamSocket;
import io.proxyrt.transport.collnet.wire.Abort;
import io.proxyrt.transport.collnet.wire.ClientHandshake;
import io.proxyrt.transport.collnet.wire.FrameReader;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import io.proxyrt.transport.collnet.wire.WireSockets;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;

/** One attempt to be let in by a switch at an address. */
final class SwitchDial implements AutoCloseable {
    /** Every Linux has it, for all users. */
    private static final String UNPACED = "reno";

    private final ClientHandshake handshake;
    private final FrameReader frames = new FrameReader();
    private SocketChannel channel;
    private Stage stage = Stage.CONNECTING;

    /** How far it is. */
    enum Stage {
        CONNECTING, HANDSHAKE, WAITING, READY
    }

    SwitchDial(InetSocketAddress address, ClientHandshake handshake) throws IOException {
        this.handshake = handshake;
        this.channel = open(address);
        try {
            WireSockets.configure(channel);
            channel.connect(address);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** An IPv4 socket for an IPv4 address: in one of both families each call takes longer. */
    private static SocketChannel open(InetSocketAddress address) throws IOException {
        try {
            return SocketChannel.open(address.getAddress() instanceof Inet4Address ? StandardProtocolFamily.INET
                    : StandardProtocolFamily.INET6);
        } catch (UnsupportedOperationException e) {
            throw new SocketException("this host has no addresses of the family of "
                    + address.getAddress().getHostAddress());
        }
    }

    Stage stage() {
        return stage;
    }

    /**
     * Goes on, without blocking. Returns whether all participants are there.
     *
     * @throws IOException    if the connection breaks
     * @throws ProxyException if the switch refuses, or is none
     */
    boolean advance() throws IOException {
        if (stage == Stage.CONNECTING && (channel.isConnected() || channel.finishConnect())) {
            stage = Stage.HANDSHAKE;
        }
        if (stage == Stage.HANDSHAKE && handshake.advance(channel)) {
            stage = Stage.WAITING;
        }
        if (stage == Stage.WAITING && frames.read(channel, WireDescriptor::bytesFromSwitch)) {
            begin();
        }
        return stage == Stage.READY;
    }

    /** The connection, which is the caller's from now on. */
    SwitchSocket take(Platform platform) throws IOException {
        StreamSocket beside = beside(platform);
        SwitchSocket taken = new SwitchSocket(channel, beside);
        channel = null;
        return taken;
    }

    @Override
    public void close() {
        SwitchSettings.close(channel);
        channel = null;
    }

    private void begin() {
        byte type = frames.frame().get(0);
        if (type == WireDescriptor.ABORT) {
            throw ResultReader.aborted(Abort.decode(frames.frame()));
        }
        if (type != WireDescriptor.READY) {
            throw WireDescriptor.malformed("a frame of type " + type + " before all participants were there");
        }
        stage = Stage.READY;
    }

    /** What the platform has of the connection. Within a host no other traffic shares the way: pacing only slows it. */
    private StreamSocket beside(Platform platform) throws IOException {
        InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
        InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
        StreamSocket beside = platform.streamSocket(local, remote).orElse(null);
        if (beside != null && local.getAddress().equals(remote.getAddress())
                && !beside.congestionControl(UNPACED)) {
            SwitchSettings.LOG.debug("{} keeps the host's congestion control", channel);
        }
        return beside;
    }
}
