/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Gives things back to the driver when streams are done with them. Some calls of the driver wait for all that runs on
 * a device, and a kernel may wait for the thread that frees; so those are for when no stream of this process has work.
 * For all else it is enough that streams have passed what they had when it was given back. Nothing here waits, but for
 * whom it is asked for. Any platform thread.
 *
 * <p>No kernel starts between the look that finds all streams idle and the end of the call that waits for them: who
 * frees counts himself and then looks whether a stream launches, a stream says that it launches and then looks whether
 * a thread frees. Of two that meet, at least one sees the other, and gives way.
 */
final class GpuReclaimer {
    private static final Logger LOGGER = Subsystem.ALLOC.logger();
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final GpuProcess process;
    private final Set<GpuStream> streams = new LinkedHashSet<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final AtomicInteger freeing = new AtomicInteger();
    private volatile boolean isRefused;

    GpuReclaimer(GpuProcess process) {
        this.process = process;
    }

    /**
     * Something to give back.
     *
     * @param ordinal    of the device whose it is
     * @param what       for people
     * @param isBlocking whether the driver waits for the device then
     * @param action     does it
     */
    record Release(int ordinal, String what, boolean isBlocking, Consumer<GpuApi> action) {
    }

    /**
     * Something that waits.
     *
     * @param needsIdle whether no stream may have work
     * @param fences    events that have to be complete, on streams of all devices
     */
    private record Waiting(Release release, boolean needsIdle, List<Long> fences) {
    }

    synchronized void add(GpuStream stream) {
        streams.add(stream);
    }

    /** Locked, so that no stream is asked that is gone. */
    synchronized void destroy(GpuStream stream) {
        if (streams.remove(stream)) {
            stream.destroy();
        }
    }

    /** Gives something back, now or later. */
    void release(Release release) {
        synchronized (this) {
            waiting.add(release.isBlocking ? new Waiting(release, true, List.of()) : fenced(release));
        }
        sweep();
    }

    /** Gives something back, and waits until that is done; false if time is up before, and it is done later. */
    boolean release(Release release, long timeoutNs) {
        release(release);
        return await(timeoutNs, () -> has(release));
    }

    /** Gives back what waits as soon as it can be; false if time is up before that is all. */
    boolean sweep(long timeoutNs) {
        sweep();
        return await(timeoutNs, this::hasWaiting);
    }

    /** Gives back what waits and can be given back. */
    void sweep() {
        for (Waiting next = next(); next != null; next = next()) {
            run(next);
        }
    }

    synchronized boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    private synchronized boolean has(Release release) {
        return waiting.stream().anyMatch(each -> each.release == release);
    }

    private boolean await(long timeoutNs, BooleanSupplier isWaiting) {
        long start = System.nanoTime();
        while (isWaiting.getAsBoolean()) {
            if (System.nanoTime() - start >= timeoutNs) {
                return false;
            }
            Uninterruptibly.parkNanos(PAUSE_NS);
            sweep();
        }
        return true;
    }

    /** Whether a launch has to wait. Pairs with the volatile store of {@link GpuStream#isLaunching}. */
    boolean isFreeing() {
        return freeing.get() > 0;
    }

    /** What can be given back now; if it needs idle streams, launches are held off until that is done. */
    private synchronized Waiting next() {
        if (waiting.isEmpty()) {
            return null;
        }
        process.attach(waiting.getFirst().release.ordinal);
        freeing.incrementAndGet();
        Waiting next = find();
        if (next == null || !next.needsIdle) {
            freeing.decrementAndGet();
        }
        return next;
    }

    private Waiting find() {
        boolean isIdle = streams.stream().noneMatch(this::isBusy);
        for (Waiting each : waiting) {
            if (isIdle || !each.needsIdle && each.fences.stream().noneMatch(this::isPending)) {
                waiting.remove(each);
                return each;
            }
        }
        return null;
    }

    private boolean isBusy(GpuStream stream) {
        return stream.isLaunching() || stream.pending() == GpuApi.NOT_READY;
    }

    private boolean isPending(long fence) {
        return process.api().eventQuery(fence) == GpuApi.NOT_READY;
    }

    /** To be given back after all that streams have now; if they cannot say when, after all that they have then. */
    private Waiting fenced(Release release) {
        List<Long> fences = new ArrayList<>();
        boolean isFenced = true;
        for (GpuStream stream : streams) {
            isFenced &= !isBusy(stream) || stream.isThere() && fence(stream, fences);
        }
        return new Waiting(release, !isFenced, fences);
    }

    private boolean fence(GpuStream stream, List<Long> fences) {
        try {
            process.enter(stream.ordinal());
            long fence = process.api().eventCreate();
            fences.add(fence);
            return process.api().eventRecord(fence, stream.handle()) == GpuApi.SUCCESS;
        } catch (ProxyException e) {
            LOGGER.debug("{} cannot be fenced: {}", stream, e.getMessage());
            return false;
        }
    }

    /** A device whose context is lost refuses all, so that the log is told once; its memory went with the context. */
    private void run(Waiting next) {
        Release release = next.release;
        try {
            process.enter(release.ordinal);
            next.fences.forEach(process.api()::eventDestroy);
            release.action.accept(process.api());
        } catch (ProxyException e) {
            LOGGER.atLevel(isRefused ? Level.DEBUG : Level.WARN).log("{} does not take back {}: {}",
                    process.name(release.ordinal), release.what, e.getMessage());
            isRefused = true;
        } finally {
            if (next.needsIdle) {
                freeing.decrementAndGet();
            }
        }
    }
}
