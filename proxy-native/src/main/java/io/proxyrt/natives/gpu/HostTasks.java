/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.Subsystem;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * What drivers' threads run for streams. A driver knows a task by its number, so that a late call finds none instead of
 * code that is gone. Thread-safe.
 */
final class HostTasks {
    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final Map<Long, Runnable> TASKS = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();
    /** {@code cudaHostFn_t}: runs a task that a graph may run again. */
    static final long RUN = stub("run");
    /** The same, for the only time. */
    static final long RUN_ONCE = stub("runOnce");
    /** No driver runs it any more. */
    static final long FORGET = stub("forget");

    private HostTasks() {
    }

    /** Returns the number of a task, which is there until it is forgotten. */
    static long add(Runnable task) {
        long number = LAST.incrementAndGet();
        TASKS.put(number, task);
        return number;
    }

    static void forget(long number) {
        TASKS.remove(number);
    }

    static void run(long number) {
        run(TASKS.get(number));
    }

    static void runOnce(long number) {
        run(TASKS.remove(number));
    }

    /** Nothing may be thrown into a driver: that would end the process. */
    private static void run(Runnable task) {
        try {
            if (task != null) {
                task.run();
            }
        } catch (RuntimeException | Error e) {
            LOGGER.error("a task of a GPU's stream failed", e);
        }
    }

    @SuppressWarnings("restricted")
    private static long stub(String name) {
        try {
            MethodHandle function = MethodHandles.lookup().findStatic(HostTasks.class, name,
                    MethodType.methodType(void.class, long.class));
            return Linker.nativeLinker().upcallStub(function, FunctionDescriptor.ofVoid(JAVA_LONG), Arena.global())
                    .address();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(name, e);
        }
    }
}
