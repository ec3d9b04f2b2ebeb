/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import java.time.Duration;
import org.slf4j.Logger;

/** A stream of the host device: checks what it is asked for, and gives it to an engine. */
final class HostDeviceStream implements DeviceStream {
    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final HostDevice device;
    private final HostEngine engine;
    private volatile boolean isClosed;
    private String refusal = "";

    HostDeviceStream(HostDevice device, HostEngine engine) {
        this.device = device;
        this.engine = engine;
    }

    @Override
    public String toString() {
        return "a stream of " + device.name();
    }

    @Override
    public int copy(DeviceMemory to, long toOffset, DeviceMemory from, long fromOffset, long bytes) {
        int state = state();
        if (state <= 0) {
            return state;
        }
        if (!isWithin(to, toOffset, bytes) || !isWithin(from, fromOffset, bytes)) {
            return refused(ProxyResult.INVALID_ARGUMENT, "copy of " + bytes + " bytes from " + from + " at "
                    + fromOffset + " to " + to + " at " + toOffset + ": " + why(to, toOffset, bytes)
                    + why(from, fromOffset, bytes));
        }
        HostMemory target = (HostMemory) to.base();
        HostMemory source = (HostMemory) from.base();
        if (target.segment().isReadOnly() || isOverlapping(to, toOffset, from, fromOffset, bytes)) {
            return refused(ProxyResult.INVALID_ARGUMENT, "copy of " + bytes + " bytes from " + from + " at "
                    + fromOffset + " to " + to + " at " + toOffset + ": the target is read-only, or overlaps");
        }
        engine.next().copy(target, to.baseOffset() + toOffset, source, from.baseOffset() + fromOffset, bytes);
        engine.post();
        return 1;
    }

    @Override
    public int record(DeviceEvent event) {
        int state = state();
        if (state < 0) {
            return state;
        }
        if (!isUsable(event) || ((HostEvent) event).device() != device) {
            return refused(ProxyResult.INVALID_ARGUMENT, "record of an event of another device, or a closed one");
        }
        ((HostEvent) event).record(engine, engine.posted());
        return 1;
    }

    @Override
    public int await(DeviceEvent event) {
        int state = state();
        if (state <= 0) {
            return state;
        }
        if (!isUsable(event)) {
            return refused(ProxyResult.INVALID_ARGUMENT, "wait for an event of another device, or a closed one");
        }
        HostEvent other = (HostEvent) event;
        if (other.engine() != null && other.engine() != engine) {
            engine.next().await(other.engine(), other.count());
            engine.post();
        }
        return 1;
    }

    @Override
    public int write(DeviceMemory to, long offset, long value) {
        int state = state();
        if (state <= 0) {
            return state;
        }
        if (!isWithin(to, offset, Long.BYTES) || (to.address() + offset) % Long.BYTES != 0
                || to.base().segment().isReadOnly()) {
            return refused(ProxyResult.INVALID_ARGUMENT, "write to " + to + " at " + offset + ": "
                    + why(to, offset, Long.BYTES) + " it must be 8 aligned bytes that are not read-only");
        }
        engine.next().write((HostMemory) to.base(), to.baseOffset() + offset, value);
        engine.post();
        return 1;
    }

    @Override
    public int query() {
        return engine.hasFailed() ? -engine.reason().code() : engine.query(engine.posted());
    }

    @Override
    public void synchronize(Duration timeout) {
        int state = engine.await(engine.posted(), System.nanoTime()
                + (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos());
        if (state == 0) {
            boolean isInterrupted = Thread.currentThread().isInterrupted();
            throw new ProxyException(isInterrupted ? ProxyResult.INVALID_USAGE : ProxyResult.TIMEOUT, "stream "
                    + engine.name() + " of " + device.name() + " is not done " + (isInterrupted
                    ? "and the thread that waits is interrupted" : "after " + timeout) + "; "
                    + (engine.posted() - engine.completed()) + " commands are left, it is at: " + engine.current());
        }
        if (state < 0) {
            throw new ProxyException(engine.reason(), engine.failure());
        }
    }

    @Override
    public String failure() {
        return engine.hasFailed() ? engine.failure() : refusal;
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        device.forget(this);
        if (!engine.close(CLOSE_TIMEOUT)) {
            LOGGER.warn("stream {} of {} does not end: after {} it is still at: {}", engine.name(), device.name(),
                    CLOSE_TIMEOUT, engine.current());
        }
    }

    /** 1 if a command can be posted, 0 if the ring is full, else a negated result. */
    private int state() {
        if (engine.hasFailed()) {
            return -engine.reason().code();
        }
        if (isClosed) {
            return refused(ProxyResult.INVALID_USAGE, "it is closed");
        }
        return engine.hasRoom() ? 1 : 0;
    }

    private boolean isUsable(DeviceEvent event) {
        return event instanceof HostEvent own && !own.isClosed() && device.reaches(own.device());
    }

    private boolean isWithin(DeviceMemory memory, long offset, long bytes) {
        return isReached(memory) && offset >= 0 && bytes >= 0 && offset <= memory.bytes() - bytes;
    }

    private boolean isReached(DeviceMemory memory) {
        return memory.base() instanceof HostMemory own && device.reaches(own.device()) && own.isAlive();
    }

    private static boolean isOverlapping(DeviceMemory to, long toOffset, DeviceMemory from, long fromOffset,
            long bytes) {
        return Math.abs(to.address() + toOffset - from.address() - fromOffset) < bytes;
    }

    private String why(DeviceMemory memory, long offset, long bytes) {
        if (isWithin(memory, offset, bytes)) {
            return "";
        }
        return memory + (isReached(memory) ? " has " + memory.bytes() + " bytes; "
                : " is freed, or of a device that " + device.name() + " does not reach; ");
    }

    private int refused(ProxyResult result, String what) {
        refusal = "stream " + engine.name() + " of " + device.name() + ": " + what;
        return -result.code();
    }
}
