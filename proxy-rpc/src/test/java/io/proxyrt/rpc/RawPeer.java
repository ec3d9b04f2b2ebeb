/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.service.message.MessageType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** A socket that sends whatever the test wants, and keeps what comes back. */
final class RawPeer implements AutoCloseable {
    private static final AtomicLong LAST_CLIENT_ID = new AtomicLong();

    private final SocketChannel channel;
    /** The service's. */
    private final SocketAddress address;
    private final ByteBuffer chunk = ByteBuffer.allocate(1 << 16);
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private boolean isAtEnd;
    private boolean isReading = true;

    /** A caller. */
    RawPeer(SocketAddress address) {
        this(connected(address), address);
    }

    /** A service's end of a connection that came. */
    RawPeer(SocketChannel accepted) {
        this(accepted, localAddress(accepted));
    }

    private RawPeer(SocketChannel channel, SocketAddress address) {
        this.channel = channel;
        this.address = address;
        try {
            channel.configureBlocking(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SocketChannel connected(SocketAddress address) {
        try {
            return SocketChannel.open(address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SocketAddress localAddress(SocketChannel accepted) {
        try {
            return accepted.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A hello of an identity of its own. */
    static byte[] hello(int rank) {
        return hello(new PeerId(rank, LAST_CLIENT_ID.incrementAndGet()));
    }

    static byte[] hello(PeerId self) {
        return bytes(RpcFrames.hello(self, new byte[RpcFrameDescriptor.NONCE_BYTES]));
    }

    static byte[] challenge(int rank) {
        return bytes(RpcFrames.answer(rank, new byte[RpcFrameDescriptor.NONCE_BYTES]));
    }

    byte[] proof(byte[] hello, byte[] challenge, JobSecret secret) {
        return transcript(hello, challenge, secret).proof(RpcFrameDescriptor.CALLER);
    }

    byte[] ack(byte[] hello, byte[] challenge, int rank, JobSecret secret) {
        return bytes(RpcFrames.answer(rank, transcript(hello, challenge, secret).proof(RpcFrameDescriptor.SERVICE)));
    }

    private Transcript transcript(byte[] hello, byte[] challenge, JobSecret secret) {
        return new Transcript(secret).add(Addresses.dialled(address)).add(ByteBuffer.wrap(hello))
                .add(ByteBuffer.wrap(challenge)).add(ByteBuffer.allocate(RpcTls.BINDING_BYTES));
    }

    static byte[] request(MessageType type, long callId, String body) {
        return bytes(RpcFrames.request(type, callId, 0, Rig.bytes(body)));
    }

    static byte[] bytes(ByteBuf frame) {
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        return bytes;
    }

    static byte[] concat(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
        Arrays.stream(parts).forEach(all::put);
        return all.array();
    }

    /** Writes as much as the socket takes; a peer that closed takes nothing. */
    int send(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        try {
            int written = channel.write(buffer);
            for (int more = written; more > 0 && buffer.hasRemaining(); written += more) {
                more = channel.write(buffer);
            }
            return written;
        } catch (IOException e) {
            return 0;
        }
    }

    int send(String text) {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Reads what is there. */
    void receive() {
        if (!isReading || isAtEnd) {
            return;
        }
        try {
            int count = channel.read(chunk.clear());
            for (; count > 0; count = channel.read(chunk.clear())) {
                received.write(chunk.array(), 0, count);
            }
            isAtEnd = count < 0;
        } catch (IOException e) {
            isAtEnd = true;
        }
    }

    void reading(boolean isReading) {
        this.isReading = isReading;
    }

    /** Whether the other side closed. */
    boolean isAtEnd() {
        return isAtEnd;
    }

    byte[] received() {
        return received.toByteArray();
    }

    String receivedText() {
        return received.toString(StandardCharsets.ISO_8859_1);
    }

    void forget() {
        received.reset();
    }

    /** Complete responses so far. */
    int responses() {
        ByteBuffer all = ByteBuffer.wrap(received());
        int count = 0;
        while (all.remaining() >= 4 && all.remaining() >= 4 + all.getInt(all.position())) {
            all.position(all.position() + 4 + all.getInt(all.position()));
            count++;
        }
        return count;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
