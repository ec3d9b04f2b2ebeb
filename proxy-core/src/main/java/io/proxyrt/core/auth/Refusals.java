/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Counts what a wire refuses, and logs it: each as a warning, but of a flood ten in ten seconds and then how many there
 * were, so that no scan fills a disk. All are logged for debugging. One thread at a time.
 */
public final class Refusals {
    private static final int BURST = 10;
    private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int MAX_KINDS = 256;

    private final Logger logger;
    private final String what;
    private final Set<String> kinds = new HashSet<>();
    private long windowStartNs;
    private int inWindow;
    private int untold;
    private int logged;
    private int count;
    private String last = "";

    /**
     * None yet.
     *
     * @param logger gets them, as warnings
     * @param what   is done to the peer, whose name follows: such as {@code rank 0 closes a connection:}
     */
    public Refusals(Logger logger, String what) {
        this.logger = logger;
        this.what = what;
    }

    /**
     * Notes one.
     *
     * @param peer   that was refused, readable
     * @param reason what it did
     */
    public void add(Object peer, String reason) {
        add(peer, reason, System.nanoTime());
    }

    void add(Object peer, String reason, long nowNs) {
        note(peer, reason);
        warn(nowNs);
    }

    /**
     * Notes one of which only the first of its kind is a warning: a health check that connects every second shall not
     * fill the log either. Of 256 kinds, that is.
     *
     * @param kind   of peer and reason
     * @param peer   that was refused, readable
     * @param reason what it did
     */
    public void addOnce(String kind, Object peer, String reason) {
        addOnce(kind, peer, reason, System.nanoTime());
    }

    void addOnce(String kind, Object peer, String reason, long nowNs) {
        note(peer, reason);
        if (kinds.contains(kind) || kinds.size() == MAX_KINDS) {
            logger.debug("{} {}", what, last);
        } else if (warn(nowNs)) {
            kinds.add(kind);
        }
    }

    private void note(Object peer, String reason) {
        count++;
        last = peer + ": " + reason;
    }

    /** Returns whether it was a warning. */
    private boolean warn(long nowNs) {
        if (inWindow == 0 || nowNs - windowStartNs > WINDOW_NS) {
            windowStartNs = nowNs;
            inWindow = 0;
        }
        if (++inWindow > BURST) {
            untold++;
            logger.debug("{} {}", what, last);
            return false;
        }
        logged++;
        logger.warn("{} {}{}", what, last, untold == 0 ? "" : "; and " + untold + " more before it");
        untold = 0;
        return true;
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
     * @return the peer and why; empty if there is none
     */
    public String last() {
        return last;
    }

    @Override
    public String toString() {
        return count + " refused" + (count == 0 ? "" : ", at last " + last);
    }
}
