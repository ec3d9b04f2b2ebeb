/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.wire.Abort;
import io.proxyrt.transport.collnet.wire.CallHeader;
import io.proxyrt.transport.collnet.wire.ClientHandshake;
import io.proxyrt.transport.collnet.wire.FrameReader;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.Hello;
import io.proxyrt.transport.collnet.wire.ResultHeader;
import io.proxyrt.transport.collnet.wire.WireCredential;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import io.proxyrt.transport.collnet.wire.WireSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A participant that the test drives, without a thread of its own. */
final class RawParticipant implements AutoCloseable {
    private static final int MAX_WRITE = 256 << 10;
    /** Only ends a hang. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    /** Longer than that, so that a switch's own limits are what counts. */
    static final Duration PATIENCE = Duration.ofHours(1);

    private final int rank;
    private final SocketChannel channel;
    private final ClientHandshake handshake;
    private final FrameReader in = new FrameReader();
    private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> expected = new ArrayDeque<>();
    private final List<byte[]> results = new ArrayList<>();
    private boolean isConnected;
    private boolean isAdmitted;
    private boolean isReady;
    private boolean isReading = true;
    private boolean isEnded;
    private long seq;
    private long frameLeft;
    private String refusal = "";
    private String abort = "";

    RawParticipant(InetSocketAddress address, WireCredential credential, Hello hello) throws IOException {
        this.rank = hello.rank();
        this.channel = SocketChannel.open();
        this.handshake = new ClientHandshake(credential, hello);
        WireSockets.configure(channel);
        isConnected = channel.connect(address);
    }

    static RawParticipant of(InetSocketAddress address, WireCredential credential, GroupId group, int nRanks, int rank)
            throws IOException {
        return new RawParticipant(address, credential,
                Hello.ofParticipant(group, nRanks, rank, PATIENCE, nameInJob(rank)));
    }

    /** Its rank in the job is another number than its place in the group. */
    static String nameInJob(int rank) {
        return "rank " + (10 + rank) + " (pid 1 at test)";
    }

    /** How a switch names it. */
    static String peer(int rank) {
        return "participant " + rank + ", " + nameInJob(rank);
    }

    /** Moves all of them until something holds. */
    static void await(List<RawParticipant> all, BooleanSupplier condition) {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean()) {
            boolean isMoving = false;
            for (RawParticipant participant : all) {
                isMoving |= participant.pump();
            }
            if (!isMoving) {
                Thread.yield();
            }
            if (deadlineNs - System.nanoTime() <= 0) {
                fail("it did not happen: " + all);
            }
        }
    }

    /** Does what can be done; returns whether anything was. */
    boolean pump() {
        if (isEnded) {
            return false;
        }
        try {
            if (!isConnected) {
                isConnected = channel.finishConnect();
                return isConnected;
            }
            if (!isAdmitted) {
                isAdmitted = handshake.advance(channel);
                return isAdmitted;
            }
            return write() | (isReading && read());
        } catch (ProxyException e) {
            refusal = e.getMessage();
        } catch (IOException e) {
            refusal = refusal.isEmpty() ? "ended: " + e.getMessage() : refusal;
        }
        isEnded = true;
        close();
        return true;
    }

    private boolean write() throws IOException {
        boolean isMoving = false;
        while (!out.isEmpty()) {
            try {
                isMoving |= writeSome(out.peek()) > 0;
            } catch (IOException e) {
                out.clear();                // the reason may be there to be read
                return true;
            }
            if (out.peek().hasRemaining()) {
                return isMoving;
            }
            out.remove();
        }
        return isMoving;
    }

    /** The JDK copies all of a buffer on the heap for each write. */
    private int writeSome(ByteBuffer from) throws IOException {
        final int limit = from.limit();
        final int n = channel.write(from.limit(Math.min(limit, from.position() + MAX_WRITE)));
        from.limit(limit);
        return n;
    }

    private boolean read() throws IOException {
        if (frameLeft > 0) {
            final ByteBuffer result = expected.peek();
            final int limit = result.limit();
            result.limit((int) Math.min(limit, result.position() + frameLeft));
            final int n = channel.read(result);
            result.limit(limit);
            if (n < 0) {
                throw new IOException("amid a result");
            }
            frameLeft -= n;
            finish();
            return n > 0;
        }
        if (!in.read(channel, WireDescriptor::bytesFromSwitch)) {
            return false;
        }
        take(in.frame());
        in.clear();
        return true;
    }

    private void take(ByteBuffer frame) {
        switch (frame.get(0)) {
            case WireDescriptor.READY -> isReady = true;
            case WireDescriptor.ABORT -> {
                abort = Abort.decode(frame).result() + ": " + Abort.decode(frame).text();
                isEnded = true;
                close();
            }
            case WireDescriptor.RESULT -> {
                assertEquals(results.size(), ResultHeader.seq(frame), "results come in order");
                frameLeft = ResultHeader.payloadBytes(frame);
                finish();
            }
            default -> fail("type " + frame.get(0));
        }
    }

    private void finish() {
        if (!expected.peek().hasRemaining()) {
            results.add(expected.remove().array());
        }
    }

    /** Queues a call. */
    void call(CollFunction function, DataType type, RedOp op, CollNetWindow window, byte[] payload, int resultBytes) {
        header(function, type, op, window, payload.length);
        out.add(ByteBuffer.wrap(payload));
        expected.add(ByteBuffer.allocate(resultBytes));
    }

    /** Waits for a result of these bytes. */
    void expect(int resultBytes) {
        expected.add(ByteBuffer.allocate(resultBytes));
    }

    /** Queues an all-reduce in frames of these bytes. */
    void callInFrames(DataType type, RedOp op, byte[] payload, int... frames) {
        final CollNetWindow window = new CollNetWindow().set(payload.length, 0, payload.length);
        final long first = seq;
        int at = 0;
        for (int bytes : frames) {
            seq = first;
            header(CollFunction.ALL_REDUCE, type, op, window, bytes);
            out.add(ByteBuffer.wrap(payload, at, bytes).slice());
            at += bytes;
        }
        expected.add(ByteBuffer.allocate(payload.length));
    }

    void header(CollFunction function, DataType type, RedOp op, CollNetWindow window, long payloadBytes) {
        final ByteBuffer header = ByteBuffer.allocate(CallHeader.BYTES);
        CallHeader.put(header, function, type, op, seq++, window, payloadBytes);
        out.add(header);
    }

    void allReduce(DataType type, RedOp op, byte[] payload) {
        call(CollFunction.ALL_REDUCE, type, op, new CollNetWindow().set(payload.length, 0, payload.length), payload,
                payload.length);
    }

    /** Forgets to make a call. */
    void skipCall() {
        seq++;
    }

    /** Queues bytes as they are. */
    void raw(byte[] bytes) {
        out.add(ByteBuffer.wrap(bytes));
    }

    void isReading(boolean reads) {
        isReading = reads;
    }

    boolean isReady() {
        return isReady;
    }

    boolean isAdmitted() {
        return isAdmitted;
    }

    boolean isSent() {
        return out.isEmpty();
    }

    long unsentBytes() {
        return out.stream().mapToLong(ByteBuffer::remaining).sum();
    }

    boolean isEnded() {
        return isEnded;
    }

    List<byte[]> results() {
        return results;
    }

    String refusal() {
        return refusal;
    }

    String abort() {
        return abort;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public String toString() {
        return "participant " + rank + (isReady ? " ready" : isAdmitted ? " admitted" : "") + ", " + results.size()
                + " results, " + unsentBytes() + " bytes to send, " + refusal + abort;
    }
}
