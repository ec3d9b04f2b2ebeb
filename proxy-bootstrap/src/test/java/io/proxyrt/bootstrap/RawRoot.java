/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.auth.Transcript;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A root made of a plain blocking channel, with this credential or, as one that pretends, with another. */
final class RawRoot {
    private final SocketChannel channel;
    private final DataInputStream in;
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();

    private RawRoot(SocketChannel channel) {
        this.channel = channel;
        this.in = new DataInputStream(Channels.newInputStream(channel));
    }

    /** Takes the next rank through the handshake, up to the welcome. */
    static RawRoot accept(ServerSocketChannel server, Credential credential) throws IOException {
        final RawRoot root = new RawRoot(server.accept());
        final Message.Hello hello = (Message.Hello) root.read();
        final Message.Challenge challenge = new Message.Challenge(Transcript.nonce());
        root.send(challenge);
        root.read();
        root.send(credential.welcome(hello, challenge, Transcript.nonce()));
        return root;
    }

    /** An answer to a rank that wants nothing special. */
    static Message.Accepted accepted(int heartbeatMillis, int silenceMillis, int maxFrameBytes, int maxQueuedBytes) {
        return new Message.Accepted(heartbeatMillis, maxFrameBytes, maxQueuedBytes, new LinkTerms(silenceMillis, 0), 1,
                Origin.own());
    }

    private Message read() throws IOException {
        final byte[] header = in.readNBytes(BootstrapDescriptor.HEADER_BYTES);
        final byte[] body = in.readNBytes(ByteBuffer.wrap(header).getInt(0));
        heard.write(header);
        heard.write(body);
        return Jobs.decode(header[5], ByteBuffer.wrap(body));
    }

    /** The next message of this type, whatever comes before. */
    <T extends Message> T next(Class<T> type) throws IOException {
        Message message = read();
        while (!type.isInstance(message)) {
            message = read();
        }
        return type.cast(message);
    }

    /** Waits until the rank sends nothing any more. */
    void awaitEnd() throws IOException {
        in.readAllBytes();
    }

    void send(Message message) throws IOException {
        channel.write(MessageCodec.encode(message));
    }

    /** All bytes of the rank's. */
    byte[] heard() {
        return heard.toByteArray();
    }

    SocketChannel channel() {
        return channel;
    }
}
