/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailoverWireTest {
    private final SocketChannel here;
    private final SocketChannel there;
    private final FailoverWire wire;
    private final Heard heard = new Heard();

    FailoverWireTest() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            here = SocketChannel.open(server.getLocalAddress());
            there = server.accept();
        }
        here.configureBlocking(false);
        wire = new FailoverWire(here, ByteBuffer.allocate(FailoverWire.HEADER_BYTES).limit(FailoverWire.CODE_BYTES));
    }

    @AfterEach
    void close() throws IOException {
        here.close();
        there.close();
    }

    /** What was read; it wants no more after so many. */
    private static final class Heard implements FailoverWire.Reader {
        final List<String> said = new ArrayList<>();
        int most = Integer.MAX_VALUE;

        @Override
        public void frame(long code, ByteBuffer contents) {
            byte[] bytes = new byte[contents.remaining()];
            contents.get(bytes);
            said.add(code + ":" + bytes.length + (bytes.length == 0 ? "" : ":" + bytes[bytes.length - 1]));
        }

        @Override
        public void farewell(long sent) {
            said.add("farewell " + sent);
            most = said.size();
        }

        @Override
        public boolean isReading() {
            return said.size() < most;
        }
    }

    private static ByteBuffer frame(long code, int length, int contents) {
        ByteBuffer frame = ByteBuffer.allocate(FailoverWire.HEADER_BYTES + contents).putLong(code).putInt(length);
        while (frame.hasRemaining()) {
            frame.put((byte) frame.position());
        }
        return frame.flip();
    }

    private void hear(int count) throws IOException {
        while (heard.said.size() < count) {
            wire.read(heard);
        }
    }

    @Test
    void shouldReadFramesThatComeByteByByte() throws IOException {
        for (ByteBuffer frame : List.of(frame(FailoverWire.SWITCHED, 0, 0), frame(FailoverWire.DATA, 9, 9))) {
            while (frame.hasRemaining()) {
                there.write(frame.slice(frame.position(), 1));
                frame.get();
                wire.read(heard);
            }
        }
        hear(2);
        assertEquals(List.of("-20:0", "-13:9:20"), heard.said);
    }

    @Test
    void shouldReadSeveralFramesAtOnceAndAFarewellBehindThem() throws IOException {
        there.write(frame(FailoverWire.SWITCH, 8, 8));
        there.write(frame(FailoverWire.DECLINE, 0, 0));
        there.write(ByteBuffer.allocate(Long.BYTES).putLong(42).flip());
        hear(3);
        assertEquals(List.of("-19:8:19", "-18:0", "farewell 42"), heard.said);
    }

    @Test
    void shouldTellAPeerThatFailedFromOneThatHasMoreToSay() throws IOException {
        there.write(ByteBuffer.allocate(Long.BYTES).putLong(PeerWatch.Peer.FAILED).flip());
        hear(1);
        assertEquals(List.of("farewell " + PeerWatch.Peer.FAILED), heard.said);
    }

    @Test
    void shouldLeaveWhatTheReaderDoesNotWant() throws IOException {
        there.write(frame(FailoverWire.SWITCH, 0, 0));
        there.write(frame(FailoverWire.TURN, 0, 0));
        heard.most = 1;
        hear(1);
        assertFalse(wire.read(heard));
        ByteBuffer rest = ByteBuffer.allocate(FailoverWire.HEADER_BYTES);
        while (rest.hasRemaining()) {
            here.read(rest);
        }
        assertEquals(FailoverWire.TURN, rest.getLong(0));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4097, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void shouldRefuseALengthThatCannotBeMeant(int length) throws IOException {
        there.write(frame(FailoverWire.OFFER, length, 0));
        assertTrue(assertThrows(IOException.class, () -> hear(1)).getMessage().contains(length + " bytes"));
    }

    @Test
    void shouldNoticeThatTheSocketEndsWithinAFrame() throws IOException {
        there.write(frame(FailoverWire.DATA, 20, 19));
        there.close();
        assertThrows(EOFException.class, () -> hear(1));
        assertEquals(List.of(), heard.said);
    }

    @Test
    void shouldWriteWhatItReads() throws IOException {
        FailoverWire other = new FailoverWire(there, ByteBuffer.allocate(FailoverWire.HEADER_BYTES));
        assertTrue(other.isWritten());
        other.add(FailoverWire.DELIVERED, 77);
        other.add(FailoverWire.SWITCHED);
        assertFalse(other.isWritten());
        while (!other.isWritten()) {
            other.write();
        }
        hear(2);
        assertEquals(List.of("-21:8:77", "-20:0"), heard.said);
    }
}
