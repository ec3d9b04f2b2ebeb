/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.collnet.wire.Hello;
import io.proxyrt.transport.collnet.wire.Join;
import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A group until it is complete: which participants have joined, and how long the others are waited for. A child switch
 * knows the participants behind it, and its parent says when all are there. Confined to the group's thread.
 */
final class Gathering {
    /** What a child switch may announce before other connections have their turn. */
    private static final int JOINS_PER_STEP = 16;

    private final Group group;
    private final List<Link> links;
    private final int nRanks;
    private final SwitchThread thread;
    private final BitSet joined = new BitSet();
    private long startNs;
    private long deadlineNs;

    Gathering(Group group, List<Link> links, int nRanks, SwitchThread thread) {
        this.group = group;
        this.links = links;
        this.nRanks = nRanks;
        this.thread = thread;
    }

    /** Why one may not join; empty if it may. */
    String refusal(Hello hello) {
        if (hello.nRanks() != nRanks) {
            return group.id() + " has " + nRanks + " participants, not " + hello.nRanks();
        }
        if (links.size() >= nRanks) {
            return group.id() + " has " + links.size() + " connections for its " + nRanks + " participants already";
        }
        return !hello.isSwitch() && joined.get(hello.rank()) ? taken(hello.rank()) : "";
    }

    private String taken(int rank) {
        return group.id() + " has participant " + rank + " already" + links.stream().filter(link -> link.has(rank))
                .findFirst().map(link -> ": " + link).orElse("");
    }

    /** The first connection is there. */
    void start(Hello hello) {
        startNs = System.nanoTime();
        deadlineNs = startNs + thread.config().limits().joinTimeout().toNanos();
        hurry(hello.patience());
    }

    /** The group ends before a participant gives up, so that all are told the same. */
    private void hurry(Duration patience) {
        final long untilNs = System.nanoTime() + patience.toNanos() / 10 * 9;
        deadlineNs = untilNs - deadlineNs < 0 ? untilNs : deadlineNs;
        thread.tickBy(deadlineNs);
    }

    long deadlineNs() {
        return deadlineNs;
    }

    /** How long those behind this switch are to be waited for. */
    Duration patience() {
        return Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime()));
    }

    /** Takes in what a connection is known to have behind it. */
    void admit(Hello hello) {
        hurry(hello.patience());
        if (!hello.isSwitch()) {
            join(hello.rank(), hello.name());
        }
    }

    private void join(int rank, String name) {
        joined.set(rank);
        if (group.uplink() != null) {
            group.uplink().join(new Join(rank, patience(), name));
        } else if (joined.cardinality() == nRanks) {
            group.begin();
        }
    }

    /** Hears what connections and the parent have to say; returns whether there may be more at once. */
    boolean step() {
        boolean isMoving = false;
        for (int i = 0; i < links.size() && group.isJoining(); i++) {
            isMoving |= hear(links.get(i));
        }
        return climbOn() || isMoving;
    }

    /** Participants have nothing to say yet, child switches announce theirs. */
    private boolean hear(Link link) {
        boolean isMoving = false;
        try {
            for (int i = 0; i < JOINS_PER_STEP && group.isJoining() && link.port().mayRead(); i++) {
                final Join next = link.nextJoin();
                if (next == null) {
                    return isMoving;
                }
                isMoving = true;
                announce(link, next);
            }
        } catch (IOException | ProxyException e) {
            group.lose(link, e);
        }
        return isMoving;
    }

    private void announce(Link link, Join next) {
        if (joined.get(next.rank())) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, taken(next.rank()));
        }
        link.join(next.rank());
        hurry(next.patience());
        join(next.rank(), next.name());
    }

    private boolean climbOn() {
        final Uplink uplink = group.uplink();
        if (uplink == null || !group.isJoining()) {
            return false;
        }
        try {
            if (!uplink.isAdmitted()) {
                return false;
            }
            final boolean isMoving = uplink.send();
            if (uplink.isReadyNow()) {
                group.begin();
                return true;
            }
            return isMoving;
        } catch (IOException | ProxyException e) {
            group.loseParent(e);
            return true;
        }
    }

    int joined() {
        return joined.cardinality();
    }

    /** What is said when the time is up. */
    String late(long nowNs) {
        final String within = " within " + TimeUnit.NANOSECONDS.toMillis(nowNs - startNs) + " ms";
        if (group.uplink() == null) {
            return group.id() + " was not complete" + within + ": " + SwitchText.missing(joined, nRanks);
        }
        return group.parentName() + (group.uplink().isUp() ? " did not say that all " + nRanks + " participants of "
                + group.id() + " are there" : " did not let it in") + within + "; behind it are participants " + joined;
    }
}
