/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Frames of a control connection that carries messages in place of queue pairs. A frame of data is followed by the
 * bytes of its messages. Never blocks; the thread that uses the comm.
 *
 * <pre>
 *   0      8        12
 *  +------+--------+----------+- - - - - - - -+
 *  | code | length | contents | messages      |
 *  +------+--------+----------+- - - - - - - -+
 * </pre>
 *
 * <p>A farewell has eight bytes alone, and is no frame: see {@link PeerWatch.Peer#leave}.
 */
final class FailoverWire {
    /** Both ends: this one's queue pairs are over. Of the receiver, with what it has. */
    static final long TURN = -11;
    /** Receiver: an irecv, in place of its elements. */
    static final long CLEAR_TO_SEND = -12;
    /** Sender: the messages of an irecv. */
    static final long DATA = -13;
    /** Receiver: it has the messages of an irecv. */
    static final long DELIVERED = -21;
    /** Sender: their sizes alone, for one does not fit. */
    static final long TOO_LONG = -14;
    /** Receiver: it has ports that are up. */
    static final long INVITE = -15;
    /** Sender: its end of new queue pairs. */
    static final long OFFER = -16;
    /** Receiver: its end of them. */
    static final long ANSWER = -17;
    /** Both ends: they came to nothing. */
    static final long DECLINE = -18;
    /** Sender: what follows goes by them. */
    static final long SWITCH = -19;
    /** Receiver: the last frame that is not. */
    static final long SWITCHED = -20;

    /** Bytes of a code, or of a farewell. */
    static final int CODE_BYTES = 8;
    static final int HEADER_BYTES = 12;
    private static final int MAX_CONTENTS = 4096;
    /** Bytes that one call moves, about: others wait for their turn. */
    private static final long TURN_BYTES = 1 << 20;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final SocketChannel channel;
    /** Has what was read of the next frame already. */
    private final ByteBuffer header;
    private final Deque<Piece> in = new ArrayDeque<>();
    private final Deque<Piece> out = new ArrayDeque<>();
    private ByteBuffer contents = NONE;
    private long code;

    /** Bytes that go, or come, one after the other. Null memory: they are no message's. */
    private record Piece(ByteBuffer bytes, IbMemory memory, Runnable done) {
        private boolean isUsable() {
            return memory == null || memory.isUsable();
        }

        private void end() {
            if (done != null) {
                done.run();
            }
        }
    }

    /** What becomes of what is read. */
    interface Reader {
        /** A frame; messages of one with data are still to come. */
        void frame(long code, ByteBuffer contents);

        /** The peer's last words. */
        void farewell(long sent);

        /** Whether it wants more. */
        boolean isReading();
    }

    FailoverWire(SocketChannel channel, ByteBuffer header) {
        this.channel = channel;
        this.header = header;
    }

    /** Whether all that was to be sent is with the system. */
    boolean isWritten() {
        return out.isEmpty();
    }

    void add(long code, ByteBuffer contents) {
        out.add(new Piece(ByteBuffer.allocate(HEADER_BYTES + contents.remaining()).putLong(code)
                .putInt(contents.remaining()).put(contents).flip(), null, null));
    }

    void add(long code) {
        add(code, NONE);
    }

    void add(long code, long number) {
        add(code, ByteBuffer.allocate(Long.BYTES).putLong(number).flip());
    }

    /** Sends a message, of the frame before. */
    void addMessage(IbMemory memory, long offset, long bytes) {
        out.add(new Piece(view(memory, offset, bytes), memory, null));
    }

    /** Reads a message next; what is to be done then is null unless it is the last of its frame. */
    void expect(IbMemory memory, long offset, long bytes, Runnable done) {
        in.add(new Piece(view(memory, offset, bytes), memory, done));
    }

    private static ByteBuffer view(IbMemory memory, long offset, long bytes) {
        return bytes == 0 ? NONE : memory.segment().asSlice(offset, bytes).asByteBuffer();
    }

    /** Writes what the system takes. Returns whether it took any. */
    boolean write() throws IOException {
        long moved = 0;
        while (!out.isEmpty() && moved < TURN_BYTES) {
            Piece next = usable(out.peek());
            int written = channel.write(next.bytes());
            moved += written;
            if (next.bytes().hasRemaining()) {
                break;
            }
            out.remove();
        }
        return moved > 0;
    }

    /** Reads what is there. Returns whether there was any. */
    boolean read(Reader reader) throws IOException {
        long moved = 0;
        while (reader.isReading() && moved < TURN_BYTES) {
            ByteBuffer next = in.isEmpty() ? frame() : usable(in.peek()).bytes();
            int read = next.hasRemaining() ? channel.read(next) : 0;
            if (read < 0) {
                throw new EOFException();
            }
            moved += read;
            if (next.hasRemaining()) {
                break;
            }
            advance(reader);
        }
        return moved > 0;
    }

    private ByteBuffer frame() {
        return header.hasRemaining() ? header : contents;
    }

    private static Piece usable(Piece piece) throws IOException {
        if (!piece.isUsable()) {
            throw new IOException("memory was deregistered or freed under a message");
        }
        return piece;
    }

    private void advance(Reader reader) throws IOException {
        if (!in.isEmpty()) {
            in.remove().end();
        } else if (header.limit() == CODE_BYTES) {
            code = header.getLong(0);
            if (code > TURN) {
                reader.farewell(code);
            } else {
                header.limit(HEADER_BYTES);
            }
        } else if (contents == NONE) {
            begin(reader);
        } else {
            end(reader);
        }
    }

    private void begin(Reader reader) throws IOException {
        int length = header.getInt(CODE_BYTES);
        if (length < 0 || length > MAX_CONTENTS) {
            throw new IOException("a frame " + code + " of " + length + " bytes came");
        }
        contents = ByteBuffer.allocate(length);
        if (length == 0) {
            end(reader);
        }
    }

    private void end(Reader reader) {
        ByteBuffer whole = contents.flip();
        contents = NONE;
        header.clear().limit(CODE_BYTES);
        reader.frame(code, whole);
    }
}
