/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One end of a connection of a {@link VirtualNetwork}. Frames are shared with the other end, not copied. */
final class VirtualLink extends FrameQueue {
    /** What goes together: as much as a socket takes at once, or a little more. */
    private static final int BATCH_BYTES = 256 << 10;
    /** What may be on its way, or lie there unread. */
    private static final int WINDOW_BYTES = 4 << 20;
    private static final byte[] NOTHING = new byte[0];

    private final VirtualPoller poller;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final ArrayDeque<ByteBuffer> in = new ArrayDeque<>();
    private VirtualLink peer;
    private IOException refusal;
    private boolean isOpen = true;
    private boolean isConnected;
    private boolean isReadable;
    private boolean isWritable;
    private boolean isFull;
    private boolean isShut;
    private boolean hasEnded;
    private long onTheWay;
    private long lastArrivalNs;

    VirtualLink(VirtualPoller poller, InetSocketAddress local, InetSocketAddress remote, int maxBodyBytes) {
        super(maxBodyBytes);
        this.poller = poller;
        this.local = local;
        this.remote = remote;
    }

    /** Frames that come together, or the end of the stream. */
    record Arrival(long atNs, long number, VirtualLink link, List<ByteBuffer> frames)
            implements Comparable<Arrival> {
        @Override
        public int compareTo(Arrival other) {
            return atNs == other.atNs ? Long.compare(number, other.number) : Long.compare(atNs, other.atNs);
        }

        void arrive() {
            link.arrived(frames);
        }
    }

    /** The other end, of a process that has not accepted it yet. */
    VirtualLink accepted(VirtualPoller by) {
        final VirtualLink other = new VirtualLink(by, remote, local, 0);
        other.peer = this;
        other.isConnected = true;
        peer = other;
        final VirtualNetwork network = poller.network();
        network.at(network.nowNs() + network.latencyNs(by.host(), poller.host()), this::connected);
        return other;
    }

    private void connected() {
        isConnected = true;
        poller.ready(this::run);
    }

    /** No connection can be made. */
    void refused(IOException why) {
        refusal = why;
        poller.ready(this::run);
    }

    private void run() {
        if (isOpen) {
            runReady();
        }
        isWritable = false;
    }

    private void arrived(List<ByteBuffer> frames) {
        if (!isOpen) {
            return;
        }
        hasEnded |= frames.isEmpty();
        in.addAll(frames);
        isReadable = true;
        runReady();
        isReadable = false;
    }

    @Override
    public boolean finishConnect() throws IOException {
        if (refusal != null) {
            throw refusal;
        }
        return isConnected;
    }

    @Override
    public boolean isReadable() {
        return isOpen && isReadable;
    }

    @Override
    public boolean isWritable() {
        return isOpen && isWritable;
    }

    @Override
    public byte[] preview() {
        return NOTHING;
    }

    @Override
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public SocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    @Override
    public boolean read(Sink sink) {
        long taken = 0;
        while (isOpen && !in.isEmpty()) {
            final ByteBuffer frame = in.remove();
            final int bytes = frame.remaining();
            taken += bytes;
            countRead(bytes);
            poller.received(bytes);
            poller.spend();
            requireBody(bytes - BootstrapDescriptor.HEADER_BYTES);
            sink.accept(poller.network().decode(frame), frame);
        }
        if (taken > 0) {
            peer.taken(taken);
        }
        return !hasEnded || !in.isEmpty();
    }

    /** The other end has read so much. */
    private void taken(long bytes) {
        onTheWay -= bytes;
        if (isFull && onTheWay < WINDOW_BYTES) {
            isFull = false;
            isWritable = true;
            poller.ready(this::run);
        }
    }

    @Override
    public boolean flush() throws IOException {
        if (!isConnected) {
            return queued().isEmpty();
        }
        if (!queued().isEmpty() && !peer.isOpen) {
            throw new IOException("Broken pipe");
        }
        while (!queued().isEmpty() && onTheWay < WINDOW_BYTES) {
            send(batch());
        }
        isFull = !queued().isEmpty();
        return queued().isEmpty();
    }

    private List<ByteBuffer> batch() {
        final List<ByteBuffer> frames = new ArrayList<>();
        long bytes = 0;
        while (!queued().isEmpty() && (frames.isEmpty() || bytes + queued().peek().remaining() <= BATCH_BYTES)) {
            final ByteBuffer frame = queued().remove();
            bytes += frame.remaining();
            frames.add(frame.slice());
        }
        return frames;
    }

    private void send(List<ByteBuffer> frames) {
        final int bytes = frames.stream().mapToInt(ByteBuffer::remaining).sum();
        poller.spend();
        poller.sent(frames.size(), bytes);
        countSent(bytes);
        onTheWay += bytes;
        deliver(bytes, frames);
    }

    private void deliver(int bytes, List<ByteBuffer> frames) {
        final VirtualNetwork network = poller.network();
        final long atNs = network.arrivalNs(poller.host(), peer.poller.host(), poller.nanoTime(), bytes);
        lastArrivalNs = Math.max(lastArrivalNs, atNs);
        peer.poller.arrives(new Arrival(lastArrivalNs, network.nextNumber(), peer, frames));
    }

    @Override
    public void shutdownOutput() {
        if (!isShut && peer != null) {
            isShut = true;
            deliver(0, List.of());
        }
    }

    @Override
    public void close() {
        if (isOpen) {
            shutdownOutput();
            isOpen = false;
            poller.remove(this);
            dropQueued();
        }
    }
}
