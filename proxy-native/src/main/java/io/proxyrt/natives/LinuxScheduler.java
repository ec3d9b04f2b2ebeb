/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.thread.CpuList;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;

/** {@code sched.h}: where and when a thread runs. */
final class LinuxScheduler {
    private static final int THIS_THREAD = 0;
    private static final int SCHED_FIFO = 1;
    /** Threads that this one starts have no such priority. */
    private static final int SCHED_RESET_ON_FORK = 0x4000_0000;
    private static final int POLICY = SCHED_FIFO | SCHED_RESET_ON_FORK;
    private static final int MAX_PRIORITY = 99;
    private static final long MIN_MASK_BYTES = 1024 / Byte.SIZE;
    private static final long MAX_MASK_BYTES = 1 << 16;
    private static final FunctionDescriptor AFFINITY = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle GET_AFFINITY = CLibrary.link("sched_getaffinity", AFFINITY, Errno.CAPTURED);
    private static final MethodHandle SET_AFFINITY = CLibrary.link("sched_setaffinity", AFFINITY, Errno.CAPTURED);
    private static final MethodHandle SET_SCHEDULER = CLibrary.link("sched_setscheduler",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS), Errno.CAPTURED);

    private LinuxScheduler() {
    }

    /** Strictly, those of the process's first thread; no code of a JVM runs there, so only tools bind it. */
    static BitSet processCpus() {
        return cpus((int) ProcessHandle.current().pid(), "process");
    }

    static BitSet threadCpus() {
        return cpus(THIS_THREAD, "calling thread");
    }

    static void bindThread(BitSet cpus) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            MemorySegment mask = arena.allocateFrom(JAVA_LONG, cpus.toLongArray());
            if (call(SET_AFFINITY, errno, THIS_THREAD, mask) != 0) {
                throw Errno.failure("cannot bind the calling thread to the CPUs " + CpuList.format(cpus),
                        Errno.of(errno), "; this process may use " + CpuList.format(processCpus()));
            }
        }
    }

    static void realtimePriority(int priority) {
        if (priority < 1 || priority > MAX_PRIORITY) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a real-time priority of " + priority
                    + ": must be in 1.." + MAX_PRIORITY);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            MemorySegment parameters = arena.allocateFrom(JAVA_INT, priority);
            int status;
            try {
                status = (int) SET_SCHEDULER.invokeExact(errno, THIS_THREAD, POLICY, parameters);
            } catch (Throwable t) {
                throw CLibrary.failure("sched_setscheduler", t);
            }
            if (status != 0) {
                throw Errno.failure("cannot give the calling thread SCHED_FIFO priority " + priority, Errno.of(errno),
                        "; it takes the capability CAP_SYS_NICE, or an RLIMIT_RTPRIO (ulimit -r) of " + priority
                                + " at least");
            }
        }
    }

    /** The kernel refuses a mask that is shorter than its own, and does not say how long that is. */
    private static BitSet cpus(int id, String whose) {
        for (long bytes = MIN_MASK_BYTES; ; bytes *= 2) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment errno = Errno.capture(arena);
                MemorySegment mask = arena.allocate(bytes, JAVA_LONG.byteAlignment());
                if (call(GET_AFFINITY, errno, id, mask) == 0) {
                    return BitSet.valueOf(mask.toArray(JAVA_LONG));
                }
                if (Errno.of(errno) != Errno.EINVAL || bytes >= MAX_MASK_BYTES) {
                    throw Errno.failure("cannot ask for the CPUs of the " + whose, Errno.of(errno), "");
                }
            }
        }
    }

    private static int call(MethodHandle affinity, MemorySegment errno, int id, MemorySegment mask) {
        try {
            return (int) affinity.invokeExact(errno, id, mask.byteSize(), mask);
        } catch (Throwable t) {
            throw CLibrary.failure("the affinity functions", t);
        }
    }
}
