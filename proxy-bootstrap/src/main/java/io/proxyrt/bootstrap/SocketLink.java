/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/** A connection of a socket: puts together what comes in pieces, keeps what cannot be sent yet. */
final class SocketLink extends FrameQueue {
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
    private final byte[] preview = new byte[PREVIEW_BYTES];
    private final SelectionKey key;
    private boolean isConnected;
    private int previewBytes;
    /** What has come of a frame whose length is known. */
    private ByteBuffer frame;

    /** Makes a connection one for small frames, whose end is noticed; the caller closes it if this throws. */
    SocketLink(SocketChannel channel, Selector selector, int maxBodyBytes) throws IOException {
        super(maxBodyBytes);
        this.channel = channel;
        this.isConnected = channel.isConnected();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        this.key = channel.register(selector, isConnected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
    }

    void connect(SocketAddress to) throws IOException {
        if (channel.connect(to)) {
            isConnected = true;
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
    }

    @Override
    public boolean finishConnect() throws IOException {
        if (!isConnected && channel.finishConnect()) {
            isConnected = true;
            key.interestOps(SelectionKey.OP_READ);
        }
        return isConnected;
    }

    /** The selector has found something. */
    void ready() {
        if (key.isValid()) {
            runReady();
        }
    }

    @Override
    public boolean isReadable() {
        return key.isValid() && key.isReadable();
    }

    @Override
    public boolean isWritable() {
        return key.isValid() && key.isWritable();
    }

    @Override
    public byte[] preview() {
        return Arrays.copyOf(preview, previewBytes);
    }

    @Override
    public SocketAddress localAddress() {
        return channel.socket().getLocalSocketAddress();
    }

    @Override
    public SocketAddress remoteAddress() {
        return channel.socket().getRemoteSocketAddress();
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public boolean read(Sink sink) throws IOException {
        for (int i = 0; i < READS_PER_PASS && channel.isOpen(); i++) {
            in.clear();
            final int bytes = channel.read(in);
            if (bytes <= 0) {
                return bytes == 0;
            }
            in.flip();
            countRead(bytes);
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

    private void parse(Sink sink) {
        if (frame == null) {
            move(in, header);
            if (header.hasRemaining()) {
                return;
            }
            frame = ByteBuffer.allocate(BootstrapDescriptor.HEADER_BYTES + bodyLength()).put(header.flip());
            header.clear();
        }
        move(in, frame);
        if (!frame.hasRemaining()) {
            final ByteBuffer whole = frame.flip();
            frame = null;
            sink.accept(MessageCodec.decode(whole), whole);
        }
    }

    private int bodyLength() {
        final int length = header.getInt(0);
        requireBody(length);
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

    @Override
    public boolean flush() throws IOException {
        if (!isConnected) {
            return queued().isEmpty();
        }
        boolean isTaken = true;
        while (isTaken && !queued().isEmpty()) {
            isTaken = write(together());
            if (isTaken) {
                queued().removeFirst();
            }
        }
        if (key.isValid()) {
            key.interestOps(isTaken ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
        return isTaken;
    }

    /** The first frame, if short with those behind it as far as they go in one write: the kernel asks much for each. */
    private ByteBuffer together() {
        if (queued().getFirst().remaining() >= WRITE_BYTES / 2) {
            return queued().getFirst();
        }
        int frames = 0;
        int bytes = 0;
        for (final ByteBuffer frame : queued()) {
            if (bytes + frame.remaining() > WRITE_BYTES) {
                break;
            }
            bytes += frame.remaining();
            frames++;
        }
        if (frames < 2) {
            return queued().getFirst();
        }
        final ByteBuffer all = ByteBuffer.allocate(bytes);
        for (; frames > 0; frames--) {
            all.put(queued().removeFirst());
        }
        queued().addFirst(all.flip());
        return all;
    }

    private boolean write(ByteBuffer frame) throws IOException {
        final int limit = frame.limit();
        int bytes = 1;
        while (frame.hasRemaining() && bytes > 0) {
            frame.limit(Math.min(limit, frame.position() + WRITE_BYTES));
            bytes = channel.write(frame);
            frame.limit(limit);
            countSent(bytes);
        }
        return !frame.hasRemaining();
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void close() {
        dropQueued();
        try {
            channel.close();
        } catch (IOException e) {
            BootstrapRoot.LOG.debug("closing a connection failed", e);
        }
    }
}
