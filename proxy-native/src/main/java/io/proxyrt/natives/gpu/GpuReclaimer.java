/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Gives things back to the driver when no stream of this process has work. Earlier is wrong for mappings, which
 * kernels and copies may be using; and for all else the driver would wait for the kernels, which may themselves wait
 * for the thread that frees. So nothing here waits, but for whom it is asked for. Any platform thread.
 */
final class GpuReclaimer {
    private static final Logger LOGGER = LoggerFactory.getLogger("proxyrt.device");
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final GpuProcess process;
    private final Set<GpuStream> streams = new LinkedHashSet<>();
    private final Queue<Release> waiting = new ArrayDeque<>();
    private volatile boolean isRefused;

    GpuReclaimer(GpuProcess process) {
        this.process = process;
    }

    /**
     * Something to give back.
     *
     * @param ordinal of the device whose it is
     * @param what    for people
     * @param action  does it
     */
    record Release(int ordinal, String what, Consumer<GpuApi> action) {
    }

    synchronized void add(GpuStream stream) {
        streams.add(stream);
    }

    /** Locked, so that nobody asks a stream that is gone. */
    synchronized void destroy(GpuStream stream) {
        if (streams.remove(stream)) {
            stream.destroy();
        }
    }

    /** Gives something back, now or later. */
    void release(Release release) {
        synchronized (this) {
            waiting.add(release);
        }
        sweep();
    }

    /** Gives back what waits, unless a stream has work. */
    void sweep() {
        for (Release next = next(); next != null; next = next()) {
            run(next);
        }
    }

    /** Waits until no stream has work, then gives back what waits; false if time is up before. */
    boolean sweep(long timeoutNs) {
        long start = System.nanoTime();
        while (isBusy() && System.nanoTime() - start < timeoutNs && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(PAUSE_NS);
        }
        sweep();
        return !hasWaiting();
    }

    synchronized boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    private synchronized boolean isBusy() {
        for (GpuStream stream : streams) {
            if (process.api().streamQuery(stream.handle()) == GpuApi.NOT_READY) {
                return true;
            }
        }
        return false;
    }

    private synchronized Release next() {
        return waiting.isEmpty() || isBusy() ? null : waiting.poll();
    }

    /** A device whose context is lost refuses all, so that the log is told once; its memory went with the context. */
    private void run(Release release) {
        try {
            process.enter(release.ordinal());
            release.action().accept(process.api());
        } catch (ProxyException e) {
            LOGGER.atLevel(isRefused ? Level.DEBUG : Level.WARN).log("{} does not take back {}: {}",
                    process.name(release.ordinal()), release.what(), e.getMessage());
            isRefused = true;
        }
    }
}
