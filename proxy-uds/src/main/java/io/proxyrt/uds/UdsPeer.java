/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.platform.UnixSockets;
import io.proxyrt.core.progress.MemorySharing;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * One session at the service's side: hello, proof, then requests, one after the other. What it throws is what its peer
 * did wrong, and ends it.
 */
final class UdsPeer {
    private static final int FRAMES_AT_ONCE = 4;
    private static final int HELLO_BYTES = Long.BYTES + Transcript.NONCE_BYTES;

    private final UdsService service;
    private final UnixSockets.Socket socket;
    private final UnixSockets.Credentials credentials;
    private final FrameReader reader = new FrameReader();
    private final Transcript transcript;
    private final int number;
    private Stage stage = Stage.HELLO;
    private PeerId claimed;
    private long deadlineNs;
    private ByteBuffer answer;
    private List<OwnedFd> answerFds = List.of();
    private boolean isAtEnd;

    private enum Stage { HELLO, PROOF, OPEN }

    UdsPeer(UdsService service, UnixSockets.Socket socket, long deadlineNs) {
        this.service = service;
        this.socket = socket;
        this.number = socket.number();
        this.credentials = socket.peer();
        this.deadlineNs = deadlineNs;
        this.transcript = new Transcript(service.context().secret()).add(service.address());
    }

    int number() {
        return number;
    }

    UnixSockets.Credentials credentials() {
        return credentials;
    }

    long deadlineNs() {
        return deadlineNs;
    }

    boolean isAtEnd() {
        return isAtEnd;
    }

    /** Who it is; null until it has proven that. */
    PeerId id() {
        return stage == Stage.OPEN ? claimed : null;
    }

    /** Reads and answers, for as long as the peer takes its answers, but not for ever. */
    int serve() {
        int done = 0;
        while (done < FRAMES_AT_ONCE && !isAtEnd && isAnswered()) {
            int count = reader.read(socket);
            if (count == 0) {
                break;
            }
            if (count == UnixSockets.END) {
                isAtEnd = true;
            } else if (reader.isComplete()) {
                handle();
                done++;
            }
        }
        if (!isAtEnd && id() != null) {
            service.onUnread(this, answer != null);
        }
        return done;
    }

    /** Says why, if that can be said at once, and ends. */
    void refuse(ProxyResult status, String reason) {
        isAtEnd = true;
        if (answer == null) {
            try {
                socket.send(UdsFrame.failure(UdsFrameDescriptor.REFUSAL, rank(), 0, status, reason)
                        .bytes(), List.of());
            } catch (ProxyException e) {
                service.refusals().add(this, e.getMessage());
            }
        }
    }

    void close() {
        reader.closeFds();
        closeAnswerFds();
        socket.close();
    }

    /** Sends what is left of the last answer. */
    private boolean isAnswered() {
        while (answer != null) {
            int sent = trySend();
            if (sent == 0) {
                return false;
            }
            isAtEnd |= sent == UnixSockets.END;
            if (isAtEnd || !answer.hasRemaining()) {
                answer = null;
            }
        }
        return !isAtEnd;
    }

    /** Descriptors go with the first byte; if they do not go, for there are too many under way, the peer hears so. */
    private int trySend() {
        try {
            int sent = socket.send(answer, answerFds);
            if (sent != 0) {
                closeAnswerFds();
            }
            return sent;
        } catch (ProxyException e) {
            if (answerFds.isEmpty()) {
                throw e;
            }
            closeAnswerFds();
            UdsFrame unsent = UdsFrame.read(answer);
            answer = UdsFrame.failure(unsent.type(), rank(), unsent.callId(), e.result(), e.getMessage()).bytes();
            return socket.send(answer, List.of());
        }
    }

    private void closeAnswerFds() {
        answerFds.forEach(OwnedFd::close);
        answerFds = List.of();
    }

    private void handle() {
        UdsFrame frame = reader.frame();
        check(frame.status() == 0 && UdsFrame.textBytes(reader.frameBytes()) == 0, "sent an answer without a request");
        switch (stage) {
            case HELLO -> hello(frame);
            case PROOF -> proof(frame);
            case OPEN -> request(frame);
        }
        reader.reset();
    }

    private void hello(UdsFrame frame) {
        check(frame.type() == UdsFrameDescriptor.HELLO && frame.data().remaining() == HELLO_BYTES && frame.fds() == 0,
                "does not begin with a hello");
        claimed = new PeerId(frame.rank(), frame.data().getLong(0));
        transcript.add(reader.frameBytes());
        ByteBuffer challenge = UdsFrame.of(UdsFrameDescriptor.CHALLENGE, rank(), frame.callId(), 0,
                ByteBuffer.wrap(Transcript.nonce())).bytes();
        transcript.add(challenge);
        answer = challenge;
        stage = Stage.PROOF;
        isAnswered();
    }

    private void proof(UdsFrame frame) {
        check(frame.type() == UdsFrameDescriptor.PROOF && frame.fds() == 0 && frame.rank() == claimed.rank()
                && transcript.isProof(UdsFrameDescriptor.CLIENT, frame.data()), "does not know the secret of this job");
        check(service.admit(this, claimed), "is one peer too many; " + UdsOptions.MAX_CONNECTIONS);
        stage = Stage.OPEN;
        deadlineNs = System.nanoTime() + service.context().settings().answerTimeoutNs();
        answer = UdsFrame.of(UdsFrameDescriptor.WELCOME, rank(), frame.callId(), 0,
                ByteBuffer.wrap(transcript.proof(UdsFrameDescriptor.SERVICE))).bytes();
        isAnswered();
    }

    private void request(UdsFrame frame) {
        check(frame.rank() == claimed.rank(), "is rank " + claimed.rank() + " and says it is rank " + frame.rank());
        boolean isGetFd = frame.type() == UdsFrameDescriptor.GET_FD;
        check(isGetFd || frame.type() == UdsFrameDescriptor.QUERY_FD, "asks for something unknown, number "
                + frame.type());
        check(isGetFd == frame.data().hasRemaining() && isGetFd == (frame.fds() == 0),
                "asks for " + (isGetFd ? "GetFd" : "QueryFd") + " with " + frame.fds() + " descriptors and "
                        + frame.data().remaining() + " bytes");
        short type = (short) (frame.type() | UdsFrameDescriptor.ANSWER);
        try {
            answer = (isGetFd ? getFd(frame, type) : queryFd(frame, type)).bytes();
        } catch (ProxyException e) {
            answer = UdsFrame.failure(type, rank(), frame.callId(), e.result(), e.getMessage()).bytes();
        } catch (RuntimeException e) {
            answer = UdsFrame.failure(type, rank(), frame.callId(), ProxyResult.INTERNAL_ERROR, e.toString()).bytes();
            service.onBug(e);
        }
        deadlineNs = System.nanoTime() + service.context().settings().answerTimeoutNs();
        isAnswered();
    }

    private UdsFrame getFd(UdsFrame frame, short type) {
        long[] handles = frame.longs();
        answerFds = List.copyOf(service.handler().onGetFd(claimed, handles));
        if (answerFds.size() != handles.length || handles.length > MemorySharing.MAX_FDS) {
            int count = answerFds.size();
            closeAnswerFds();
            throw new IllegalStateException(count + " descriptors for " + handles.length + " handles");
        }
        return UdsFrame.of(type, rank(), frame.callId(), answerFds.size(), UdsFrame.noData());
    }

    private UdsFrame queryFd(UdsFrame frame, short type) {
        int[] numbers = service.handler().onQueryFd(claimed, reader.takeFds());
        if (numbers.length != frame.fds()) {
            throw new IllegalStateException(numbers.length + " numbers for " + frame.fds() + " descriptors");
        }
        return UdsFrame.of(type, rank(), frame.callId(), 0,
                UdsFrame.longs(Arrays.stream(numbers).asLongStream().toArray()));
    }

    private int rank() {
        return service.context().self().rank();
    }

    private static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, what);
        }
    }

    @Override
    public String toString() {
        return (id() == null ? "an unauthenticated peer" : claimed.toString()) + ", " + credentials;
    }
}
