/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.collnet.wire.CallHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;

/**
 * A group that is complete: its participants' calls, from their headers until the outcome is in the ring down. Confined
 * to the group's thread.
 */
final class Calling implements AutoCloseable {
    private final Group group;
    private final List<Link> links;
    private final Uplink uplink;
    private final Tally tally;
    private final Arena arena = Arena.ofConfined();
    private final Parts parts;
    private final ChunkRing down;
    private final Intake intake;
    private final long memoryBytes;

    /** Of sealed connections in the order of their participants; the way up is null at the root. */
    Calling(Group group, List<Link> links, Uplink uplink, SwitchThread thread) {
        this.group = group;
        this.links = links;
        this.uplink = uplink;
        this.tally = thread.tally();
        final int chunkBytes = ChunkSize.of(thread.config().limits().jobBytes());
        try {
            parts = new Parts(links);
            down = new ChunkRing(arena, chunkBytes);
            final ChunkRing up = uplink == null ? down : new ChunkRing(arena, chunkBytes);
            intake = new Intake(links, parts, up, thread, arena, chunkBytes);
            if (uplink != null) {
                uplink.begin(up, down, parts.ranks(), chunkBytes);
            }
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
        memoryBytes = (long) ChunkSize.MOST_CHUNKS * chunkBytes;
        tally.add(SwitchCounter.MEMORY, memoryBytes);
    }

    ChunkRing down() {
        return down;
    }

    Parts parts() {
        return parts;
    }

    /** The selector has something to say of a connection. */
    void ready(Link link) {
        if (!intake.isReading(link) && !mayLookAhead(link)) {
            link.port().ignoreReads();
        }
    }

    /** Goes on by a chunk; returns whether anything moved. */
    boolean step() {
        boolean isMoving = false;
        for (int i = 0; i < links.size() && group.isRunning(); i++) {
            isMoving |= lookAhead(links.get(i));
        }
        isMoving |= group.isRunning() && (begun() | take());
        return group.isRunning() && uplink != null && exchange() || isMoving;
    }

    /** A participant that has its part of a reduce-scatter may leave before the others have theirs: no failure. */
    private boolean mayLookAhead(Link link) {
        final boolean isUnderWay = intake.isCalling() || uplink != null && uplink.isPending();
        return link.isAwaited() && !(intake.isScatter() && isUnderWay);
    }

    private boolean lookAhead(Link link) {
        try {
            if (!mayLookAhead(link) || !link.port().mayRead() || !link.lookAhead()) {
                return false;
            }
            agree(link);
        } catch (IOException | ProxyException e) {
            group.lose(link, e);
        }
        return true;
    }

    /** Compares with the first that has the same call to make. */
    private void agree(Link link) {
        for (int i = 0; i < links.size(); i++) {
            final Link other = links.get(i);
            if (other != link && other.hasCall() && CallHeader.seq(other.said()) == CallHeader.seq(link.said())
                    && !CallHeader.isSame(other.said(), link.said())) {
                final boolean isFirst = links.indexOf(link) < links.indexOf(other);
                final Link one = isFirst ? link : other;
                final Link two = isFirst ? other : link;
                group.fail(ProxyResult.INVALID_USAGE, "the participants disagree: " + one + " asks for "
                        + CallHeader.describe(one.said()) + ", " + two + " for " + CallHeader.describe(two.said()));
                return;
            }
        }
    }

    private boolean begun() {
        if (!intake.isCallComplete() || uplink != null && uplink.isFull()) {
            return false;
        }
        intake.begin();
        if (uplink != null) {
            uplink.expect(intake.call());
        }
        return true;
    }

    private boolean take() {
        try {
            return intake.isCalling() && intake.step();
        } catch (IOException | ProxyException e) {
            group.lose(intake.link(), e);
            return true;
        }
    }

    private boolean exchange() {
        try {
            return uplink.send() | uplink.receive();
        } catch (IOException | ProxyException e) {
            group.loseParent(e);
            return true;
        }
    }

    /** Whether a participant waits for an outcome that is not complete. */
    boolean isBusy() {
        return intake.isCalling() || uplink != null && uplink.isPending() || links.stream().anyMatch(Link::hasCall);
    }

    /** Which call is under way, for messages; empty if none is. */
    String where() {
        if (intake.isCalling()) {
            return " amid call " + intake.call().seq();
        }
        return links.stream().filter(Link::hasCall).findFirst().map(link -> " amid call "
                + CallHeader.seq(link.said())).orElse("");
    }

    /** Gives its memory back. */
    @Override
    public void close() {
        arena.close();
        tally.add(SwitchCounter.MEMORY, -memoryBytes);
    }
}
