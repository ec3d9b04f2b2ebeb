/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.platform.UnixSockets;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** {@code sendmsg(2)} and {@code recvmsg(2)} with {@code SCM_RIGHTS}. One thread at a time. */
final class LinuxUnixSocket implements UnixSockets.Socket {
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_CTRUNC = 8;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int EPIPE = 32;
    private static final int ECONNRESET = 104;
    private static final int UCRED_BYTES = 12;

    /** The kernel's limit for one message is 253, so no peer can send more than there is room for. */
    private static final int MAX_RIGHTS = 253;
    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_DATA = 16;
    private static final int CONTROL_BYTES = CMSG_DATA + (MAX_RIGHTS + 1) * Integer.BYTES;
    private static final int DATA_BYTES = 1024;

    private static final int MSG_IOV = 16;
    private static final int MSG_IOVLEN = 24;
    private static final int MSG_CONTROL = 32;
    private static final int MSG_CONTROLLEN = 40;
    private static final int MSG_FLAGS = 48;
    private static final int MSGHDR_BYTES = 56;

    private static final FunctionDescriptor MESSAGE = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SENDMSG = CLibrary.link("sendmsg", MESSAGE, Errno.CAPTURED);
    private static final MethodHandle RECVMSG = CLibrary.link("recvmsg", MESSAGE, Errno.CAPTURED);
    private static final MethodHandle GETSOCKOPT = CLibrary.link("getsockopt",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS), Errno.CAPTURED);

    private final OwnedFd fd;
    private final MemorySegment errno;
    private final MemorySegment header;
    private final MemorySegment vector;
    private final MemorySegment control;
    private final MemorySegment data;

    LinuxUnixSocket(OwnedFd fd) {
        Arena arena = Arena.ofAuto();
        this.fd = fd;
        this.errno = Errno.capture(arena);
        this.header = arena.allocate(MSGHDR_BYTES, JAVA_LONG.byteAlignment());
        this.control = arena.allocate(CONTROL_BYTES, JAVA_LONG.byteAlignment());
        this.data = arena.allocate(DATA_BYTES);
        this.vector = arena.allocate(2 * JAVA_LONG.byteSize(), JAVA_LONG.byteAlignment());
        vector.set(ADDRESS, 0, data);
        header.set(ADDRESS, MSG_IOV, vector);
        header.set(JAVA_LONG, MSG_IOVLEN, 1);
    }

    @Override
    public int number() {
        return fd.number();
    }

    @Override
    public UnixSockets.Credentials peer() {
        int number = fd.number();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ucred = arena.allocate(UCRED_BYTES, JAVA_INT.byteAlignment());
            MemorySegment length = arena.allocateFrom(JAVA_INT, UCRED_BYTES);
            int status;
            try {
                status = (int) GETSOCKOPT.invokeExact(errno, number, SOL_SOCKET, SO_PEERCRED, ucred, length);
            } catch (Throwable t) {
                throw CLibrary.failure("getsockopt", t);
            }
            Errno.checked(status, errno, "cannot ask who is at the other end of " + fd);
            return new UnixSockets.Credentials(ucred.getAtIndex(JAVA_INT, 0), ucred.getAtIndex(JAVA_INT, 1),
                    ucred.getAtIndex(JAVA_INT, 2));
        }
    }

    @Override
    public int send(ByteBuffer bytes, List<OwnedFd> fds) {
        int length = Math.min(bytes.remaining(), DATA_BYTES);
        data.asSlice(0, length).copyFrom(MemorySegment.ofBuffer(bytes).asSlice(0, length));
        long sent = OwnedFd.useAll(fds, numbers -> {
            writeRights(numbers);
            return message(SENDMSG, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        });
        if (sent > 0) {
            bytes.position(bytes.position() + (int) sent);
        }
        return sent >= 0 ? (int) sent : failed("send");
    }

    @Override
    public int receive(ByteBuffer bytes, Consumer<OwnedFd> fds) {
        header.set(ADDRESS, MSG_CONTROL, control);
        header.set(JAVA_LONG, MSG_CONTROLLEN, CONTROL_BYTES);
        int room = Math.min(bytes.remaining(), DATA_BYTES);
        long received = message(RECVMSG, room, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (received < 0) {
            return failed("receive");
        }
        boolean isTruncated = (header.get(JAVA_INT, MSG_FLAGS) & MSG_CTRUNC) != 0;
        readRights(isTruncated ? OwnedFd::close : fds);
        if (isTruncated) {
            return UnixSockets.TRUNCATED;
        }
        if (received == 0) {
            return UnixSockets.END;
        }
        MemorySegment.ofBuffer(bytes).copyFrom(data.asSlice(0, received));
        bytes.position(bytes.position() + (int) received);
        return (int) received;
    }

    @Override
    public void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return "socket, " + fd;
    }

    private void writeRights(int... numbers) {
        int rights = numbers.length * Integer.BYTES;
        header.set(ADDRESS, MSG_CONTROL, rights == 0 ? MemorySegment.NULL : control);
        header.set(JAVA_LONG, MSG_CONTROLLEN, rights == 0 ? 0 : CMSG_DATA + (rights + 7L & -8L));
        control.set(JAVA_LONG, 0, CMSG_DATA + rights);
        control.set(JAVA_INT, CMSG_LEVEL, SOL_SOCKET);
        control.set(JAVA_INT, CMSG_TYPE, SCM_RIGHTS);
        MemorySegment.copy(numbers, 0, control, JAVA_INT, CMSG_DATA, numbers.length);
    }

    private void readRights(Consumer<OwnedFd> fds) {
        long end = header.get(JAVA_LONG, MSG_CONTROLLEN);
        long at = 0;
        while (at + CMSG_DATA <= end) {
            long length = control.get(JAVA_LONG, at);
            if (control.get(JAVA_INT, at + CMSG_LEVEL) == SOL_SOCKET
                    && control.get(JAVA_INT, at + CMSG_TYPE) == SCM_RIGHTS) {
                for (long right = at + CMSG_DATA; right + Integer.BYTES <= at + length; right += Integer.BYTES) {
                    fds.accept(LinuxDescriptors.INSTANCE.adopt(control.get(JAVA_INT, right)));
                }
            }
            at += length + 7 & -8;
        }
    }

    private long message(MethodHandle call, int length, int flags) {
        int number = fd.number();
        vector.set(JAVA_LONG, JAVA_LONG.byteSize(), length);
        header.set(JAVA_INT, MSG_FLAGS, 0);
        try {
            return (long) call.invokeExact(errno, number, header, flags);
        } catch (Throwable t) {
            throw CLibrary.failure("sendmsg and recvmsg", t);
        }
    }

    private int failed(String what) {
        int reason = Errno.of(errno);
        if (reason == Errno.EAGAIN || reason == Errno.EINTR) {
            return 0;
        }
        if (reason == EPIPE || reason == ECONNRESET) {
            return UnixSockets.END;
        }
        throw Errno.failure("cannot " + what + " on " + fd, reason, Errno.advice(reason));
    }
}
