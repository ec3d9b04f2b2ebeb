/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * The connecting side's part, step by step: hello, proof, and a welcome that is believed. Reads not a byte behind the
 * welcome. One thread at a time; never blocks.
 */
public final class ClientHandshake {
    private final WireCredential credential;
    private final ByteBuffer hello;
    private final FrameReader in = new FrameReader();
    private ByteBuffer out;
    private ByteBuffer challenge;
    private String address;
    private boolean isWelcome;

    /**
     * Begins.
     *
     * @param credential of the group or the configuration
     * @param hello      of the connecting side
     */
    public ClientHandshake(WireCredential credential, Hello hello) {
        this.credential = credential;
        this.hello = hello.encode();
        this.out = this.hello.duplicate();
    }

    /**
     * Goes on.
     *
     * @param channel connected, in non-blocking mode
     * @return true if the switch has let this side in, false if it has not yet
     * @throws IOException    if the connection broke, or ended; a switch ends those without the secret
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if the switch breaks the protocol, has another secret,
     *                        is of a user that may not be a peer, or refuses, saying why
     */
    public boolean advance(SocketChannel channel) throws IOException {
        if (isWelcome || !isSent(channel)) {
            return isWelcome;
        }
        if (challenge == null) {
            return in.read(channel, received -> WireDescriptor.CHALLENGE_BYTES) && answer(channel);
        }
        isWelcome = in.read(channel, Welcome::bytes) && believe();
        return isWelcome;
    }

    /**
     * What it waits for.
     *
     * @return {@link SelectionKey#OP_WRITE} or {@link SelectionKey#OP_READ}
     */
    public int interestOps() {
        return out.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    }

    private boolean isSent(SocketChannel channel) throws IOException {
        if (out.hasRemaining()) {
            channel.write(out);
        }
        return !out.hasRemaining();
    }

    private boolean answer(SocketChannel channel) throws IOException {
        challenge = ByteBuffer.allocate(WireDescriptor.CHALLENGE_BYTES).put(in.frame().flip()).flip();
        in.clear();
        requireUser(channel);
        address = WireCredential.dialled(channel.getRemoteAddress());
        out = ByteBuffer.wrap(credential.participantProof(address, hello, challenge));
        return advance(channel);
    }

    /** While the switch waits for a proof its socket is open, and the kernel tells whose it is. */
    private void requireUser(SocketChannel channel) throws IOException {
        final String refusal = credential.refusal(channel);
        if (!refusal.isEmpty()) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, refusal);
        }
    }

    private boolean believe() {
        final Welcome welcome = Welcome.decode(in.frame());
        if (!credential.isSwitchProof(address, hello, challenge, Welcome.verdict(in.frame()), welcome.proof())) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "it has another secret, or is no switch at " + address);
        }
        if (!welcome.refusal().isEmpty()) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "it refuses: " + welcome.refusal());
        }
        return true;
    }
}
