/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Logs whom a wire module refuses: each case once, but a flood not at full length. Whoever knocks more than ten times
 * within ten seconds shall not fill a disk. One thread at a time.
 */
public final class Refusals {
    private static final int BURST = 10;
    private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(10);

    private final Logger logger;
    private final String what;
    private long windowStartNs;
    private int inWindow;
    private int logged;
    private int count;
    private String last = "";

    /**
     * None yet.
     *
     * @param logger gets them, as warnings
     * @param what   who does what, such as {@code rank 0 closes a connection}
     */
    public Refusals(Logger logger, String what) {
        this.logger = logger;
        this.what = what;
    }

    /**
     * Notes one.
     *
     * @param peer   who, readable
     * @param reason what it did
     */
    public void add(Object peer, String reason) {
        add(peer, reason, System.nanoTime());
    }

    void add(Object peer, String reason, long nowNs) {
        count++;
        last = peer + ": " + reason;
        if (inWindow == 0 || nowNs - windowStartNs > WINDOW_NS) {
            windowStartNs = nowNs;
            if (inWindow > BURST) {
                logger.warn("{}: {} more like it", what, inWindow - BURST);
            }
            inWindow = 0;
        }
        if (++inWindow <= BURST) {
            logged++;
            logger.warn("{}: {}", what, last);
        } else {
            logger.debug("{}: {}", what, last);
        }
    }

    /**
     * All of them.
     *
     * @return how many
     */
    public int count() {
        return count;
    }

    /**
     * Those that were logged as warnings.
     *
     * @return how many
     */
    public int logged() {
        return logged;
    }

    /**
     * The last one.
     *
     * @return who and why; empty if there is none
     */
    public String last() {
        return last;
    }

    @Override
    public String toString() {
        return count + " refused" + (count == 0 ? "" : ", at last " + last);
    }
}
