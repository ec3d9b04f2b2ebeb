/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.op.ProxyOpEncoder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a communicator posts its ops with: an {@link OpsPoster} whose lane it has while ops of it are in flight, and
 * until another communicator needs it. One thread at a time, but for {@link #giveUp}: the communicator's, or one of a
 * driver that a stream has in order ({@link DeferredOps}). Allocates nothing once it has a lane.
 */
final class LanePoster implements OpSink, AutoCloseable {
    /** Without lane; only its user changes that. */
    private static final int NONE = 0;
    /** With one that nobody is at. */
    private static final int IDLE = 1;
    /** Its user appends, or another one looks whether it can take the lane. */
    private static final int BUSY = 2;

    private final Lanes lanes;
    private final FirstFailure failure;
    private final Duration timeout;
    private final int capacity;
    private final AtomicInteger state = new AtomicInteger(NONE);
    private Runnable driver = () -> { };
    /** Who has set the state to BUSY owns it; its user may look at its counts at any time. */
    private volatile OpsPoster lane;
    private boolean isAppending;

    LanePoster(Lanes lanes, FirstFailure failure, Duration timeout) {
        this.lanes = lanes;
        this.failure = failure;
        this.timeout = timeout;
        this.capacity = lanes.proxy().config().get(CoreOptions.LANE_CAPACITY);
    }

    /** What this thread does, again and again, while it waits for room or for a lane. */
    void driver(Runnable whileWaiting) {
        driver = whileWaiting;
    }

    /** As {@link OpsPoster#append(long)}. Takes a lane first, if there is none. */
    @Override
    public ProxyOpEncoder append(long opCount) {
        return lane().append(opCount);
    }

    /** As {@link OpsPoster#append(long, ProxyOpEncoder)}, in the same way. */
    void append(long opCount, ProxyOpEncoder prepared) {
        lane().append(opCount, prepared);
    }

    private OpsPoster lane() {
        if (!isAppending) {
            begin();
        }
        return lane;
    }

    private void begin() {
        while (!state.compareAndSet(IDLE, BUSY)) {
            if (state.getAcquire() == NONE) {
                OpsPoster taken = lanes.take(this, failure, timeout, driver);
                if (lanes.proxy().isInvoker()) {
                    taken.driver(driver);
                }
                lane = taken;
                state.setRelease(BUSY);
                break;
            }
            Thread.onSpinWait();
        }
        isAppending = true;
    }

    /** Posts what was appended, if anything was. */
    @Override
    public void post() {
        if (isAppending) {
            lane.post();
            isAppending = false;
            state.setRelease(IDLE);
        }
    }

    /** Ops that have not ended; those not posted count too. A lane was given up when there were none. */
    long outstanding() {
        OpsPoster posted = lane;
        return posted == null ? 0 : Math.max(0, posted.outstanding());
    }

    /** How many ops can be appended without waiting, once there is a lane. */
    @Override
    public int room() {
        OpsPoster posted = lane;
        return posted == null ? capacity : posted.room();
    }

    /** Of a lane. */
    int capacity() {
        return capacity;
    }

    /** Lets the lane go if no op is in flight. Any thread; says whether it did. */
    boolean giveUp() {
        if (!state.compareAndSet(IDLE, BUSY)) {
            return false;
        }
        OpsPoster own = lane;
        boolean isFree = own.outstanding() == 0;
        if (isFree) {
            lane = null;
            own.close();
        }
        state.setRelease(isFree ? NONE : IDLE);
        return isFree;
    }

    /** Gives the lane back; ops that were appended and not posted are dropped. Idempotent. */
    @Override
    public void close() {
        lanes.forget(this);
        while (!isAppending && state.getAcquire() != NONE && !state.compareAndSet(IDLE, BUSY)) {
            Thread.onSpinWait();
        }
        OpsPoster own = lane;
        if (own != null) {
            lane = null;
            own.close();
        }
        isAppending = false;
        state.setRelease(NONE);
    }
}
