/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.auth.Transcript;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.platform.UnixSockets;
import io.proxyrt.core.service.UdsClient;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The listener is hostile: the client closes what it gets, once, and says what was wrong. */
class HostileServiceTest {
    private static final String ADDRESS = "@proxyrt-hostile-" + ProcessHandle.current().pid();

    private static final short ANSWER = (short) (UdsFrameDescriptor.GET_FD | UdsFrameDescriptor.ANSWER);

    private final Rig rig = new Rig(SocketsKind.NATIVE);
    private UdsService caller;
    private UnixSockets.Listener listener;
    private UnixSockets.Socket accepted;
    private Transcript transcript = new Transcript(JobSecret.of(Rig.SECRET)).add(ADDRESS);
    private int frames;

    @BeforeEach
    void listen() {
        caller = rig.open(0, new FakeHandler());
        listener = Rig.PLATFORM.unixSockets().listen(ADDRESS, 4);
    }

    @AfterEach
    void close() {
        if (accepted != null) {
            accepted.close();
        }
        listener.close();
        rig.close();
    }

    @Test
    void shouldNotTrustAServiceThatDoesNotKnowTheSecret() {
        transcript = new Transcript(JobSecret.of(new byte[32])).add(ADDRESS);

        ProxyException failure = Rig.failure(() -> caller.connect(ADDRESS, Rig.PATIENCE, driver(null)));

        assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
        assertEquals("the process that listens at " + ADDRESS + " does not know the secret of this job",
                failure.getMessage());
    }

    @Test
    void shouldEndTheSessionOfWrongAnswers() {
        assertEnded("did not send what it has to: the answer to call 3", (socket, request) ->
                socket.send(answer(request.callId() + 1, 0), List.of()));
        assertEnded("did not send what it has to: as many descriptors as handles", (socket, request) ->
                socket.send(answer(request.callId(), 0), List.of()));
        assertEnded("sent 0 descriptors with a frame that has 1", (socket, request) ->
                socket.send(answer(request.callId(), 1), List.of()));
        assertEnded("does not speak this protocol", (socket, request) ->
                socket.send(ByteBuffer.allocate(160), List.of()));
        assertEnded("went away, or its process did", (socket, request) -> socket.close());
    }

    @Test
    void shouldCloseDescriptorsThatItDidNotAskFor() {
        try (OwnedFd fd = Rig.DESCRIPTORS.memfd("unasked", 8)) {
            assertEnded("sent 2 descriptors with a frame that has 1", (socket, request) ->
                    socket.send(answer(request.callId(), 1), List.of(fd, fd)));
            assertEnded("did not send what it has to: as many descriptors as handles", (socket, request) ->
                    socket.send(answer(request.callId(), 2), List.of(fd, fd)));
            assertEnded("sent 200 descriptors at once", (socket, request) ->
                    socket.send(answer(request.callId(), 1), Collections.nCopies(200, fd)));
        }
    }

    @Test
    void shouldNotWaitLongerForHalfAnAnswerThanForNone() {
        UdsClient client = open();

        ProxyException late = Rig.failure(() -> client.getFd(Duration.ofMillis(30), driver((socket, request) ->
                socket.send(answer(request.callId(), 1).limit(99), List.of())), 1));

        assertEquals(ProxyResult.TIMEOUT, late.result());
        client.close();
    }

    @Test
    void shouldNotWaitForAServiceThatNeverAccepts() {
        ProxyException late = Rig.failure(() -> caller.connect(ADDRESS, Duration.ofMillis(30), null));

        assertEquals(ProxyResult.TIMEOUT, late.result());
    }

    @Test
    void shouldNotWaitForAServiceWithAFullBacklog() {
        UnixSockets.Socket waiting = Rig.PLATFORM.unixSockets().connect(ADDRESS);
        java.util.ArrayList<UnixSockets.Socket> queue = new java.util.ArrayList<>();
        while (waiting != null) {
            queue.add(waiting);
            waiting = Rig.PLATFORM.unixSockets().connect(ADDRESS);
        }
        long before = Rig.openDescriptors();

        ProxyException late = Rig.failure(() -> caller.connect(ADDRESS, Duration.ofMillis(30), null));

        assertEquals(ProxyResult.TIMEOUT, late.result());
        assertEquals(before, Rig.openDescriptors());
        queue.forEach(UnixSockets.Socket::close);
    }

    @Test
    void shouldNotKeepTheSocketOfAnInterruptedCaller() {
        Rig.failure(() -> caller.connect(ADDRESS, Duration.ofMillis(1), null));
        long before = Rig.openDescriptors();
        Thread.currentThread().interrupt();

        ProxyException failure = Rig.failure(() -> caller.connect(ADDRESS, Rig.PATIENCE, null));

        assertTrue(Thread.interrupted());
        assertEquals(ProxyResult.INVALID_USAGE, failure.result());
        assertTrue(failure.getMessage().endsWith("interrupted"), failure.getMessage());
        assertEquals(before, Rig.openDescriptors());
    }

    @Test
    void shouldKeepControlCharactersOutOfFailures() {
        ProxyException refused = Rig.failure(() -> caller.connect(ADDRESS, Rig.PATIENCE, () -> {
            if (accepted == null) {
                accepted = listener.accept();
                accepted.send(failure(UdsFrameDescriptor.REFUSAL, 0), List.of());
            }
        }));
        accepted.close();
        accepted = null;
        UdsClient client = open();
        ProxyException failed = Rig.failure(() -> client.getFd(Rig.PATIENCE, driver((socket, request) ->
                socket.send(failure(ANSWER, request.callId()), List.of())), 1));

        for (ProxyException failure : List.of(refused, failed)) {
            assertTrue(failure.getMessage().endsWith("one two [31m\u00e9"), failure.getMessage());
        }
    }

    private void assertEnded(String reason, BiConsumer<UnixSockets.Socket, UdsFrame> answering) {
        long before = Rig.openDescriptors();
        UdsClient client = open();
        ProxyException failure = Rig.failure(() -> client.getFd(Rig.PATIENCE, driver(answering), 1));
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result(), failure::getMessage);
        assertTrue(failure.getMessage().contains(reason), failure.getMessage());
        assertTrue(Rig.failure(() -> client.getFd(Rig.PATIENCE, null, 1)).getMessage().contains("has ended"));
        accepted.close();
        accepted = null;
        assertEquals(before, Rig.openDescriptors());
    }

    private UdsClient open() {
        frames = 0;
        transcript = new Transcript(JobSecret.of(Rig.SECRET)).add(ADDRESS);
        return caller.connect(ADDRESS, Rig.PATIENCE, driver(null));
    }

    /** Shakes hands as a good service does, then answers as told. */
    private Runnable driver(BiConsumer<UnixSockets.Socket, UdsFrame> answering) {
        ByteBuffer bytes = ByteBuffer.allocate(UdsFrameDescriptor.FRAME_BYTES);
        return () -> {
            if (accepted == null) {
                accepted = listener.accept();
            }
            if (accepted == null || accepted.receive(bytes, OwnedFd::close) <= 0 || bytes.hasRemaining()) {
                return;
            }
            UdsFrame request = UdsFrame.read(bytes);
            bytes.clear();
            switch (frames++) {
                case 0 -> {
                    transcript.add(bytes.duplicate());
                    ByteBuffer challenge = UdsFrame.of(UdsFrameDescriptor.CHALLENGE, 1, request.callId(), 0,
                            ByteBuffer.wrap(Transcript.nonce())).bytes();
                    transcript.add(challenge);
                    accepted.send(challenge, List.of());
                }
                case 1 -> accepted.send(UdsFrame.of(UdsFrameDescriptor.WELCOME, 1, request.callId(), 0,
                        ByteBuffer.wrap(transcript.proof(UdsFrameDescriptor.SERVICE))).bytes(), List.of());
                default -> answering.accept(accepted, request);
            }
        };
    }

    private static ByteBuffer failure(short type, long callId) {
        return UdsFrame.failure(type, 1, callId, ProxyResult.INVALID_ARGUMENT, "one\r\n\0two\u001b[31m\u00e9").bytes();
    }

    private static ByteBuffer answer(long callId, int fds) {
        return UdsFrame.of(ANSWER, 1, callId, fds,
                UdsFrame.noData()).bytes();
    }
}
