/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.spi.StreamSocket;
import io.proxyrt.core.uds.OwnedFd;
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
 * {@code recv(2)} and {@code send(2)} on a duplicate of a channel's descriptor. The calls are ordinary ones and not
 * critical, for one may take as long as the peer's side of the loopback device. Nor do they capture {@code errno}: the
 * JVM makes an object to check where it goes. Nearly always it is EAGAIN; what else it may be, TCP does not forget.
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
    /** Number, descriptor, address, length, flags, no name, no length of a name; the memory that the address is in. */
    private static final FunctionDescriptor TRANSFER = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS);
    private static final MethodHandle CALL =
            CLibrary.link("syscall", TRANSFER, Linker.Option.firstVariadicArg(1));

    private final OwnedFd fd;

    private LinuxStreamSocket(OwnedFd fd) {
        this.fd = fd;
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
    public void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return "socket, " + fd;
    }

    private long call(long system, MemorySegment memory, long offset, int bytes, int flags) {
        Objects.checkFromIndexSize(offset, bytes, memory.byteSize());
        return call(system, memory.address() + offset, bytes, flags, memory);
    }

    /**
     * The memory rides along as an argument that nobody looks at: so the JVM refuses one that was freed, and lets
     * nobody free it meanwhile. A slice would do as well, but is an object.
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
