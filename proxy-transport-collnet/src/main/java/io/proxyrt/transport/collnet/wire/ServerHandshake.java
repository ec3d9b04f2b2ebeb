/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The switch's part, step by step: until the other side has proven itself it hears nothing but a challenge. Reads not
 * a byte behind the proof. One thread at a time; never blocks.
 */
public final class ServerHandshake {
    private final WireCredential credential;
    private final FrameReader in = new FrameReader();
    private final ByteBuffer challenge = ByteBuffer.wrap(Transcript.nonce());
    private ByteBuffer said;
    private Hello hello;
    private String address;
    private String refusal = "";

    /**
     * Begins.
     *
     * @param credential of the switch
     */
    public ServerHandshake(WireCredential credential) {
        this.credential = credential;
    }

    /**
     * Goes on.
     *
     * @param channel connected, in non-blocking mode
     * @return true if the other side has proven itself and is to be answered, false if it has not yet
     * @throws IOException    if the connection broke, or ended
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it breaks the protocol, or has another secret
     */
    public boolean advance(SocketChannel channel) throws IOException {
        if (hello == null) {
            return in.read(channel, Hello::bytes) && challenge(channel);
        }
        return in.read(channel, received -> WireDescriptor.PROOF_BYTES) && believe(channel);
    }

    /**
     * What the other side says it is.
     *
     * @return proven once {@link #advance} has said so; null before the hello
     */
    public Hello hello() {
        return hello;
    }

    /**
     * Why a side that has proven itself may not be a peer all the same.
     *
     * @return with its user; empty if it may
     */
    public String refusal() {
        return refusal;
    }

    /**
     * The answer to a side that has proven itself.
     *
     * @param verdict why it is not taken in; empty if it is
     * @return a new buffer, to be sent
     */
    public ByteBuffer welcome(String verdict) {
        return new Welcome(credential.switchProof(address, said, challenge, Welcome.verdict(verdict)), verdict)
                .encode();
    }

    private boolean challenge(SocketChannel channel) throws IOException {
        final ByteBuffer frame = in.frame();
        address = WireCredential.dialled(channel.getLocalAddress());
        hello = Hello.decode(frame);
        said = ByteBuffer.allocate(frame.position()).put(frame.flip()).flip();
        in.clear();
        if (channel.write(challenge.duplicate()) < challenge.remaining()) {
            throw new IOException("it does not take " + WireDescriptor.CHALLENGE_BYTES + " bytes");
        }
        return advance(channel);
    }

    private boolean believe(SocketChannel channel) throws IOException {
        if (!credential.isParticipantProof(address, said, challenge, in.frame().flip())) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, hello.peer() + " has another secret than the switch, or "
                    + "dialled another address than " + address);
        }
        refusal = credential.refusal(channel);
        return true;
    }
}
