/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

/**
 * A mark on a stream: {@code cudaEvent_t}, {@code hipEvent_t}. It may be recorded again and again. One thread at a
 * time.
 */
public interface DeviceEvent extends AutoCloseable {
    /**
     * Looks whether all that was on the stream when the event was recorded last is done. Neither blocks nor allocates.
     *
     * @return 1 if it is, or if the event was never recorded; 0 if it is not; a negated
     *         {@link io.proxyrt.core.ProxyResult} code if something on the stream failed
     */
    int query();

    /** Gives it back. Idempotent. What is on the stream goes on. */
    @Override
    void close();
}
