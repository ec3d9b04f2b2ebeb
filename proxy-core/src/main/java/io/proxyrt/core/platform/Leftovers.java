/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process would leave in file systems if it ended now: whoever makes something there says how to remove it.
 * The library adds no shutdown hook and handles no signal. A program that a signal may end, and that wants nothing left
 * until the next runtime comes along, calls {@link #removeAll()} in a hook of its own, after its runtimes had time to
 * close.
 */
public final class Leftovers {
    private static final Logger LOGGER = LoggerFactory.getLogger(Leftovers.class);
    private static final Map<Path, Runnable> ALL = new LinkedHashMap<>();
    private static boolean isOver;

    private Leftovers() {
    }

    /**
     * Says what is there, once it is. Any thread.
     *
     * @param path    of it
     * @param removal of it; may run on any thread, and once more after it was removed already
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} after {@link #removeAll()}; it has been removed then
     */
    public static void add(Path path, Runnable removal) {
        synchronized (ALL) {
            if (!isOver) {
                ALL.put(path, removal);
                return;
            }
        }
        removal.run();
        throw new ProxyException(ProxyResult.INVALID_USAGE, "this process is about to end: it makes no more files");
    }

    /**
     * Says that whoever made it removes it now. Any thread.
     *
     * @param path of it; may be unknown
     */
    public static void forget(Path path) {
        synchronized (ALL) {
            ALL.remove(path);
        }
    }

    /** Removes all there is, the last first. From now on this process can make no more; what is mapped stays mapped. */
    public static void removeAll() {
        List<Runnable> removals;
        synchronized (ALL) {
            isOver = true;
            removals = new ArrayList<>(ALL.values()).reversed();
        }
        for (Runnable removal : removals) {
            try {
                removal.run();
            } catch (RuntimeException e) {
                LOGGER.warn("not everything is removed: {}", e.getMessage());
            }
        }
    }
}
