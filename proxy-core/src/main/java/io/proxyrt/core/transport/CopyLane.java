/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceStream;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * The stream that copies for all connections with one peer in one direction. An engine takes longer from one command to
 * the next than a step of a megabyte takes on the wire, but not within a list of copies. So steps gather while two
 * flushes are under way, and then go as one: the busier the engine, the larger its flushes, while a step that comes
 * alone goes at once. Tails go with the next flush, at whose beginning the data are there, or alone if none is ready.
 *
 * <pre>
 *   steps of all connections ──▶ gathering ──▶ flush n: tails of flush n - 1, copies; then an event
 *                                                └─ at most two under way ─┘
 * </pre>
 *
 * <p>The progress thread adds and polls. The service thread waits for what an engine has on it before that is freed, so
 * all this is locked; the lock is nearly always free.
 */
final class CopyLane implements AutoCloseable {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    /** With copies: one that is copied, and one for the engine to go on with while the proxy looks elsewhere. */
    private static final int BUSY_FLUSHES = 2;
    /** With tails only, too. */
    private static final int FLUSHES = 4;
    private static final int MOST_COPIES = 64;
    /** Long enough to make little of what a flush takes, short enough for receivers to begin meanwhile. */
    private static final long MOST_BYTES = 32L << 20;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final long PAUSE_NS = 20_000;

    private final DeviceStream stream;
    private final String name;
    private final DeviceEvent[] events = new DeviceEvent[FLUSHES];
    /** First the tails of the flush before, and what they need. */
    private CopyList gathering = new CopyList(3 * MOST_COPIES);
    private CopyList next = new CopyList(3 * MOST_COPIES);
    private int gatheredCopies;
    private long gatheredBytes;
    /** By flush: whether it has copies. */
    private final boolean[] isBusy = new boolean[FLUSHES];
    private int busyFlushes;
    private long submitted;
    private long copies;
    private volatile long completed;
    /** The last flush whose tails the stream has. */
    private volatile long tailed;
    private volatile int failure;
    /** The stream was full when it had part of a flush: nothing can be added to that. */
    private boolean isLeaving;

    CopyLane(Device device, String name) {
        this.name = name;
        try (Owned owned = new Owned()) {
            stream = owned.add(device.stream(name));
            for (int i = 0; i < FLUSHES; i++) {
                events[i] = owned.add(device.event());
            }
            owned.release();
        }
    }

    /**
     * Has the slice in a slot copied, and the engine's tail after it, if it is a stream's to store.
     *
     * @return the number of the flush that it is part of; 0 if there is no room now; a negated result
     */
    synchronized long add(CopyEngine engine, int slot, long bytes) {
        if (failure < 0) {
            return failure;
        }
        if (isLeaving || gatheredCopies == MOST_COPIES || gatheredBytes + bytes > MOST_BYTES && gatheredCopies > 0) {
            return 0;
        }
        if (bytes > 0) {
            engine.addCopy(gathering, slot, bytes);
        }
        engine.addTail(next, slot, submitted + 2, completed);
        gatheredCopies++;
        gatheredBytes += bytes;
        return submitted + 1;
    }

    /** Before each pass, on the thread that adds, which sees by itself whether there is nothing. */
    void pollIfBusy() {
        if (submitted != completed || gatheredCopies > 0 || gathering.size() > 0) {
            poll();
        }
    }

    /** What has gathered leaves as soon as the engine has little to do. */
    synchronized void poll() {
        complete();
        boolean hasRoom = submitted - completed < FLUSHES && busyFlushes < BUSY_FLUSHES;
        if (failure == 0 && hasRoom && gathering.size() + next.size() > 0) {
            flush();
        }
        assert isOrdered() : name;
    }

    /** Whether copies of a flush are done, and its tails, if it has any, on their way: 1, 0, or a negated result. */
    int isDone(long flush, boolean hasTails) {
        return completed >= flush && (!hasTails || tailed >= flush) ? 1 : failure;
    }

    String failure() {
        return stream.failure();
    }

    /** Whether flushes are counted as they go: submitted, tails given to the stream with the next one, completed. */
    private boolean isOrdered() {
        return tailed <= submitted && completed <= submitted && submitted - completed <= FLUSHES && busyFlushes >= 0
                && busyFlushes <= submitted - completed && gatheredCopies <= MOST_COPIES;
    }

    private void complete() {
        long done = completed;
        int state = failure < 0 ? 0 : 1;
        while (state > 0 && done < submitted) {
            int oldest = (int) (done % FLUSHES);
            state = events[oldest].query();
            if (state > 0) {
                busyFlushes -= isBusy[oldest] ? 1 : 0;
                done++;
            }
        }
        completed = done;
        if (state < 0) {
            failure = state;
        }
    }

    private void flush() {
        isLeaving = true;
        int state = stream.copyAll(gathering);
        state = state > 0 ? stream.record(events[(int) (submitted % FLUSHES)]) : state;
        if (state > 0) {
            turn();
        } else if (state < 0) {
            failure = state;
        }
    }

    /** What was gathered is the stream's: from now on the next flush gathers, and has its tails already. */
    private void turn() {
        CopyList left = gathering;
        left.clear();
        gathering = next;
        next = left;
        boolean hasCopies = gatheredCopies > 0;
        isBusy[(int) (submitted % FLUSHES)] = hasCopies;
        busyFlushes += hasCopies ? 1 : 0;
        copies += gatheredCopies;
        gatheredCopies = 0;
        gatheredBytes = 0;
        tailed = submitted;
        submitted++;
        isLeaving = false;
    }

    /**
     * Waits until a flush is done, and so all before it. Blocks, also while another thread polls.
     *
     * @throws ProxyException {@link ProxyResult#TIMEOUT} if it is not in five seconds
     */
    void await(long flush) {
        long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        for (poll(); completed < flush && failure == 0; poll()) {
            if (System.nanoTime() - deadline > 0) {
                throw new ProxyException(ProxyResult.TIMEOUT, name + ": copies are still under way after "
                        + CLOSE_TIMEOUT.toSeconds() + " s; the device does not answer");
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /** Of no engine any more. */
    @Override
    public void close() {
        LOGGER.debug("{}: {} copies in {} flushes", name, copies, submitted);
        try (Owned owned = new Owned()) {
            for (DeviceEvent event : events) {
                owned.add(event);
            }
            owned.add(stream);
        }
    }
}
