/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * What this process would leave in file systems if it ended now. Code that makes something there does so in {@link
 * #make}, and registers its removal with {@link #add}. The library adds no shutdown hook and handles no signal. A
 * program that a signal may end, and that wants nothing left until the next runtime comes along, calls {@link
 * #removeAll()} in a hook of its own, after its runtimes had time to close. Other threads still run then: what one of
 * them is just making is waited for, and what one of them is just removing is removed.
 */
public final class Leftovers {
    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final long MAKING_MILLIS = 2_000;
    /** Shared by those that make something, each for a few system calls. */
    private static final ReentrantReadWriteLock MAKING = new ReentrantReadWriteLock();
    private static final Map<Path, Runnable> ALL = new LinkedHashMap<>();
    private static volatile boolean isOver;

    private Leftovers() {
    }

    /**
     * Makes something, and registers it, before or after {@link #removeAll()} but not meanwhile. Any thread.
     *
     * @param <T>   what is made
     * @param maker calls {@link #add} once it is there, or leaves nothing; must not block
     * @return what the maker made
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} after {@link #removeAll()}; nothing is made then
     */
    public static <T> T make(Supplier<T> maker) {
        MAKING.readLock().lock();
        try {
            if (isOver) {
                throw new ProxyException(ProxyResult.INVALID_USAGE,
                        "this process is about to end: it makes no more files");
            }
            return maker.get();
        } finally {
            MAKING.readLock().unlock();
        }
    }

    /**
     * Registers what a maker has made. Any thread, within {@link #make}.
     *
     * @param path    of it
     * @param removal of it; may run on any thread, also while another one removes it or after that
     */
    public static void add(Path path, Runnable removal) {
        assert MAKING.getReadHoldCount() > 0 : path;
        synchronized (ALL) {
            ALL.put(path, removal);
        }
    }

    /**
     * Removes what was registered. Any thread; nothing happens if it is not registered, or no more.
     *
     * @param path of it
     */
    public static void remove(Path path) {
        Runnable removal;
        synchronized (ALL) {
            removal = ALL.get(path);
        }
        if (removal != null) {
            try {
                // Registered until it is gone: the process may end in between.
                removal.run();
            } finally {
                synchronized (ALL) {
                    ALL.remove(path, removal);
                }
            }
        }
    }

    /** Removes all there is, the last first. From now on this process can make no more; what is mapped stays mapped. */
    public static void removeAll() {
        isOver = true;
        awaitMakers();
        List<Runnable> removals;
        synchronized (ALL) {
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

    private static void awaitMakers() {
        boolean isInterrupted = Thread.interrupted();
        try {
            if (MAKING.writeLock().tryLock(MAKING_MILLIS, TimeUnit.MILLISECONDS)) {
                MAKING.writeLock().unlock();
            } else {
                LOGGER.warn("a thread makes a file for {} ms already: it may be left behind", MAKING_MILLIS);
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
