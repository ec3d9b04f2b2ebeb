/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import static io.proxyrt.natives.verbs.IbvLibrary.MEMORY;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.natives.CFunction;
import io.proxyrt.natives.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout.OfInt;
import java.util.function.ToLongFunction;

/**
 * What libibverbs made, and how it ends: after all that was made of it, which libibverbs does not see to everywhere.
 * All that is made of a device has one lock, which no call of the data path takes.
 */
final class IbvObject {
    private final Object lock;
    private final String name;
    private final CFunction end;
    private final IbvObject[] parents;
    private long address;
    private int users;

    private IbvObject(Object lock, String name, CFunction end, IbvObject... parents) {
        this.lock = lock;
        this.name = name;
        this.end = end;
        this.parents = parents;
    }

    /** An open device. */
    static IbvObject ofDevice(String name, CFunction end) {
        return new IbvObject(new Object(), name, end);
    }

    /** Something made of others. */
    static IbvObject of(String name, CFunction end, IbvObject... parents) {
        return new IbvObject(parents[0].lock, name, end, parents);
    }

    /**
     * Makes it. Nothing that can fail comes after the call, so there is nothing to undo.
     *
     * @param call gets where errno is captured; returns an address, or 0
     * @return errno; 0 if it was made
     */
    int make(ToLongFunction<MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            synchronized (lock) {
                for (IbvObject parent : parents) {
                    parent.requireOpen();
                }
                address = call.applyAsLong(errno);
                if (address == 0) {
                    return Errno.of(errno);
                }
                for (IbvObject parent : parents) {
                    parent.users++;
                }
                return 0;
            }
        }
    }

    private void requireOpen() {
        if (address == 0) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + " is closed");
        }
    }

    /** Where it is; 0 if it is closed. */
    long address() {
        return address;
    }

    /** Where it is, for a call of the control path. */
    long openAddress() {
        requireOpen();
        return address;
    }

    int read(OfInt layout, long offset) {
        return MEMORY.get(layout, openAddress() + offset);
    }

    String name() {
        return name;
    }

    /**
     * Ends it. Idempotent.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if something that was made of it is open still,
     *                        {@link ProxyResult#SYSTEM_ERROR} if libibverbs refuses
     */
    void close() {
        synchronized (lock) {
            if (address == 0) {
                return;
            }
            if (users > 0) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "cannot close " + name + ": EBUSY (16), " + users
                        + " that belong to it are open still; close them first");
            }
            end();
            address = 0;
            for (IbvObject parent : parents) {
                parent.users--;
            }
        }
    }

    private void end() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            int result = IbvCalls.call(end, errno, address);
            if (result != 0) {
                throw Errno.failure("cannot close " + name, IbvErrors.errno(result, errno), "");
            }
        }
    }
}
