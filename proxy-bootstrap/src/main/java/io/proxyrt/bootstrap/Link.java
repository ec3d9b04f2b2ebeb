/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Frames over one non-blocking connection: puts together what comes in pieces, keeps what cannot be sent yet. Confined
 * to one thread; nothing here blocks.
 */
final class Link implements AutoCloseable {
    private static final int READ_BYTES = 16 << 10;
    private static final int READS_PER_PASS = 16;
    /** The JDK copies what it writes through a buffer as long as the rest of ours: long frames go in slices. */
    private static final int WRITE_BYTES = 64 << 10;
    /** Up to the protocol's own magic. */
    private static final int PREVIEW_BYTES = 16;
    private static final int VERSION_OFFSET = 4;

    private final SocketChannel channel;
    private final ByteBuffer in = ByteBuffer.allocate(READ_BYTES);
    private final ByteBuffer header = ByteBuffer.allocate(BootstrapDescriptor.HEADER_BYTES);
    private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
    private final byte[] preview = new byte[PREVIEW_BYTES];
    private int maxBodyBytes;
    private int previewBytes;
    private long queuedBytes;
    private long readBytes;
    private ByteBuffer body;

    Link(SocketChannel channel, int maxBodyBytes) {
        this.channel = channel;
        this.maxBodyBytes = maxBodyBytes;
    }

    /** Makes a connection one for small frames, whose end is noticed. */
    static void configure(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    }

    void maxBodyBytes(int bytes) {
        maxBodyBytes = bytes;
    }

    /** The first bytes that came, for a log. */
    byte[] preview() {
        return Arrays.copyOf(preview, previewBytes);
    }

    long queuedBytes() {
        return queuedBytes;
    }

    /** All that has come. */
    long readBytes() {
        return readBytes;
    }

    SocketAddress localAddress() {
        return channel.socket().getLocalSocketAddress();
    }

    SocketAddress remoteAddress() {
        return channel.socket().getRemoteSocketAddress();
    }

    SelectionKey keyFor(Selector selector) {
        return channel.keyFor(selector);
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /**
     * Hands over the frames that are there, within a budget: a selector reports the rest again.
     *
     * @return false at the end of the stream
     * @throws ProxyException {@code REMOTE_ERROR} for bytes that are no frame; the link is of no use any more
     */
    boolean read(Consumer<Message> sink) throws IOException {
        for (int i = 0; i < READS_PER_PASS && channel.isOpen(); i++) {
            in.clear();
            final int bytes = channel.read(in);
            if (bytes <= 0) {
                return bytes == 0;
            }
            in.flip();
            readBytes += bytes;
            remember();
            while (in.hasRemaining() && channel.isOpen()) {
                parse(sink);
            }
        }
        return true;
    }

    private void remember() {
        final int bytes = Math.min(in.remaining(), PREVIEW_BYTES - previewBytes);
        in.get(in.position(), preview, previewBytes, bytes);
        previewBytes += bytes;
    }

    private void parse(Consumer<Message> sink) {
        if (body == null) {
            move(in, header);
            if (header.hasRemaining()) {
                return;
            }
            body = ByteBuffer.allocate(bodyLength());
        }
        move(in, body);
        if (!body.hasRemaining()) {
            final Message message = MessageCodec.decode(header.get(BootstrapDescriptor.TYPE_OFFSET), body.flip());
            body = null;
            header.clear();
            sink.accept(message);
        }
    }

    private int bodyLength() {
        final int length = header.getInt(0);
        if (length < 0 || length > maxBodyBytes) {
            throw MessageReader.malformed("a frame of " + Integer.toUnsignedString(length) + " bytes, where "
                    + maxBodyBytes + " are allowed");
        }
        if (header.get(VERSION_OFFSET) != BootstrapDescriptor.VERSION) {
            throw MessageReader.malformed("version " + Byte.toUnsignedInt(header.get(VERSION_OFFSET))
                    + " of the protocol, where " + BootstrapDescriptor.VERSION + " is spoken");
        }
        return length;
    }

    private static void move(ByteBuffer from, ByteBuffer to) {
        final int bytes = Math.min(from.remaining(), to.remaining());
        to.put(to.position(), from, from.position(), bytes);
        to.position(to.position() + bytes);
        from.position(from.position() + bytes);
    }

    /** Queues a frame; sent by {@link #flush()}. */
    void offer(ByteBuffer frame) {
        queuedBytes += frame.remaining();
        out.addLast(frame);
    }

    /** Writes what the connection takes; returns whether nothing is left. */
    boolean flush() throws IOException {
        while (!out.isEmpty()) {
            if (!write(together())) {
                return false;
            }
            out.removeFirst();
        }
        return true;
    }

    /** The first frame, if short with those behind it as far as they go in one write: the kernel asks much for each. */
    private ByteBuffer together() {
        if (out.getFirst().remaining() >= WRITE_BYTES / 2) {
            return out.getFirst();
        }
        int frames = 0;
        int bytes = 0;
        for (final ByteBuffer frame : out) {
            if (bytes + frame.remaining() > WRITE_BYTES) {
                break;
            }
            bytes += frame.remaining();
            frames++;
        }
        if (frames < 2) {
            return out.getFirst();
        }
        final ByteBuffer all = ByteBuffer.allocate(bytes);
        for (; frames > 0; frames--) {
            all.put(out.removeFirst());
        }
        out.addFirst(all.flip());
        return all;
    }

    private boolean write(ByteBuffer frame) throws IOException {
        final int limit = frame.limit();
        int bytes = 1;
        while (frame.hasRemaining() && bytes > 0) {
            frame.limit(Math.min(limit, frame.position() + WRITE_BYTES));
            bytes = channel.write(frame);
            frame.limit(limit);
            queuedBytes -= bytes;
        }
        return !frame.hasRemaining();
    }

    void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    /** Closes the connection; idempotent, and drops what was queued. */
    @Override
    public void close() {
        out.clear();
        queuedBytes = 0;
        try {
            channel.close();
        } catch (IOException e) {
            BootstrapRoot.LOG.debug("closing a connection failed", e);
        }
    }
}
