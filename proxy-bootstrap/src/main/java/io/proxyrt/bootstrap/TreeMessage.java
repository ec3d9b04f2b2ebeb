/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.nio.ByteBuffer;

/** By which a large job's ranks come to pass answers on, and say what they got. */
sealed interface TreeMessage extends Message {
    /** So many ranks will dial this one, to which it passes answers on. */
    record Fan(int fan) implements TreeMessage {
        static final int TYPE = 21;

        static Fan read(MessageReader in) {
            return new Fan(in.readInt());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putInt(fan);
        }
    }

    /** There they are to dial; and from now on this rank passes answers on. */
    record Door(int port) implements TreeMessage {
        static final int TYPE = 22;

        static Door read(MessageReader in) {
            return new Door(in.readInt());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putInt(port);
        }
    }

    /** Where the rank is that passes answers on to this one. */
    record Above(int port, byte[] address) implements TreeMessage {
        static final int TYPE = 23;

        static Above read(MessageReader in) {
            return new Above(in.readInt(), in.readBlob());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putInt(port);
        }

        @Override
        public byte[] tail() {
            return address;
        }
    }

    /** All blobs of an all-gather have come. */
    record Got(long sequence) implements TreeMessage {
        static final int TYPE = 24;

        static Got read(MessageReader in) {
            return new Got(in.readLong());
        }

        @Override
        public int type() {
            return TYPE;
        }

        @Override
        public void putHead(ByteBuffer out) {
            out.putLong(sequence);
        }
    }
}
