/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.transport.collnet.wire.Abort;
import io.proxyrt.transport.collnet.wire.ClientHandshake;
import io.proxyrt.transport.collnet.wire.FrameReader;
import io.proxyrt.transport.collnet.wire.Join;
import io.proxyrt.transport.collnet.wire.ResultHeader;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A group's connection to the switch above: partial results go up, results come down. Confined to the group's thread.
 */
final class Uplink {
    /** Calls whose results have not come. */
    private static final int MAX_PENDING = 64;
    /** Of frames that one call begins, as of a connection downwards. */
    private static final int FRAMES_PER_CALL = Link.FRAMES_PER_READ;

    private final Port port;
    private final SelectionKey key;
    private final ClientHandshake handshake;
    private final FrameReader in = new FrameReader();
    private final Queue<ByteBuffer> words = new ArrayDeque<>();
    private final Call[] pending = new Call[MAX_PENDING];
    private boolean isConnected;
    private boolean isAdmitted;
    private boolean isReady;
    private boolean isClosing;
    private ChunkRing up;
    private ChunkRing down;
    private int[] ranks = {};
    private int chunkBytes;
    private long called;
    private long answered;
    private long cursor;
    private Slot sent;
    private Slot received;
    private boolean isResultBegun;
    private long resultLeft;
    private long resultBytes;
    private long frameLeft;
    private int chunk;
    private int filled;

    Uplink(Port port, SelectionKey key, ClientHandshake handshake) {
        this.port = port;
        this.key = key;
        this.handshake = handshake;
        for (int i = 0; i < pending.length; i++) {
            pending[i] = new Call();
        }
    }

    Port port() {
        return port;
    }

    /** A participant is behind this switch. */
    void join(Join join) {
        words.add(join.encode());
    }

    /** Says why the group ends, behind what has gone up whole. */
    void sayLast(ByteBuffer frame) {
        isClosing = true;
        words.add(frame);
    }

    /** The group is complete. */
    void begin(ChunkRing upwards, ChunkRing downwards, int[] behind, int bytesOfChunk) {
        up = upwards;
        down = downwards;
        ranks = behind;
        chunkBytes = bytesOfChunk;
    }

    /** Whether no call can begin before a result has come. */
    boolean isFull() {
        return called - answered == MAX_PENDING;
    }

    /** Whether results are to come. */
    boolean isPending() {
        return called > answered;
    }

    /** A call begins. */
    void expect(Call call) {
        pending[(int) (called++ % MAX_PENDING)].set(call);
    }

    private Call first() {
        return pending[(int) (answered % MAX_PENDING)];
    }

    /** Goes on connecting; returns whether the parent has let this switch in. */
    boolean isAdmitted() throws IOException {
        if (!isConnected) {
            isConnected = port.channel().finishConnect();
            key.interestOps(isConnected ? handshake.interestOps() : SelectionKey.OP_CONNECT);
        }
        if (isConnected && !isAdmitted) {
            isAdmitted = handshake.advance(port.channel());
            key.interestOps(isAdmitted ? SelectionKey.OP_READ : handshake.interestOps());
        }
        return isAdmitted;
    }

    /** Whether the parent has let this switch in. */
    boolean isUp() {
        return isAdmitted;
    }

    /** Whether the parent has just said that all participants are there. */
    boolean isReadyNow() throws IOException {
        if (isReady || !port.mayRead() || !isFrameRead()) {
            return false;
        }
        if (in.frame().get(0) != WireDescriptor.READY) {
            throw WireDescriptor.malformed("a result before the group was complete");
        }
        in.clear();
        isReady = true;
        return true;
    }

    private boolean isFrameRead() throws IOException {
        if (!in.read(port.channel(), WireDescriptor::bytesFromSwitch)) {
            port.awaitRead();
            return false;
        }
        if (in.frame().get(0) == WireDescriptor.ABORT) {
            final Abort abort = Abort.decode(in.frame());
            throw new ProxyException(abort.result(), abort.text());
        }
        return true;
    }

    /** Writes what the socket takes; returns whether anything went up. */
    boolean send() throws IOException {
        boolean isMoving = false;
        while (port.mayWrite()) {
            if (sent != null) {
                isMoving |= sendSlot();
            } else if (!words.isEmpty()) {
                isMoving |= port.write(words.peek());
                if (!words.peek().hasRemaining()) {
                    words.remove();
                }
            } else if (!isClosing && up != null && cursor < up.head()) {
                sent = up.at(cursor);
                sent.callFrame();
            } else {
                return isMoving;
            }
        }
        return isMoving;
    }

    /** Whether all has gone up, with the reason why the group ends. */
    boolean isOver() {
        return isClosing && sent == null && words.isEmpty();
    }

    private boolean sendSlot() throws IOException {
        final boolean isMoving = port.writeSlot(sent.frame());
        if (!sent.frame().hasRemaining()) {
            sent = null;
            cursor++;
            up.release(cursor);
        }
        return isMoving;
    }

    /** Reads results into the ring down, as far as they have come and it has room; returns whether anything moved. */
    boolean receive() throws IOException {
        boolean isMoving = false;
        int frames = 0;
        while (port.mayRead() || isResultBegun && resultLeft == 0) {
            if (frameLeft == 0 && (frames++ == FRAMES_PER_CALL || !isFrameBegun())) {
                return isMoving;
            }
            if (received == null && !isSlotTaken()) {
                port.ignoreReads();
                return isMoving;
            }
            isMoving = true;
            if (!isSlotFull()) {
                return true;
            }
        }
        return isMoving;
    }

    private boolean isFrameBegun() throws IOException {
        if (isResultBegun && resultLeft == 0) {
            return true;
        }
        if (!port.mayRead() || !isFrameRead()) {
            return false;
        }
        if (in.frame().get(0) != WireDescriptor.RESULT || !isPending()
                || ResultHeader.seq(in.frame()) != first().seq()) {
            throw WireDescriptor.malformed("something else than the result of call " + answered);
        }
        if (!isResultBegun) {
            isResultBegun = true;
            resultBytes = first().bytesDown(ranks);
            resultLeft = resultBytes;
        }
        frameLeft = ResultHeader.payloadBytes(in.frame());
        in.clear();
        if (frameLeft < 0 || frameLeft > resultLeft || frameLeft == 0 && resultLeft > 0) {
            throw WireDescriptor.malformed(frameLeft + " bytes where " + resultLeft + " are to come");
        }
        return true;
    }

    private boolean isSlotTaken() {
        received = down.free();
        if (received == null) {
            return false;
        }
        chunk = (int) Math.min(chunkBytes, resultLeft);
        filled = 0;
        return true;
    }

    private boolean isSlotFull() throws IOException {
        final int wanted = (int) Math.min(chunk - filled, frameLeft);
        if (wanted > 0) {
            final int n = port.read(received.buffer().clear().limit(filled + wanted).position(filled));
            filled += n;
            frameLeft -= n;
            resultLeft -= n;
        }
        if (filled < chunk) {
            return port.mayRead();
        }
        received.set(first(), resultBytes - resultLeft - chunk, chunk);
        down.publish();
        received = null;
        if (resultLeft == 0) {
            isResultBegun = false;
            answered++;
        }
        return true;
    }
}
