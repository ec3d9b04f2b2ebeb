/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceStream;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The stream that copies for all connections with one peer in one direction. An engine takes longer from copy to copy
 * than a step of a megabyte takes on the wire, but not within a list of them. So steps gather while two flushes are
 * under way, and then go as one: the busier the engine, the larger its flushes, while a step that comes alone goes at
 * once.
 *
 * <pre>
 *   steps of all connections ──▶ gathering ──▶ flush: copies, in any order; then tails; then an event
 *                                                └─ at most two under way ─┘
 * </pre>
 *
 * <p>The progress thread adds and polls. The service thread waits for what an engine has on it before that is freed, so
 * all this is locked, and nearly always by nobody else.
 */
final class CopyLane implements AutoCloseable {
    /** One that is copied, and one for the engine to go on with while the proxy looks elsewhere. */
    private static final int FLUSHES = 2;
    private static final int CAPACITY = 64;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final long PAUSE_NS = 20_000;

    private final DeviceStream stream;
    private final DeviceEvent[] events = new DeviceEvent[FLUSHES];
    private final CopyList data = new CopyList(CAPACITY);
    private final CopyList tails = new CopyList(CAPACITY);
    private long submitted;
    private volatile long completed;
    private volatile int failure;
    /** The stream was full when it had part of a flush: nothing can be added to that. */
    private boolean isLeaving;

    CopyLane(Device device, String name) {
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
        if (isLeaving || data.size() == CAPACITY || tails.size() == CAPACITY) {
            return 0;
        }
        if (bytes > 0) {
            engine.addCopy(data, slot, bytes);
        }
        engine.addTail(tails, slot, submitted + 1);
        return submitted + 1;
    }

    /** Before each pass: what has gathered leaves as soon as the engine has little to do. Progress thread. */
    synchronized void poll() {
        complete();
        if (failure == 0 && submitted - completed < FLUSHES && data.size() + tails.size() > 0) {
            flush();
        }
    }

    /** Whether a flush is done: 1, 0, or a negated result. */
    int isDone(long flush) {
        return completed >= flush ? 1 : failure;
    }

    String failure() {
        return stream.failure();
    }

    private void complete() {
        while (failure == 0 && completed < submitted) {
            int state = events[(int) (completed % FLUSHES)].query();
            if (state == 0) {
                return;
            }
            if (state > 0) {
                completed++;
            } else {
                failure = state;
            }
        }
    }

    private void flush() {
        isLeaving = true;
        int state = stream.copyAll(data);
        state = state > 0 ? stream.copyAll(tails) : state;
        state = state > 0 ? stream.record(events[(int) (submitted % FLUSHES)]) : state;
        if (state > 0) {
            data.clear();
            tails.clear();
            submitted++;
            isLeaving = false;
        } else if (state < 0) {
            failure = state;
        }
    }

    /**
     * Waits until a flush is done, and so all before it. Blocks, whoever else polls.
     *
     * @throws ProxyException {@link ProxyResult#TIMEOUT} if it is not in five seconds
     */
    void await(long flush) {
        long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        for (poll(); isDone(flush) == 0; poll()) {
            if (System.nanoTime() - deadline > 0) {
                throw new ProxyException(ProxyResult.TIMEOUT, "copies are still under way after "
                        + CLOSE_TIMEOUT.toSeconds() + " s on " + stream);
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /** Of no engine any more. */
    @Override
    public void close() {
        try (Owned owned = new Owned()) {
            for (DeviceEvent event : events) {
                owned.add(event);
            }
            owned.add(stream);
        }
    }
}
