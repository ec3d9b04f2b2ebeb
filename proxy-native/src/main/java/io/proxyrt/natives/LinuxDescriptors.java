/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Descriptors;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** {@code memfd_create(2)}, {@code fcntl(2)} and what else it takes to own descriptors. */
final class LinuxDescriptors implements Descriptors {
    /** Stateless. */
    static final Descriptors INSTANCE = new LinuxDescriptors();

    private static final int MAX_NAME_BYTES = 249;
    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int MFD_HUGETLB = 4;
    private static final int MFD_HUGE_2MB = 21 << 26;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;
    private static final int F_SEAL_SEAL = 1;
    private static final int F_SEAL_SHRINK = 2;
    private static final int F_SEAL_GROW = 4;
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_SIZE = 0x200;
    /** Of {@code struct statx}, which is the same on all architectures, as {@code struct stat} is not. */
    private static final int STATX_BYTES = 256;
    private static final long STX_SIZE = 40;

    private static final MethodHandle MEMFD_CREATE = CLibrary.link("memfd_create",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), Errno.CAPTURED);
    private static final MethodHandle FTRUNCATE = CLibrary.link("ftruncate",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle FALLOCATE = CLibrary.link("fallocate",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle FCNTL = CLibrary.link("fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT,
            JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2), Errno.CAPTURED);
    private static final MethodHandle OPEN = CLibrary.link("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(2), Errno.CAPTURED);
    private static final MethodHandle STATX = CLibrary.link("statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT,
            ADDRESS, JAVA_INT, JAVA_INT, ADDRESS), Errno.CAPTURED);
    private static final MethodHandle CLOSE = CLibrary.link("close",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT), Errno.CAPTURED);

    private LinuxDescriptors() {
    }

    @Override
    public OwnedFd memfd(String name, long bytes) {
        return memfd(name, bytes, 0);
    }

    @Override
    public OwnedFd hugeMemfd(String name, long bytes) {
        OwnedFd fd = memfd(name, bytes, MFD_HUGETLB | MFD_HUGE_2MB);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            int status = fd.use(number -> allocate(errno, number, bytes));
            while (status != 0 && Errno.of(errno) == Errno.EINTR) {
                status = fd.use(number -> allocate(errno, number, bytes));
            }
            if (status == 0) {
                return fd;
            }
            fd.close();
            throw Errno.failure("cannot set huge pages aside for " + bytes + " bytes of '" + name + "'",
                    Errno.of(errno), "; raise vm.nr_hugepages");
        }
    }

    private static OwnedFd memfd(String name, long bytes, int flags) {
        int length = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || length > MAX_NAME_BYTES || name.indexOf(0) >= 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "shared memory '" + name + "' of " + bytes
                    + " bytes: its size must be greater than 0, and its name have at most " + MAX_NAME_BYTES
                    + " bytes, none of them zero");
        }
        String what = "cannot make shared memory '" + name + "' of " + bytes + " bytes";
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            int number = Errno.checked(memfdCreate(errno, arena.allocateFrom(name), flags), errno, what);
            OwnedFd fd = INSTANCE.adopt(number);
            try {
                Errno.checked(truncate(errno, fd.number(), bytes), errno, what);
                Errno.checked(fcntl(errno, fd.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), errno,
                        what);
                return fd;
            } catch (Throwable t) {
                fd.close();
                throw t;
            }
        }
    }

    @Override
    public OwnedFd duplicate(OwnedFd fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            return fd.use(number -> adopt(Errno.checked(fcntl(errno, number, F_DUPFD_CLOEXEC, 0), errno,
                    "cannot duplicate " + fd)));
        }
    }

    /** A duplicate of a descriptor with another owner; null if it is not open, or there are no more descriptors. */
    static OwnedFd duplicateIfOpen(int number) {
        try (Arena arena = Arena.ofConfined()) {
            int copy = fcntl(Errno.capture(arena), number, F_DUPFD_CLOEXEC, 0);
            return copy < 0 ? null : INSTANCE.adopt(copy);
        }
    }

    @Override
    public OwnedFd adopt(int fd) {
        return new OwnedFd(fd, LinuxDescriptors::close);
    }

    @Override
    public OwnedFd open(Path path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            return adopt(Errno.checked(open(errno, arena.allocateFrom(path.toString())), errno, "cannot open " + path));
        }
    }

    @Override
    public long sealedBytes(OwnedFd fd) {
        return fd.use(number -> sealedBytes(fd, number));
    }

    private static long sealedBytes(OwnedFd fd, int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            int seals = fcntl(errno, number, F_GET_SEALS, 0);
            if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, fd + " is no memory that cannot shrink"
                        + (seals < 0 ? ": " + Errno.name(Errno.of(errno)) : "")
                        + "; export a memfd with F_SEAL_SHRINK");
            }
            MemorySegment statx = arena.allocate(STATX_BYTES, JAVA_LONG.byteAlignment());
            Errno.checked(statx(errno, number, arena.allocateFrom(""), statx), errno,
                    "cannot ask for the size of " + fd);
            long bytes = statx.get(JAVA_LONG, STX_SIZE);
            if (bytes < 1) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, fd + " is memory of " + bytes + " bytes");
            }
            return bytes;
        }
    }

    /** Gone in any case, unless it was not there; and then another thread closed what we own, or will. */
    static void close(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            if (closeCall(errno, fd) < 0 && Errno.of(errno) == Errno.EBADF) {
                throw new ProxyException(ProxyResult.INTERNAL_ERROR, "file descriptor " + fd
                        + " was closed by code that does not own it");
            }
        }
    }

    private static int allocate(MemorySegment errno, int fd, long bytes) {
        try {
            return (int) FALLOCATE.invokeExact(errno, fd, 0, 0L, bytes);
        } catch (Throwable t) {
            throw CLibrary.failure("fallocate", t);
        }
    }

    private static int memfdCreate(MemorySegment errno, MemorySegment name, int flags) {
        try {
            return (int) MEMFD_CREATE.invokeExact(errno, name, MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
        } catch (Throwable t) {
            throw CLibrary.failure("memfd_create", t);
        }
    }

    private static int open(MemorySegment errno, MemorySegment path) {
        try {
            return (int) OPEN.invokeExact(errno, path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        } catch (Throwable t) {
            throw CLibrary.failure("open", t);
        }
    }

    private static int truncate(MemorySegment errno, int fd, long bytes) {
        try {
            return (int) FTRUNCATE.invokeExact(errno, fd, bytes);
        } catch (Throwable t) {
            throw CLibrary.failure("ftruncate", t);
        }
    }

    private static int fcntl(MemorySegment errno, int fd, int command, int argument) {
        try {
            return (int) FCNTL.invokeExact(errno, fd, command, argument);
        } catch (Throwable t) {
            throw CLibrary.failure("fcntl", t);
        }
    }

    private static int statx(MemorySegment errno, int fd, MemorySegment path, MemorySegment statx) {
        try {
            return (int) STATX.invokeExact(errno, fd, path, AT_EMPTY_PATH, STATX_SIZE, statx);
        } catch (Throwable t) {
            throw CLibrary.failure("statx", t);
        }
    }

    private static int closeCall(MemorySegment errno, int fd) {
        try {
            return (int) CLOSE.invokeExact(errno, fd);
        } catch (Throwable t) {
            throw CLibrary.failure("close", t);
        }
    }
}
