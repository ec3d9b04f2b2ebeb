/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.platform.Poller;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntConsumer;

/** {@code epoll(7)}, and an {@code eventfd(2)} that ends a wait. */
final class LinuxPoller implements Poller {
    private static final int EPOLL_CLOEXEC = 0x80000;
    private static final int EFD_CLOEXEC_NONBLOCK = 0x80000 | 0x800;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int EPOLL_CTL_MOD = 3;
    private static final int EPOLLIN = 1;
    private static final int EPOLLOUT = 4;
    private static final short POLLIN = 1;
    private static final short POLLOUT = 4;
    private static final int POLLFD_BYTES = 8;
    private static final int MAX_EVENTS = 64;
    /** {@code struct epoll_event} is packed on x86-64 alone. */
    private static final boolean IS_PACKED = System.getProperty("os.arch").equals("amd64");
    private static final int EVENT_BYTES = IS_PACKED ? 12 : 16;
    private static final int EVENT_DATA = IS_PACKED ? 4 : 8;
    private static final long MS_NS = 1_000_000;

    private static final MethodHandle EPOLL_CREATE = CLibrary.link("epoll_create1",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT), Errno.CAPTURED);
    private static final MethodHandle EPOLL_CTL = CLibrary.link("epoll_ctl",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS), Errno.CAPTURED);
    private static final MethodHandle EPOLL_WAIT = CLibrary.link("epoll_wait",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), Errno.CAPTURED);
    private static final MethodHandle EVENTFD = CLibrary.link("eventfd",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT), Errno.CAPTURED);
    private static final FunctionDescriptor TRANSFER = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle READ = CLibrary.link("read", TRANSFER, Errno.CAPTURED);
    private static final MethodHandle WRITE = CLibrary.link("write", TRANSFER, Errno.CAPTURED);
    private static final MethodHandle POLL = CLibrary.link("poll",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT), Errno.CAPTURED);

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment errno = Errno.capture(arena);
    private final MemorySegment events = arena.allocate((long) MAX_EVENTS * EVENT_BYTES, JAVA_LONG.byteAlignment());
    private final MemorySegment event = arena.allocate(EVENT_BYTES, JAVA_LONG.byteAlignment());
    private final MemorySegment count = arena.allocate(JAVA_LONG);
    private final Set<Integer> watched = new HashSet<>();
    private final OwnedFd epoll;
    private final OwnedFd alarm;
    private boolean isClosed;

    LinuxPoller() {
        epoll = LinuxDescriptors.INSTANCE.adopt(Errno.checked(create(errno), errno, "cannot wait for descriptors"));
        try {
            alarm = LinuxDescriptors.INSTANCE.adopt(
                    Errno.checked(eventfd(errno), errno, "cannot make an event to wait for"));
        } catch (RuntimeException e) {
            epoll.close();
            throw e;
        }
        watch(alarm.number(), true, false);
    }

    @Override
    public void watch(int number, boolean isRead, boolean isWrite) {
        int operation = watched.contains(number) ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
        Errno.checked(control(operation, number, (isRead ? EPOLLIN : 0) | (isWrite ? EPOLLOUT : 0)), errno,
                "cannot watch file descriptor " + number);
        watched.add(number);
    }

    @Override
    public void remove(int number) {
        watched.remove(number);
        Errno.checked(control(EPOLL_CTL_DEL, number, 0), errno, "cannot forget file descriptor " + number);
    }

    @Override
    public int poll(long maxNs, IntConsumer ready) {
        int found = epollWait(maxNs <= 0 ? 0 : Math.clamp((maxNs + MS_NS - 1) / MS_NS, 1, Integer.MAX_VALUE));
        if (found < 0 && Errno.of(errno) != Errno.EINTR) {
            Errno.checked(found, errno, "cannot wait for descriptors");
        }
        int others = 0;
        for (int i = 0; i < found; i++) {
            int number = events.get(JAVA_INT_UNALIGNED, (long) i * EVENT_BYTES + EVENT_DATA);
            if (number == alarm.number()) {
                transfer(READ, alarm.number(), count);
            } else if (watched.contains(number)) {
                ready.accept(number);
                others++;
            }
        }
        return others;
    }

    @Override
    public int number() {
        return epoll.number();
    }

    /** Under a lock, so that a late one cannot write into what has got the number of a closed alarm. */
    @Override
    public synchronized void wakeup() {
        if (!isClosed) {
            try (Arena mine = Arena.ofConfined()) {
                transfer(WRITE, alarm.number(), mine.allocateFrom(JAVA_LONG, 1));
            }
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        alarm.close();
        epoll.close();
    }

    /** {@code poll(2)}, for one descriptor. */
    static boolean await(int number, boolean isWrite, long maxNs) {
        try (Arena mine = Arena.ofConfined()) {
            MemorySegment failure = Errno.capture(mine);
            MemorySegment pollFd = mine.allocate(POLLFD_BYTES, JAVA_INT.byteAlignment());
            pollFd.set(JAVA_INT, 0, number);
            pollFd.set(JAVA_SHORT, JAVA_INT.byteSize(), isWrite ? POLLOUT : POLLIN);
            int timeoutMs = maxNs <= 0 ? 0 : Math.clamp((maxNs + MS_NS - 1) / MS_NS, 1, Integer.MAX_VALUE);
            int ready;
            try {
                ready = (int) POLL.invokeExact(failure, pollFd, 1L, timeoutMs);
            } catch (Throwable t) {
                throw CLibrary.failure("poll", t);
            }
            if (ready < 0 && Errno.of(failure) != Errno.EINTR) {
                throw Errno.failure("cannot wait for file descriptor " + number, Errno.of(failure), "");
            }
            return ready > 0;
        }
    }

    private static int create(MemorySegment errno) {
        try {
            return (int) EPOLL_CREATE.invokeExact(errno, EPOLL_CLOEXEC);
        } catch (Throwable t) {
            throw CLibrary.failure("epoll_create1", t);
        }
    }

    private static int eventfd(MemorySegment errno) {
        try {
            return (int) EVENTFD.invokeExact(errno, 0, EFD_CLOEXEC_NONBLOCK);
        } catch (Throwable t) {
            throw CLibrary.failure("eventfd", t);
        }
    }

    private int control(int operation, int number, int interest) {
        int waiter = epoll.number();
        event.set(JAVA_INT, 0, interest);
        event.set(JAVA_INT_UNALIGNED, EVENT_DATA, number);
        try {
            return (int) EPOLL_CTL.invokeExact(errno, waiter, operation, number, event);
        } catch (Throwable t) {
            throw CLibrary.failure("epoll_ctl", t);
        }
    }

    private int epollWait(int timeoutMs) {
        int waiter = epoll.number();
        try {
            return (int) EPOLL_WAIT.invokeExact(errno, waiter, events, MAX_EVENTS, timeoutMs);
        } catch (Throwable t) {
            throw CLibrary.failure("epoll_wait", t);
        }
    }

    /** Fails only for a count that is zero, or at its greatest, and both are fine. */
    private static void transfer(MethodHandle call, int number, MemorySegment word) {
        try (Arena mine = Arena.ofConfined()) {
            long ignored = (long) call.invokeExact(Errno.capture(mine), number, word, word.byteSize());
            assert ignored <= word.byteSize() : ignored;
        } catch (Throwable t) {
            throw CLibrary.failure("read and write", t);
        }
    }
}
