/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what is refused: each case once, but a flood not at full length. Whoever knocks ten times within ten seconds
 * shall not fill a disk. Confined to the agent.
 */
final class Refusals {
    private static final Logger LOGGER = LoggerFactory.getLogger(Refusals.class);
    private static final int BURST = 10;
    private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(10);

    private final int rank;
    private long windowStartNs;
    private int inWindow;
    private int logged;
    private int count;
    private String last = "";

    Refusals(int rank) {
        this.rank = rank;
    }

    /**
     * Notes one.
     *
     * @param peer   who, readable
     * @param reason what it did
     */
    void add(Object peer, String reason) {
        add(peer, reason, System.nanoTime());
    }

    void add(Object peer, String reason, long nowNs) {
        count++;
        last = peer + ": " + reason;
        if (inWindow == 0 || nowNs - windowStartNs > WINDOW_NS) {
            windowStartNs = nowNs;
            if (inWindow > BURST) {
                LOGGER.warn("rank {} refused {} more peers of its UDS thread", rank, inWindow - BURST);
            }
            inWindow = 0;
        }
        if (++inWindow <= BURST) {
            logged++;
            LOGGER.warn("rank {} refuses a peer of its UDS thread: {}", rank, last);
        } else {
            LOGGER.debug("rank {} refuses a peer of its UDS thread: {}", rank, last);
        }
    }

    int count() {
        return count;
    }

    int logged() {
        return logged;
    }

    String last() {
        return last;
    }

    @Override
    public String toString() {
        return count + " refused" + (count == 0 ? "" : ", at last " + last);
    }
}
