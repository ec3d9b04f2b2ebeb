/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.auth.Transcript;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.platform.UnixSockets;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A process that connects and sends whatever it likes. */
final class RawPeer implements AutoCloseable {
    private final String address;
    private final UnixSockets.Socket socket;
    private final Runnable driver;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final List<OwnedFd> fds = new ArrayList<>();
    private boolean isAtEnd;

    RawPeer(String address, Runnable driver) {
        this.address = address;
        this.driver = driver;
        UnixSockets.Socket connected = Rig.PLATFORM.unixSockets().connect(address);
        while (connected == null) {
            driver.run();
            connected = Rig.PLATFORM.unixSockets().connect(address);
        }
        this.socket = connected;
    }

    static ByteBuffer hello(int rank) {
        ByteBuffer data = ByteBuffer.allocate(40).putLong(0, 7_000 + rank);
        return UdsFrame.of(UdsFrameDescriptor.HELLO, rank, 1, 0, data).bytes();
    }

    /** As far as there is room, or until the peer is gone. */
    void send(ByteBuffer bytes, OwnedFd... attached) {
        List<OwnedFd> unsent = List.of(attached);
        while (bytes.hasRemaining()) {
            int sent = socket.send(bytes, unsent);
            if (sent == UnixSockets.END) {
                isAtEnd = true;
            }
            if (sent <= 0) {
                return;
            }
            unsent = List.of();
        }
    }

    /** Takes what has come. */
    boolean isAtEnd() {
        ByteBuffer bytes = ByteBuffer.allocate(512);
        int count = socket.receive(bytes, fds::add);
        while (count > 0) {
            received.write(bytes.array(), 0, count);
            bytes.clear();
            count = socket.receive(bytes, fds::add);
        }
        isAtEnd |= count == UnixSockets.END;
        return isAtEnd;
    }

    int count() {
        isAtEnd();
        return received.size();
    }

    List<OwnedFd> fds() {
        return fds;
    }

    /** The first frame that came, which is taken off. */
    ByteBuffer frame() {
        for (int i = 0; count() < UdsFrameDescriptor.FRAME_BYTES; i++) {
            assertTrue(i < 10_000_000 && !isAtEnd, "no frame");
            driver.run();
        }
        byte[] all = received.toByteArray();
        received.reset();
        received.write(all, UdsFrameDescriptor.FRAME_BYTES, all.length - UdsFrameDescriptor.FRAME_BYTES);
        return ByteBuffer.wrap(all, 0, UdsFrameDescriptor.FRAME_BYTES).slice();
    }

    /** The text behind the frame that was taken last. */
    String text() {
        isAtEnd();
        return received.toString(StandardCharsets.UTF_8);
    }

    /** Plays the client's part; returns its proof frame. */
    ByteBuffer shakeHands(int rank, JobSecret secret) {
        Transcript transcript = new Transcript(secret).add(address);
        ByteBuffer hello = hello(rank);
        transcript.add(hello);
        send(hello);
        transcript.add(frame());
        ByteBuffer proof = proof(rank, transcript);
        send(proof.duplicate());
        assertEquals(UdsFrameDescriptor.WELCOME, UdsFrame.read(frame()).type());
        return proof;
    }

    /** The proof frame behind a hello and a challenge. */
    static ByteBuffer proof(int rank, Transcript transcript) {
        return UdsFrame.of(UdsFrameDescriptor.PROOF, rank, 2, 0,
                ByteBuffer.wrap(transcript.proof(UdsFrameDescriptor.CLIENT))).bytes();
    }

    @Override
    public void close() {
        fds.forEach(OwnedFd::close);
        socket.close();
    }
}
