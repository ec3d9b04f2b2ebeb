/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.gpu.NativeCalls.call;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.Linker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Descriptors that HIP still needs after it gave or got them. Its runtime may read an imported one only when the memory
 * is mapped, and may give the same one for every export: so it keeps its own until the handle is released, and its
 * callers have duplicates. Any thread.
 */
final class HipDescriptors {
    static final int NONE = -1;
    private static final GpuFunction DUP = function("dup");
    private static final GpuFunction CLOSE = function("close");

    private final Map<Long, List<Integer>> kept = new ConcurrentHashMap<>();

    private static GpuFunction function(String name) {
        return new GpuFunction(name, Linker.nativeLinker().defaultLookup().findOrThrow(name));
    }

    /** {@return a duplicate, the caller's} */
    int duplicate(int fd) {
        int duplicate = call(DUP, fd);
        if (duplicate < 0) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "descriptor " + fd + " cannot be duplicated: it is "
                    + "closed, or there are too many (ulimit -n)");
        }
        return duplicate;
    }

    /** Keeps what HIP gave for a handle. {@return a duplicate, the caller's} */
    int lend(long handle, int fd) {
        keep(handle, fd);
        return duplicate(fd);
    }

    /** Keeps a descriptor as long as a handle. */
    void keep(long handle, int fd) {
        kept.compute(handle, (key, fds) -> {
            List<Integer> all = fds == null ? new ArrayList<>() : fds;
            if (!all.contains(fd)) {
                all.add(fd);
            }
            return all;
        });
    }

    /** Closes what was kept for a handle. */
    void release(long handle) {
        List<Integer> fds = kept.remove(handle);
        if (fds != null) {
            fds.forEach(this::close);
        }
    }

    void close(int fd) {
        if (fd != NONE) {
            call(CLOSE, fd);
        }
    }
}
