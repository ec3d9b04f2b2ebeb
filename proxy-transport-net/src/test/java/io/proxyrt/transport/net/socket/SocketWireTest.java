/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.platform.StreamSocket;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A real socket takes a part of few bytes too seldom to wait for it. */
class SocketWireTest {
    private static final int STAGED = 10;
    private static final int BODY = 20;

    private final MemorySegment staged = Arena.ofAuto().allocate(STAGED);
    private final MemorySegment body = Arena.ofAuto().allocate(BODY);
    private final ByteBuffer buffer = staged.asByteBuffer();
    private final Taker taker = new Taker();
    private final SocketWire wire;

    SocketWireTest() throws IOException {
        wire = new SocketWire(SocketChannel.open(), taker);
    }

    @AfterEach
    void close() throws IOException {
        wire.close();
    }

    @Test
    void shouldKeepWhatWasNotTakenOfWhatIsStaged() throws IOException {
        taker.room = 4;
        assertEquals(4, wire.writeStaged(buffer, staged));
        assertEquals(4, buffer.position());
        taker.room = 100;
        assertEquals(STAGED - 4, wire.writeStaged(buffer, staged));
        assertEquals(STAGED, buffer.position());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "9, 9", "10, 10", "11, 10", "30, 10"})
    void shouldKeepWhatWasNotTakenOfBoth(int room, int position) throws IOException {
        taker.room = room;
        assertEquals(room, wire.writeGathered(buffer, staged, body, 0, BODY));
        assertEquals(position, buffer.position());
    }

    /** Has so much room at each call. */
    private static final class Taker implements StreamSocket {
        private int room;

        @Override
        public int peek(MemorySegment memory, long offset, int bytes) {
            return 0;
        }

        @Override
        public int discard(int bytes) {
            return 0;
        }

        @Override
        public int send(MemorySegment memory, long offset, int bytes) {
            return Math.min(room, bytes);
        }

        @Override
        public int send(MemorySegment head, long headOffset, int headBytes, MemorySegment body, long bodyOffset,
                int bodyBytes) {
            return Math.min(room, headBytes + bodyBytes);
        }

        @Override
        public boolean congestionControl(String name) {
            return false;
        }

        @Override
        public void close() {
        }
    }
}
