/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.platform.UnixSockets;
import io.proxyrt.core.progress.MemorySharing;
import io.proxyrt.core.service.UdsClient;
import java.io.Serial;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * One session at the client's side, over its own socket, in the caller's thread. What comes back is one answer to one
 * request; anything else ends the session, since its bytes could be taken for those of the next answer.
 */
final class UdsSession implements UdsClient {
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final UdsContext context;
    private final String address;
    private final UnixSockets.Socket socket;
    private final Consumer<UdsSession> onEnd;
    private final FrameReader reader = new FrameReader();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile ProxyException ended;
    private boolean isSocketClosed;
    private long lastCallId;

    private UdsSession(UdsContext context, String address, UnixSockets.Socket socket, Consumer<UdsSession> onEnd) {
        this.context = context;
        this.address = address;
        this.socket = socket;
        this.onEnd = onEnd;
    }

    /** Opens one, unless the check throws meanwhile. */
    static UdsSession open(UdsContext context, String address, Duration timeout, Runnable driver, Runnable check,
            Consumer<UdsSession> onEnd) {
        Waiting waiting = new Waiting(context, "opening a session with the UDS thread at " + address, timeout, driver,
                check);
        for (long pauseNs = RETRY_NS;; pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS)) {
            UdsSession session = new UdsSession(context, address, socket(context, address, waiting), onEnd);
            try {
                session.call(waiting, () -> session.shakeHands(waiting));
                return session;
            } catch (Displaced e) {
                session.close();
                waiting.pause(pauseNs, e.getMessage());
            } catch (RuntimeException | Error e) {
                session.close();
                throw e;
            }
        }
    }

    private static UnixSockets.Socket socket(UdsContext context, String address, Waiting waiting) {
        UnixSockets.Socket socket = context.sockets().unix().connect(address);
        while (socket == null) {
            waiting.pause(RETRY_NS, "its accept backlog is full");
            socket = context.sockets().unix().connect(address);
        }
        return socket;
    }

    @Override
    public List<OwnedFd> getFd(Duration timeout, Runnable driver, long... handles) {
        checkCount(handles.length, "handles");
        Waiting waiting = new Waiting(context, "GetFd at " + address, timeout, driver);
        return call(waiting, () -> {
            UdsFrame request = UdsFrame.of(UdsFrameDescriptor.GET_FD, context.self().rank(), ++lastCallId, 0,
                    UdsFrame.longs(handles));
            UdsFrame answer = exchange(waiting, request, List.of());
            expect(answer.fds() == handles.length, "as many descriptors as handles");
            return reader.takeFds();
        });
    }

    @Override
    public int[] queryFd(Duration timeout, Runnable driver, List<OwnedFd> fds) {
        checkCount(fds.size(), "descriptors");
        Waiting waiting = new Waiting(context, "QueryFd at " + address, timeout, driver);
        return call(waiting, () -> {
            UdsFrame request = UdsFrame.of(UdsFrameDescriptor.QUERY_FD, context.self().rank(), ++lastCallId, fds.size(),
                    UdsFrame.noData());
            UdsFrame answer = exchange(waiting, request, fds);
            expect(answer.fds() == 0, "no descriptors");
            long[] numbers = answer.longs();
            expect(numbers.length == fds.size(), "as many numbers as descriptors");
            int[] result = new int[numbers.length];
            for (int i = 0; i < result.length; i++) {
                result[i] = (int) numbers[i];
                expect(numbers[i] >= 0 && result[i] == numbers[i], "numbers of descriptors");
            }
            return result;
        });
    }

    @Override
    public boolean isOpen() {
        return ended == null;
    }

    /** {@inheritDoc} A call that waits in another thread ends soon, and closes the socket. */
    @Override
    public void close() {
        end(new ProxyException(ProxyResult.INVALID_USAGE, "the session with the UDS thread at " + address
                + " is closed"));
        giveBack();
    }

    @Override
    public String toString() {
        ProxyException reason = ended;
        return "session with the UDS thread at " + address + (reason == null ? "" : ", ended: " + reason.getMessage());
    }

    /** What the service refuses leaves the session as it is. */
    private <T> T call(Waiting waiting, Supplier<T> exchange) {
        waiting.lock(lock);
        try {
            checkOpen();
            T result = exchange.get();
            reader.reset();
            return result;
        } catch (Refused e) {
            reader.reset();
            throw new ProxyException(e.result, waiting + " failed: " + e.getMessage());
        } catch (ProxyException e) {
            end(e);
            throw e;
        } catch (Displaced e) {
            end(new ProxyException(ProxyResult.REMOTE_ERROR, e.getMessage()));
            throw e;
        } catch (RuntimeException | Error e) {
            end(new ProxyException(ProxyResult.INTERNAL_ERROR, "a call in the session with the UDS thread at " + address
                    + " broke off", e));
            throw e;
        } finally {
            lock.unlock();
            giveBack();
        }
    }

    /** Both sides prove that they know the secret. */
    private UdsFrame shakeHands(Waiting waiting) {
        Transcript transcript = new Transcript(context.secret()).add(address);
        ByteBuffer hello = ByteBuffer.allocate(Long.BYTES + Transcript.NONCE_BYTES)
                .putLong(context.self().clientId()).put(Transcript.nonce()).flip();
        UdsFrame first = UdsFrame.of(UdsFrameDescriptor.HELLO, context.self().rank(), ++lastCallId, 0, hello);
        transcript.add(first.bytes());
        UdsFrame challenge = exchange(waiting, first, List.of());
        expect(challenge.type() == UdsFrameDescriptor.CHALLENGE && challenge.fds() == 0, "a challenge");
        transcript.add(reader.frameBytes());
        UdsFrame second = UdsFrame.of(UdsFrameDescriptor.PROOF, context.self().rank(), ++lastCallId, 0,
                ByteBuffer.wrap(transcript.proof(UdsFrameDescriptor.CLIENT)));
        UdsFrame welcome = exchange(waiting, second, List.of());
        expect(welcome.type() == UdsFrameDescriptor.WELCOME && welcome.fds() == 0, "a welcome");
        if (!transcript.isProof(UdsFrameDescriptor.SERVICE, welcome.data())) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "the process that listens at " + address
                    + " does not know the secret of this job");
        }
        return welcome;
    }

    /** Sends one frame, and gets the one that answers it. */
    private UdsFrame exchange(Waiting waiting, UdsFrame request, List<OwnedFd> fds) {
        reader.reset();
        send(waiting, request.bytes(), fds);
        read(waiting);
        UdsFrame answer = frame();
        boolean isHandshake = request.type() >= UdsFrameDescriptor.HELLO;
        if (answer.type() == UdsFrameDescriptor.REFUSAL) {
            ProxyResult status = ProxyResult.of(answer.status());
            if (isHandshake && (status == ProxyResult.IN_PROGRESS || status == ProxyResult.TIMEOUT)) {
                throw new Displaced(text(waiting));
            }
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "the UDS thread at " + address
                    + " ends the session, for this process " + text(waiting));
        }
        expect(answer.callId() == request.callId()
                && (isHandshake || answer.type() == (request.type() | UdsFrameDescriptor.ANSWER)),
                "the answer to call " + request.callId());
        if (answer.status() != 0) {
            expect(answer.fds() == 0, "no descriptors with an error");
            ProxyResult result = ProxyResult.of(answer.status());
            throw new Refused(result.isError() ? result : ProxyResult.REMOTE_ERROR, text(waiting));
        }
        expect(UdsFrame.textBytes(reader.frameBytes()) == 0, "no text without an error");
        return answer;
    }

    /** A service that hung up may have said why: that it is gone is for {@link #read} to find. */
    private void send(Waiting waiting, ByteBuffer bytes, List<OwnedFd> fds) {
        List<OwnedFd> unsent = fds;
        while (bytes.hasRemaining()) {
            int sent = socket.send(bytes, unsent);
            if (sent == UnixSockets.END) {
                return;
            }
            if (sent > 0) {
                unsent = List.of();
            } else {
                await(waiting, true);
            }
        }
    }

    private void read(Waiting waiting) {
        while (!reader.isComplete()) {
            int count = receive(() -> reader.read(socket));
            if (count == 0) {
                await(waiting, false);
            }
        }
    }

    /** What the service says, which may be hostile; on one line. */
    private String text(Waiting waiting) {
        ByteBuffer text = ByteBuffer.allocate(UdsFrame.textBytes(reader.frameBytes()));
        while (text.hasRemaining()) {
            if (receive(() -> socket.receive(text, OwnedFd::close)) == 0) {
                await(waiting, false);
            }
        }
        return PeerText.line(new String(text.array(), StandardCharsets.UTF_8));
    }

    private int receive(IntSupplier reading) {
        int count;
        try {
            count = reading.getAsInt();
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), "the UDS thread at " + address + " " + e.getMessage(), e);
        }
        if (count < 0) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "the UDS thread at " + address
                    + " went away, or its process did");
        }
        return count;
    }

    private UdsFrame frame() {
        try {
            return reader.frame();
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), "the UDS thread at " + address + " " + e.getMessage(), e);
        }
    }

    private void await(Waiting waiting, boolean isWrite) {
        waiting.once(maxNs -> context.platform().await(socket.number(), isWrite, maxNs));
        checkOpen();
    }

    private void expect(boolean isSo, String what) {
        if (!isSo) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "the UDS thread at " + address
                    + " did not send what it has to: " + what);
        }
    }

    private void checkOpen() {
        ProxyException reason = ended;
        if (reason != null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the session with the UDS thread at " + address
                    + " has ended: " + reason.getMessage(), reason);
        }
    }

    private synchronized void end(ProxyException reason) {
        if (ended == null) {
            ended = reason;
        }
    }

    /** By the thread that has the ended session to itself: the socket is not closed under a call that uses it. */
    private void giveBack() {
        while (ended != null && lock.tryLock()) {
            try {
                if (isSocketClosed) {
                    return;
                }
                isSocketClosed = true;
                reader.closeFds();
                socket.close();
                onEnd.accept(this);
            } finally {
                lock.unlock();
            }
        }
    }

    private static void checkCount(int count, String what) {
        if (count < 1 || count > MemorySharing.MAX_FDS) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    count + " " + what + ": must be 1 to " + MemorySharing.MAX_FDS);
        }
    }

    /** The service gave up the connection before it became a session; another one may fare better. */
    private static final class Displaced extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        Displaced(String text) {
            super(text, null, false, false);
        }
    }

    /** What the service answered; not the end of the session. */
    private static final class Refused extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        private final ProxyResult result;

        Refused(ProxyResult result, String text) {
            super(text, null, false, false);
            this.result = result;
        }
    }
}
