/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.platform.StreamSocket;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * {@code recv(2)}, {@code send(2)} and {@code sendmsg(2)} on a duplicate of a channel's descriptor. The calls are
 * ordinary ones and not critical, for one may take as long as the peer's side of the loopback device. Nor do they
 * capture {@code errno}: the JVM makes an object to check where it goes. Nearly always it is EAGAIN; what else it may
 * be, TCP does not forget.
 */
final class LinuxStreamSocket implements StreamSocket {
    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final int MSG_PEEK = 2;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;

    private static final boolean IS_AMD64 = System.getProperty("os.arch").equals("amd64");
    private static final long SYS_SENDTO = IS_AMD64 ? 44 : 206;
    private static final long SYS_RECVFROM = IS_AMD64 ? 45 : 207;
    private static final long SYS_SENDMSG = IS_AMD64 ? 46 : 211;
    /** Number, descriptor, address, length, flags, no name, no length of a name; the memory that the address is in. */
    private static final FunctionDescriptor TRANSFER = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS);
    private static final MethodHandle CALL =
            CLibrary.link("syscall", TRANSFER, Linker.Option.firstVariadicArg(1));

    /** Number, descriptor, msghdr, flags; the memory that its two vectors point into rides along. */
    private static final FunctionDescriptor GATHER = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS,
            JAVA_LONG, ADDRESS, ADDRESS);
    private static final MethodHandle CALL_GATHER =
            CLibrary.link("syscall", GATHER, Linker.Option.firstVariadicArg(1));
    /** Fields of a msghdr, and the two vectors that stand behind it. */
    private static final long MSG_IOV = 16;
    private static final long MSG_IOVLEN = 24;
    private static final long HEAD_VECTOR = 56;
    private static final long BODY_VECTOR = HEAD_VECTOR + 2 * Long.BYTES;
    private static final long MESSAGE_BYTES = BODY_VECTOR + 2 * Long.BYTES;

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    private static final MethodHandle SETSOCKOPT = CLibrary.link("setsockopt",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

    private final OwnedFd fd;
    private final MemorySegment message = Arena.ofAuto().allocate(MESSAGE_BYTES, Long.BYTES);

    private LinuxStreamSocket(OwnedFd fd) {
        this.fd = fd;
        message.set(ADDRESS, MSG_IOV, message.asSlice(HEAD_VECTOR));
        message.set(JAVA_LONG, MSG_IOVLEN, 2);
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
    public int peek(MemorySegment memory, long offset, int bytes) {
        long got = call(SYS_RECVFROM, memory, offset, bytes, MSG_DONTWAIT | MSG_PEEK);
        if (got > 0) {
            return (int) got;
        }
        return got == 0 ? END : 0;
    }

    @Override
    public int discard(int bytes) {
        return (int) Math.max(0, call(SYS_RECVFROM, 0, bytes, MSG_DONTWAIT | MSG_TRUNC, MemorySegment.NULL));
    }

    @Override
    public int send(MemorySegment memory, long offset, int bytes) {
        return (int) Math.max(0, call(SYS_SENDTO, memory, offset, bytes, MSG_DONTWAIT | MSG_NOSIGNAL));
    }

    @Override
    public int send(MemorySegment head, long headOffset, int headBytes, MemorySegment body, long bodyOffset,
            int bodyBytes) {
        vector(HEAD_VECTOR, head, headOffset, headBytes);
        vector(BODY_VECTOR, body, bodyOffset, bodyBytes);
        long number = fd.number();
        try {
            return (int) Math.max(0, (long) CALL_GATHER.invokeExact(SYS_SENDMSG, number, message,
                    (long) (MSG_DONTWAIT | MSG_NOSIGNAL), head, body));
        } catch (Throwable t) {
            throw CLibrary.failure("sendmsg", t);
        }
    }

    @Override
    public boolean congestionControl(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocateFrom(name);
            return (int) SETSOCKOPT.invokeExact(fd.number(), IPPROTO_TCP, TCP_CONGESTION, value,
                    (int) value.byteSize() - 1) == 0;
        } catch (Throwable t) {
            throw CLibrary.failure("setsockopt", t);
        }
    }

    @Override
    public void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return "socket, " + fd;
    }

    private void vector(long at, MemorySegment memory, long offset, int bytes) {
        Objects.checkFromIndexSize(offset, bytes, memory.byteSize());
        message.set(JAVA_LONG, at, memory.address() + offset);
        message.set(JAVA_LONG, at + Long.BYTES, bytes);
    }

    private long call(long system, MemorySegment memory, long offset, int bytes, int flags) {
        Objects.checkFromIndexSize(offset, bytes, memory.byteSize());
        return call(system, memory.address() + offset, bytes, flags, memory);
    }

    /**
     * The memory rides along as an argument that is not used: so the JVM refuses one that was freed, and lets no
     * thread free it meanwhile. A slice would do as well, but is an object.
     */
    private long call(long system, long address, long bytes, long flags, MemorySegment memory) {
        long number = fd.number();
        try {
            return (long) CALL.invokeExact(system, number, address, bytes, flags, 0L, 0L, memory);
        } catch (Throwable t) {
            throw CLibrary.failure("recv and send", t);
        }
    }
}
