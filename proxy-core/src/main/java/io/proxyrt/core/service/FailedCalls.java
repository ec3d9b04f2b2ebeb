/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs calls that failed, but not a flood of them at full length: a peer that asks for nonsense all day shall not fill
 * a disk. Confined to the service thread.
 */
final class FailedCalls {
    static final int BURST = 10;
    static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(10);
    private static final Logger LOGGER = LoggerFactory.getLogger(FailedCalls.class);

    private final int rank;
    private long windowStartNs;
    private int inWindow;
    private int logged;

    FailedCalls(int rank) {
        this.rank = rank;
    }

    /**
     * Notes one.
     *
     * @param call  which
     * @param cause readable
     */
    void add(Object call, String cause, long nowNs) {
        if (inWindow == 0 || nowNs - windowStartNs > WINDOW_NS) {
            if (inWindow > BURST) {
                LOGGER.warn("rank {}: {} more calls failed", rank, inWindow - BURST);
            }
            windowStartNs = nowNs;
            inWindow = 0;
        }
        if (++inWindow <= BURST) {
            logged++;
            LOGGER.warn("rank {}: {} failed: {}", rank, call, cause);
        } else {
            LOGGER.debug("rank {}: {} failed: {}", rank, call, cause);
        }
    }

    int logged() {
        return logged;
    }
}
