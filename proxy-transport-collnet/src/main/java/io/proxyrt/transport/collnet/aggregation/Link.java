/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.transport.collnet.wire.Abort;
import io.proxyrt.transport.collnet.wire.CallHeader;
import io.proxyrt.transport.collnet.wire.FrameReader;
import io.proxyrt.transport.collnet.wire.FrameShape;
import io.proxyrt.transport.collnet.wire.Hello;
import io.proxyrt.transport.collnet.wire.Join;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.stream.Collectors;

/**
 * A connection of a group: a participant's, or a child switch's with several of them behind it. Confined to the group's
 * thread.
 */
final class Link {
    /** Of frames that one read begins: small ones cost other groups of the thread no more than a chunk does. */
    static final int FRAMES_PER_READ = 16;
    /** Once the group is complete, only an abort may be shorter than a call's header, and nothing follows it. */
    private static final FrameShape CALL_SHAPE = received -> received.position() == 0 ? CallHeader.BYTES
            : WireDescriptor.bytesToSwitch(received);

    private final Port port;
    private final Hello hello;
    private final String from;
    private final FrameReader in = new FrameReader();
    private final ByteBuffer said = ByteBuffer.allocate(CallHeader.BYTES);
    private final Call call = new Call();
    private final LinkOutput out;
    private final BitSet joined = new BitSet();
    private int[] ranks = {};
    private boolean hasCall;
    private long nextSeq;
    private long frameLeft;
    private long callLeft;

    /** Of a peer that has proven itself, at an address. */
    Link(Port port, Hello hello, String from) {
        this.port = port;
        this.hello = hello;
        this.from = from;
        this.out = new LinkOutput(this, port);
        if (!hello.isSwitch()) {
            joined.set(hello.rank());
        }
    }

    Port port() {
        return port;
    }

    LinkOutput out() {
        return out;
    }

    Hello hello() {
        return hello;
    }

    /** Another participant is behind it. */
    void join(int rank) {
        joined.set(rank);
    }

    boolean has(int rank) {
        return joined.get(rank);
    }

    /** No others will be. */
    void seal() {
        ranks = joined.stream().toArray();
    }

    /** Behind it, ascending; none before it is sealed. */
    int[] ranks() {
        return ranks;
    }

    /** The next participant that a child switch announces; null if none has come. */
    Join nextJoin() throws IOException {
        if (!in.read(port.channel(), WireDescriptor::bytesToSwitch)) {
            port.awaitRead();
            return null;
        }
        final ByteBuffer frame = in.frame();
        requireNoAbort(frame);
        if (frame.get(0) != WireDescriptor.JOIN || !hello.isSwitch()) {
            throw WireDescriptor.malformed("a frame of type " + frame.get(0) + " before the group was complete");
        }
        final Join join = Join.decode(frame, hello.nRanks());
        in.clear();
        return join;
    }

    private static void requireNoAbort(ByteBuffer frame) {
        if (frame.get(0) == WireDescriptor.ABORT) {
            final Abort abort = Abort.decode(frame);
            throw new ProxyException(abort.result(), "it aborts: " + abort.text());
        }
    }

    /** Whether its next call is known, and not begun. */
    boolean hasCall() {
        return hasCall;
    }

    /** Its call's header. */
    ByteBuffer said() {
        return said;
    }

    /** Whether a new call's header may come now. */
    boolean isAwaited() {
        return !hasCall && callLeft == 0;
    }

    /** Reads the next call's header, as far as it has come; returns whether it is there. */
    boolean lookAhead() throws IOException {
        if (!isHeaderRead()) {
            return false;
        }
        CallHeader.check(in.frame(), hello.nRanks());
        if (CallHeader.seq(in.frame()) != nextSeq) {
            throw WireDescriptor.malformed("call " + CallHeader.seq(in.frame()) + " instead of " + nextSeq);
        }
        said.put(0, in.frame(), 0, CallHeader.BYTES);
        call.set(said);
        callLeft = call.bytesUp(ranks);
        beginFrame();
        hasCall = true;
        nextSeq++;
        return true;
    }

    /** Its call begins. */
    Call take() {
        assert hasCall : this;
        hasCall = false;
        return call;
    }

    private boolean isHeaderRead() throws IOException {
        if (!in.read(port.channel(), CALL_SHAPE)) {
            port.awaitRead();
            return false;
        }
        requireNoAbort(in.frame());
        if (in.frame().get(0) != WireDescriptor.CALL) {
            throw WireDescriptor.malformed("a frame of type " + in.frame().get(0) + " after the group was complete");
        }
        return true;
    }

    private void beginFrame() {
        frameLeft = CallHeader.payloadBytes(in.frame());
        in.clear();
        if (frameLeft < 0 || frameLeft > callLeft || frameLeft == 0 && callLeft > 0) {
            throw WireDescriptor.malformed(frameLeft + " bytes where " + callLeft + " are to come");
        }
    }

    private boolean isNextFrameBegun() throws IOException {
        if (!isHeaderRead()) {
            return false;
        }
        if (!CallHeader.isSame(said, in.frame())) {
            throw WireDescriptor.malformed("another call where " + callLeft + " bytes of one are to come");
        }
        beginFrame();
        return true;
    }

    /** Reads payload of the begun call until the buffer is full, of a few frames; returns how much has come. */
    int read(ByteBuffer to) throws IOException {
        final int from = to.position();
        final int limit = to.limit();
        int frames = 0;
        while (to.position() < limit && port.mayRead()
                && (frameLeft > 0 || frames++ < FRAMES_PER_READ && isNextFrameBegun())) {
            final int n = port.read(to.limit((int) Math.min(limit, to.position() + frameLeft)));
            frameLeft -= n;
            callLeft -= n;
        }
        to.limit(limit);
        return to.position() - from;
    }

    /**
     * Such as {@code participant 1, rank 3 (pid 77 at host) from 10.0.0.9:40044}, or {@code switch 10.0.0.1:4791
     * (participants 2, 3) from 10.0.0.1:40044}.
     */
    @Override
    public String toString() {
        return hello.peer() + (hello.isSwitch() ? joined.stream().mapToObj(String::valueOf)
                .collect(Collectors.joining(", ", " (participants ", ")")) : "") + " from " + from;
    }
}
