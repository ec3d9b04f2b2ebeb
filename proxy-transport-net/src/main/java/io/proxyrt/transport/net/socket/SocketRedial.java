/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The sender's repair: dials again, says hello with a number greater than before, and reads the receiver's answer. */
final class SocketRedial extends SocketRepair {
    private static final long FIRST_PAUSE_NS = 1_000_000;
    private static final long LONGEST_PAUSE_NS = 100_000_000;

    /** A packet that got lost is repeated after 1, 2, 4 s: rather begin anew than wait for the third. */
    private static final long ATTEMPT_NS = 2_000_000_000;

    private final SocketEngine engine;
    private final ByteBuffer answer = ByteBuffer.allocate(SocketAnswer.BYTES);
    private final SocketCursor last = new SocketCursor();
    private SocketDial dial;
    private boolean isGreeted;
    private int attempt;
    private long pauseNs = FIRST_PAUSE_NS;
    private long nextNs;
    private long attemptDeadlineNs;

    SocketRedial(int index, SocketSession session, SocketCommFactory factory) {
        super(index, session, factory.settings());
        this.engine = factory.engine();
    }

    /** The receiver's last complete message, as it said when the socket came back. */
    long acknowledged() {
        return SocketAnswer.complete(answer);
    }

    @Override
    boolean restore(SocketWire wire, SocketCursor cursor, long complete) {
        long nowNs = System.nanoTime();
        try {
            if (dial == null && !begin(nowNs)) {
                return false;
            }
            if (isAnswered()) {
                restored(wire, cursor);
                return true;
            }
            if (nowNs - attemptDeadlineNs > 0) {
                retryLater(nowNs);
            }
        } catch (IOException | UnsupportedOperationException e) {
            retryLater(nowNs);
        }
        return false;
    }

    @Override
    void letGo() {
        if (dial != null) {
            dial.close();
            dial = null;
        }
    }

    private boolean begin(long nowNs) throws IOException {
        if (attempt > 0 && nowNs - nextNs < 0) {
            return false;
        }
        attempt++;
        SocketHello hello = new SocketHello(settings.rank(), session.id(), index, session.terms(), attempt);
        isGreeted = false;
        answer.clear();
        attemptDeadlineNs = nowNs + Math.min(ATTEMPT_NS, settings.setUp().handshakeTimeoutNs());
        nextNs = nowNs;
        dial = new SocketDial(settings, session.resumeAddress(), hello.encode(session.token()));
        return true;
    }

    private boolean isAnswered() throws IOException {
        if (!isGreeted) {
            isGreeted = dial.advance();
        }
        SocketChannel channel = dial.channel();
        if (isGreeted && channel.read(answer) < 0) {
            throw new EOFException("no answer");
        }
        if (answer.hasRemaining()) {
            return false;
        }
        if (!SocketAnswer.isSound(answer, session, index, attempt)) {
            throw new IOException("another process answered");
        }
        return true;
    }

    private void restored(SocketWire wire, SocketCursor cursor) {
        wire.replace(engine.unpaced(dial.take()));
        dial = null;
        pauseNs = FIRST_PAUSE_NS;
        long at = SocketAnswer.at(answer);
        long moved = SocketAnswer.moved(answer);
        if (last.isBefore(at, moved)) {
            renewBudget();
        }
        last.set(at, moved);
        cursor.set(at, moved);
    }

    private void retryLater(long nowNs) {
        letGo();
        nextNs = nowNs + pauseNs;
        pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
    }
}
