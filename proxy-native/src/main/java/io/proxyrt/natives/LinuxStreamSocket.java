/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.spi.StreamSocket;
import io.proxyrt.core.uds.OwnedFd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code recv(2)} and {@code send(2)} on a duplicate of a channel's descriptor. The calls are ordinary ones and not
 * critical: one that copies a megabyte would keep a collector waiting.
 */
final class LinuxStreamSocket implements StreamSocket {
    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final int MSG_PEEK = 2;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;

    private static final FunctionDescriptor TRANSFER =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle RECV = CLibrary.link("recv", TRANSFER, Errno.CAPTURED);
    private static final MethodHandle SEND = CLibrary.link("send", TRANSFER, Errno.CAPTURED);

    private final OwnedFd fd;
    private final int number;
    private final MemorySegment errno = Errno.capture(Arena.ofAuto());

    private LinuxStreamSocket(OwnedFd fd) {
        this.fd = fd;
        this.number = fd.number();
    }

    /** Looks again at the duplicate: the number may have become another socket's meanwhile. */
    static Optional<StreamSocket> find(InetSocketAddress local, InetSocketAddress remote) {
        try (Arena arena = Arena.ofConfined(); DirectoryStream<Path> open = Files.newDirectoryStream(OPEN)) {
            SocketNames names = new SocketNames(arena);
            for (Path each : open) {
                int candidate = Integer.parseInt(each.getFileName().toString());
                if (names.isConnection(candidate, local, remote)) {
                    OwnedFd copy = LinuxDescriptors.duplicateIfOpen(candidate);
                    if (copy != null && names.isConnection(copy.number(), local, remote)) {
                        return Optional.of(new LinuxStreamSocket(copy));
                    }
                    if (copy != null) {
                        copy.close();
                    }
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public int receive(ByteBuffer bytes) {
        return into(bytes, MSG_DONTWAIT);
    }

    @Override
    public int peek(ByteBuffer bytes) {
        return into(bytes, MSG_DONTWAIT | MSG_PEEK);
    }

    @Override
    public int discard(int bytes) {
        return received(recv(MemorySegment.NULL, bytes, MSG_DONTWAIT | MSG_TRUNC));
    }

    @Override
    public int send(ByteBuffer bytes) {
        long sent;
        try {
            sent = (long) SEND.invokeExact(errno, number, MemorySegment.ofBuffer(bytes), (long) bytes.remaining(),
                    MSG_DONTWAIT | MSG_NOSIGNAL);
        } catch (Throwable t) {
            throw CLibrary.failure("send", t);
        }
        if (sent < 0) {
            return failed();
        }
        bytes.position(bytes.position() + (int) sent);
        return (int) sent;
    }

    @Override
    public String reason(int result) {
        return result == END ? "the peer ended the stream" : Errno.name(-result);
    }

    @Override
    public void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return "socket, " + fd;
    }

    private int into(ByteBuffer bytes, int flags) {
        int received = received(recv(MemorySegment.ofBuffer(bytes), bytes.remaining(), flags));
        if (received > 0) {
            bytes.position(bytes.position() + received);
        }
        return received;
    }

    private long recv(MemorySegment memory, long bytes, int flags) {
        try {
            return (long) RECV.invokeExact(errno, number, memory, bytes, flags);
        } catch (Throwable t) {
            throw CLibrary.failure("recv", t);
        }
    }

    private int received(long bytes) {
        if (bytes > 0) {
            return (int) bytes;
        }
        return bytes == 0 ? END : failed();
    }

    private int failed() {
        int reason = Errno.of(errno);
        return reason == Errno.EAGAIN || reason == Errno.EINTR ? 0 : -reason;
    }
}
