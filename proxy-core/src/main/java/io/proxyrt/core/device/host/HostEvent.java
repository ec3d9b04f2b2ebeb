/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceEvent;

/** A count of a stream's commands. */
final class HostEvent implements DeviceEvent {
    private final HostDevice device;
    private HostEngine engine;
    private long count;
    private boolean isClosed;

    HostEvent(HostDevice device) {
        this.device = device;
    }

    HostDevice device() {
        return device;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** Null if it was never recorded. */
    HostEngine engine() {
        return engine;
    }

    long count() {
        return count;
    }

    void record(HostEngine on, long posted) {
        engine = on;
        count = posted;
    }

    @Override
    public int query() {
        if (isClosed) {
            return -ProxyResult.INVALID_USAGE.code();
        }
        return engine == null ? 1 : engine.query(count);
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
