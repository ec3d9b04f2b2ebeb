/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.UnixSockets;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Who calls a UDS thread and says and sends whatever it likes. Every wait ends in time. */
final class RawUdsCaller implements AutoCloseable {
    static final Platform PLATFORM = Platform.find();
    static final short GET_FD = 9;
    static final short QUERY_FD = 10;
    static final int FRAME_BYTES = 160;
    private static final int MAGIC = 0x50785564;
    private static final short VERSION = 1;
    private static final short HELLO = 32;
    private static final short PROOF = 34;
    private static final short WELCOME = 35;
    private static final int PROOF_BYTES = 32;
    private static final long POLL_NS = 20_000;

    private final String address;
    private final UnixSockets.Socket socket;
    private final List<OwnedFd> received = new ArrayList<>();
    private final ByteBuffer bytes = ByteBuffer.allocate(1024);
    private boolean isAtEnd;

    RawUdsCaller(String address) {
        this.address = address;
        UnixSockets.Socket connected = PLATFORM.unixSockets().connect(address);
        for (long start = System.nanoTime(); connected == null; connected = PLATFORM.unixSockets().connect(address)) {
            pause(start, "the service accepts no connection");
        }
        socket = connected;
    }

    static byte[] hello(PeerId self) {
        return frame(HELLO, self.rank(), 1, 0, ByteBuffer.allocate(40).putLong(0, self.clientId()));
    }

    static byte[] frame(short type, int rank, long callId, int fds, ByteBuffer data) {
        return ByteBuffer.allocate(FRAME_BYTES).putInt(MAGIC).putShort(VERSION).putShort(type).putInt(rank).putInt(0)
                .putInt(data.remaining()).putShort((short) fds).putShort((short) 0).putLong(callId)
                .put(data.duplicate()).array();
    }

    static ByteBuffer longs(long... numbers) {
        ByteBuffer data = ByteBuffer.allocate(numbers.length * Long.BYTES);
        data.asLongBuffer().put(numbers);
        return data;
    }

    /**
     * What the service answered.
     *
     * @param type   of the frame
     * @param status a result's code
     * @param text   of an error
     */
    record Answer(short type, int status, String text) {
    }

    /** Says hello, and proves to know a secret; returns what the service says to that. */
    Answer shakeHands(PeerId self, JobSecret secret) {
        byte[] hello = hello(self);
        send(hello);
        byte[] challenge = awaitBytes(FRAME_BYTES);
        byte[] name = address.getBytes(StandardCharsets.UTF_8);
        ByteBuffer transcript = ByteBuffer.allocate(name.length + 2 * FRAME_BYTES).put(name).put(hello).put(challenge);
        send(frame(PROOF, self.rank(), 2, 0,
                ByteBuffer.wrap(secret.proof("proxyrt uds client 1", transcript.flip()), 0, PROOF_BYTES)));
        return answer();
    }

    /** With an open session. */
    static RawUdsCaller insider(String address, PeerId self) {
        RawUdsCaller caller = new RawUdsCaller(address);
        assertEquals(WELCOME, caller.shakeHands(self, Ranks.SECRET).type());
        return caller;
    }

    /** Until all is sent, or the service has closed: then it is false. */
    boolean send(byte[] frame, OwnedFd... attached) {
        ByteBuffer rest = ByteBuffer.wrap(frame);
        List<OwnedFd> unsent = List.of(attached);
        for (long start = System.nanoTime(); rest.hasRemaining() && !isAtEnd; ) {
            int sent = socket.send(rest, unsent);
            isAtEnd |= sent == UnixSockets.END;
            if (sent > 0) {
                unsent = List.of();
            } else if (sent == 0) {
                pause(start, "the service does not read");
            }
        }
        return !isAtEnd;
    }

    /** Waits for an answer. */
    Answer answer() {
        ByteBuffer frame = ByteBuffer.wrap(awaitBytes(FRAME_BYTES));
        String text = new String(awaitBytes(frame.getShort(22)), StandardCharsets.UTF_8);
        return new Answer(frame.getShort(6), frame.getInt(12), text);
    }

    /** Waits until the service closes. */
    void awaitEnd() {
        for (long start = System.nanoTime(); !isAtEnd; ) {
            bytes.clear();
            if (receive() == 0) {
                pause(start, "the service does not close");
            }
        }
    }

    /** Takes what has come, and drops it. */
    void drain() {
        do {
            bytes.clear();
        } while (!isAtEnd && receive() > 0);
    }

    @Override
    public void close() {
        received.forEach(OwnedFd::close);
        socket.close();
    }

    private byte[] awaitBytes(int count) {
        bytes.clear().limit(count);
        for (long start = System.nanoTime(); bytes.hasRemaining(); ) {
            assertTrue(!isAtEnd, "the service closed");
            if (receive() == 0) {
                pause(start, "the service does not answer");
            }
        }
        byte[] all = new byte[count];
        bytes.get(0, all);
        return all;
    }

    private int receive() {
        int count = socket.receive(bytes, received::add);
        isAtEnd |= count == UnixSockets.END;
        return count;
    }

    private static void pause(long startNs, String fault) {
        assertTrue(System.nanoTime() - startNs < Ranks.TIMEOUT.toNanos(), fault);
        LockSupport.parkNanos(POLL_NS);
    }
}
