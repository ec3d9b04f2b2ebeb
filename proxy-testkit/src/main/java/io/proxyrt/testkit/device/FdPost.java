/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.UnixSockets;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Hands a descriptor to another process of the test, over a Unix socket without a file. */
final class FdPost {
    private static final long TIMEOUT_NS = TimeUnit.MINUTES.toNanos(2);

    private FdPost() {
    }

    /** Waits for a caller of {@link #receive}, and gives it a descriptor, which stays this caller's. */
    static void send(String address, OwnedFd fd, Runnable listening) {
        try (UnixSockets.Listener listener = Platform.find().unixSockets().listen(address, 1)) {
            listening.run();
            long deadline = System.nanoTime() + TIMEOUT_NS;
            try (UnixSockets.Socket socket = accept(listener, deadline)) {
                ByteBuffer one = ByteBuffer.wrap(new byte[] {1});
                while (socket.send(one, List.of(fd)) == 0) {
                    turn(deadline);
                }
            }
        }
    }

    /** What the other process sends; the caller's. */
    static OwnedFd receive(String address) {
        List<OwnedFd> fds = new ArrayList<>();
        long deadline = System.nanoTime() + TIMEOUT_NS;
        try (UnixSockets.Socket socket = Platform.find().unixSockets().connect(address)) {
            while (fds.isEmpty()) {
                if (socket.receive(ByteBuffer.allocate(1), fds::add) < 0) {
                    throw new IllegalStateException("no process sends a descriptor to " + address);
                }
                turn(deadline);
            }
        }
        return fds.getFirst();
    }

    private static UnixSockets.Socket accept(UnixSockets.Listener listener, long deadline) {
        UnixSockets.Socket socket = listener.accept();
        while (socket == null) {
            turn(deadline);
            socket = listener.accept();
        }
        return socket;
    }

    private static void turn(long deadline) {
        if (System.nanoTime() > deadline) {
            throw new IllegalStateException("the other process does not answer");
        }
        Thread.yield();
    }
}
