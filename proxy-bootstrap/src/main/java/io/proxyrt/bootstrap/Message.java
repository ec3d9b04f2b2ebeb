/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.config.JobSecret;
import java.nio.ByteBuffer;

/**
 * One frame's content; {@link BootstrapDescriptor} says who sends which, and how it is laid out. Blobs are owned by
 * the holder of the message. A reader takes any value that has the right form; what it means is checked where it is
 * used.
 */
sealed interface Message permits Message.Hello, Message.Challenge, Message.Proof, Message.Welcome, Message.Accepted,
        Message.Refused, Message.Ready, Message.Heartbeat, Message.Part, Message.Gathered, Message.RoundDone,
        Message.RoundFailed, Message.Blob, Message.Failed, Message.Left, Message.Abort, Message.Busy,
        Message.Resumed, Message.Host, Message.Goodbye, TreeMessage {
    /** The type byte of the frame's header. */
    int type();

    /** Writes the fields of fixed length. */
    default void putHead(ByteBuffer out) {
    }

    /** The field of variable length, which comes last. */
    default byte[] tail() {
        return MessageCodec.NOTHING;
    }

    /** A rank presents itself. The deadline is what its caller gave; the time left is what remains of that. */
    record Hello(byte[] nonce, int rank, int nRanks, Origin origin, long deadlineMillis, long leftMillis,
            LinkTerms terms, Return back) implements Message {
        static final int TYPE = 1;

        static Hello read(MessageReader in) {
            if (in.readLong() != BootstrapDescriptor.PROTOCOL_MAGIC) {
                throw MessageReader.malformed("its hello is not one of proxyrt");
            }
            return new Hello(in.readBytes(Transcript.NONCE_BYTES), in.readInt(), in.readInt(), Origin.read(in),
                    in.readMillis(), in.readMillis(), LinkTerms.read(in), Return.read(in));
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putLong(BootstrapDescriptor.PROTOCOL_MAGIC).put(nonce).putInt(rank).putInt(nRanks);
            origin.put(out);
            out.putLong(deadlineMillis).putLong(leftMillis);
            terms.put(out);
            back.put(out);
        }

        long pid() {
            return origin.pid();
        }
    }

    /** The root asks for a proof. */
    record Challenge(byte[] nonce) implements Message {
        static final int TYPE = 15;

        static Challenge read(MessageReader in) {
            return new Challenge(in.readBytes(Transcript.NONCE_BYTES));
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.put(nonce);
        }
    }

    /** The rank knows the id, and the secret if there is one. */
    record Proof(byte[] proof) implements Message {
        static final int TYPE = 16;

        static Proof read(MessageReader in) {
            return new Proof(in.readBytes(JobSecret.PROOF_BYTES));
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.put(proof);
        }
    }

    /** So does the root; the job's secret follows from the salt. */
    record Welcome(byte[] salt, byte[] proof) implements Message {
        static final int TYPE = 17;

        static Welcome read(MessageReader in) {
            return new Welcome(in.readBytes(Transcript.NONCE_BYTES), in.readBytes(JobSecret.PROOF_BYTES));
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.put(salt).put(proof);
        }
    }

    /** The root takes the rank, and says by which limits both go. */
    record Accepted(int heartbeatMillis, int maxFrameBytes, int maxQueuedBytes, LinkTerms terms, long session,
            Origin origin) implements Message {
        static final int TYPE = 2;

        static Accepted read(MessageReader in) {
            return new Accepted(in.readInt(), in.readInt(), in.readInt(), LinkTerms.read(in), in.readLong(),
                    Origin.read(in));
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putInt(heartbeatMillis).putInt(maxFrameBytes).putInt(maxQueuedBytes);
            terms.put(out);
            out.putLong(session);
            origin.put(out);
        }
    }

    /** The root does not take the rank. */
    record Refused(ProxyResult result, String text) implements Message {
        static final int TYPE = 3;

        static Refused read(MessageReader in) {
            return new Refused(in.readError(), in.readText());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putInt(result.code());
        }

        @Override
        public byte[] tail() {
            return MessageCodec.utf8(text);
        }
    }

    /** All ranks have joined. */
    record Ready() implements Message {
        static final int TYPE = 4;

        @Override
        public int type() {
            return TYPE;
        }
    }

    /** A sign of life, which says how many numbered frames have come. */
    record Heartbeat(long received) implements Message {
        static final int TYPE = 5;

        static Heartbeat read(MessageReader in) {
            return new Heartbeat(in.readLong());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putLong(received);
        }
    }

    /** A rank's part in a round. */
    record Part(RoundKind kind, long sequence, long timeoutMillis, byte[] blob) implements Message {
        static final int TYPE = 6;

        static Part read(MessageReader in) {
            return new Part(in.readKind(), in.readLong(), in.readMillis(), in.readBlob());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.put((byte) kind.code()).putLong(sequence).putLong(timeoutMillis);
        }

        @Override
        public byte[] tail() {
            return blob;
        }
    }

    /** Blobs of a complete all-gather, each behind its length: of a rank and of those that follow it. */
    record Gathered(long sequence, int first, int count, ByteBuffer blobs) implements Message {
        static final int TYPE = 7;

        static Gathered read(MessageReader in) {
            final long sequence = in.readLong();
            final int first = in.readInt();
            final ByteBuffer blobs = in.rest();
            return new Gathered(sequence, first, in.countSizedBlobs(), blobs);
        }

        /** Copies them to where they belong. */
        void copyTo(byte[]... all) {
            final MessageReader in = new MessageReader(blobs.duplicate());
            for (int i = first; i < first + count; i++) {
                all[i] = in.readSizedBlob();
            }
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putLong(sequence).putInt(first);
        }

        @Override
        public byte[] tail() {
            final byte[] bytes = new byte[blobs.remaining()];
            blobs.get(blobs.position(), bytes);
            return bytes;
        }
    }

    /** A round is complete. */
    record RoundDone(RoundKind kind, long sequence) implements Message {
        static final int TYPE = 8;

        static RoundDone read(MessageReader in) {
            return new RoundDone(in.readKind(), in.readLong());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.put((byte) kind.code()).putLong(sequence);
        }
    }

    /** A round will not be complete. */
    record RoundFailed(RoundKind kind, long sequence, ProxyResult result, String text) implements Message {
        static final int TYPE = 9;

        static RoundFailed read(MessageReader in) {
            return new RoundFailed(in.readKind(), in.readLong(), in.readError(), in.readText());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.put((byte) kind.code()).putLong(sequence).putInt(result.code());
        }

        @Override
        public byte[] tail() {
            return MessageCodec.utf8(text);
        }
    }

    /** From one rank to another; the peer is the destination on the way to the root, the source on the way from it. */
    record Blob(int peer, int tag, byte[] blob) implements Message {
        static final int TYPE = 10;

        static Blob read(MessageReader in) {
            return new Blob(in.readInt(), in.readInt(), in.readBlob());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putInt(peer).putInt(tag);
        }

        @Override
        public byte[] tail() {
            return blob;
        }
    }

    /** The job has failed. */
    record Failed(int rank, ProxyResult result, String text) implements Message {
        static final int TYPE = 11;

        static Failed read(MessageReader in) {
            return new Failed(in.readInt(), in.readError(), in.readText());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putInt(rank).putInt(result.code());
        }

        @Override
        public byte[] tail() {
            return MessageCodec.utf8(text);
        }
    }

    /** A rank has said goodbye. */
    record Left(int first, int count) implements Message {
        static final int TYPE = 12;

        static Left read(MessageReader in) {
            return new Left(in.readInt(), in.readInt());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putInt(first).putInt(count);
        }
    }

    /** A rank declares itself failed. */
    record Abort(String text) implements Message {
        static final int TYPE = 13;

        static Abort read(MessageReader in) {
            return new Abort(in.readText());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public byte[] tail() {
            return MessageCodec.utf8(text);
        }
    }

    /** The root drops a connection that has not authenticated; a rank is to connect again. */
    record Busy(String text) implements Message {
        static final int TYPE = 18;

        static Busy read(MessageReader in) {
            return new Busy(in.readText());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public byte[] tail() {
            return MessageCodec.utf8(text);
        }
    }

    /** The root goes on with a rank that came back, behind {@code received} numbered frames of the rank's. */
    record Resumed(long received) implements Message {
        static final int TYPE = 19;

        static Resumed read(MessageReader in) {
            return new Resumed(in.readLong());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putLong(received);
        }
    }

    /** The root lives in the process of this rank. */
    record Host(int rank, long pid) implements Message {
        static final int TYPE = 20;

        static Host read(MessageReader in) {
            return new Host(in.readInt(), in.readLong());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putInt(rank).putLong(pid);
        }
    }

    /** A rank leaves in peace. */
    record Goodbye() implements Message {
        static final int TYPE = 14;

        @Override
        public int type() {
            return TYPE;
        }
    }
}
