/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.transport.collnet.wire.Abort;
import io.proxyrt.transport.collnet.wire.ClientHandshake;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.Hello;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One collective comm: its participants join, call together, and end together. All but {@link #id()} and {@link
 * #thread()} is confined to its thread.
 *
 * <pre>
 *  JOINING ── all there ─► RUNNING ── one leaves, or they disagree ─► ENDING ── all have been told ─► ENDED
 *  Gathering               Calling
 * </pre>
 */
final class Group {
    /** Chunks before another group has its turn. */
    private static final int STEPS_PER_TURN = 16;
    /**
     * How long a switch that closes waits for sockets that have all and bring nothing: they keep it for participants
     * that stand still, as those do whose thread closes the switch.
     */
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final GroupId id;
    private final int nRanks;
    private final SwitchThread thread;
    private final List<Link> links = new ArrayList<>();
    private final Gathering gathering;
    private State state = State.JOINING;
    private String why = "";
    private long endNs;
    /** While it ends: when something was last written or read. */
    private long movedNs;
    /** Null at the root. */
    private Uplink uplink;
    /** Null until all participants are there. */
    private Calling calling;

    private enum State {
        JOINING, RUNNING, ENDING, ENDED
    }

    Group(GroupId id, int nRanks, SwitchThread thread) {
        this.id = id;
        this.nRanks = nRanks;
        this.thread = thread;
        this.gathering = new Gathering(this, links, nRanks, thread);
    }

    GroupId id() {
        return id;
    }

    SwitchThread thread() {
        return thread;
    }

    boolean isJoining() {
        return state == State.JOINING;
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    /** Whether its participants are told that it ends, or have been. */
    boolean isEnding() {
        return state == State.ENDING || state == State.ENDED;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    /** Why it ends, or has ended. */
    String why() {
        return why;
    }

    /** The connection to the parent; null if there is none. */
    Uplink uplink() {
        return uplink;
    }

    /** Why one may not join; empty if it may. */
    String refusal(Hello hello) {
        if (isEnding()) {
            return ended(id, why);
        }
        return isRunning() ? id + " is complete" : gathering.refusal(hello);
    }

    static String ended(GroupId id, String why) {
        return id + " has ended: " + why;
    }

    /** Takes one in, which is told so. */
    void admit(Link link) {
        links.add(link);
        thread.tally().add(SwitchCounter.LINKS, 1);
        if (links.size() == 1) {
            gathering.start(link.hello());
            thread.config().parent().ifPresent(parent -> climb());
        }
        if (isJoining()) {
            gathering.admit(link.hello());
        }
    }

    private void climb() {
        try {
            uplink = thread.connect(this, new ClientHandshake(thread.config().credential(),
                    Hello.ofSwitch(id, nRanks, gathering.patience(), thread.switchName())));
        } catch (IOException | UnsupportedOperationException | UnresolvedAddressException
                | UnsupportedAddressTypeException e) {
            fail(ProxyResult.REMOTE_ERROR, parentName() + " cannot be reached: " + SwitchText.of(e));
        }
    }

    String parentName() {
        return "the parent " + thread.config().parent().map(PeerText::address).orElse("") + " of "
                + thread.switchName();
    }

    /** All participants are there. */
    void begin() {
        links.forEach(Link::seal);
        final Link idle = links.stream().filter(link -> link.ranks().length == 0).findFirst().orElse(null);
        if (idle != null) {
            fail(ProxyResult.REMOTE_ERROR, idle + " joined " + id + " without a participant");
            return;
        }
        links.sort(Comparator.comparingInt(link -> link.ranks()[0]));
        calling = new Calling(this, links, uplink, thread);
        links.forEach(link -> link.out().say(WireDescriptor.ready()));
        state = State.RUNNING;
        AggregationSwitch.LOG.debug("{}: {} of {} participants is complete", thread.switchName(), id, nRanks);
    }

    /** The selector has something to say of a connection. */
    void ready(Link link) {
        link.port().ready();
        if (isRunning()) {
            calling.ready(link);
        }
    }

    /** Does what can be done; returns whether there may be more at once. */
    boolean advance() {
        boolean isMoving = true;
        for (int i = 0; isMoving && i < STEPS_PER_TURN && state != State.ENDED; i++) {
            final State before = state;
            isMoving = switch (state) {
                case JOINING -> flush() | gathering.step();
                case RUNNING -> calling.step() | flush();
                case ENDING, ENDED -> end();
            } || state != before;
        }
        return isMoving && state != State.ENDED;
    }

    /** Writes to all connections what they take. */
    private boolean flush() {
        boolean isMoving = false;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < links.size() && state != State.ENDED; i++) {
            final Link link = links.get(i);
            isMoving |= flush(link);
            least = Math.min(least, link.port().isOpen() ? link.out().cursor() : Long.MAX_VALUE);
        }
        if (calling != null && least != Long.MAX_VALUE) {
            calling.down().release(least);
        }
        return isMoving;
    }

    private boolean flush(Link link) {
        try {
            return link.port().isOpen() && link.out().send(down(), calling == null ? null : calling.parts());
        } catch (IOException e) {
            lose(link, e);
            return true;
        }
    }

    private ChunkRing down() {
        return calling == null ? null : calling.down();
    }

    /** A connection is of no use any more; one that is not broken is told why. */
    void lose(Link link, Exception how) {
        if (how instanceof IOException) {
            close(link);
        }
        final ProxyResult result = how instanceof ProxyException e ? e.result() : ProxyResult.REMOTE_ERROR;
        if (!isEnding()) {
            fail(result, SwitchText.lost(link, how, isJoining() ? " before all participants were there"
                    : calling.where()));
        }
    }

    void loseParent(Exception how) {
        final ProxyResult result = how instanceof ProxyException e ? e.result() : ProxyResult.REMOTE_ERROR;
        uplink.port().close();
        fail(result, parentName() + ": " + SwitchText.of(how));
    }

    /** Whether its time is limited. */
    boolean hasDeadline() {
        return state != State.RUNNING;
    }

    /** Whether a participant waits for an outcome that is not complete. */
    private boolean isBusy() {
        return isJoining() || calling != null && calling.isBusy();
    }

    /** Ends the group: what is complete goes out, then the reason. */
    void fail(ProxyResult result, String text) {
        if (isEnding()) {
            return;
        }
        if (isBusy()) {
            thread.tally().add(SwitchCounter.ABORTED, 1);
            AggregationSwitch.LOG.warn("{} ends {}: {}", thread.switchName(), id, text);
        } else {
            AggregationSwitch.LOG.debug("{} ends {}: {}", thread.switchName(), id, text);
        }
        state = State.ENDING;
        why = text;
        movedNs = System.nanoTime();
        endNs = movedNs + thread.config().closeTimeout().toNanos();
        thread.tickBy(endNs);
        final Abort abort = new Abort(result, text);
        links.forEach(link -> link.out().sayLast(abort.encode()));
        if (uplink != null && uplink.isUp()) {
            uplink.sayLast(abort.encode());
        } else if (uplink != null) {
            uplink.port().close();
        }
        thread.wake(this);
    }

    /** Waits until all have the reason; a connection that brings data would lose it if it were closed at once. */
    private boolean end() {
        boolean isMoving = flush();
        for (Link link : links) {
            isMoving |= link.port().isOpen() && isDrained(link);
        }
        isMoving |= uplink != null && uplink.port().isOpen() && isParentDrained();
        if (links.stream().noneMatch(link -> link.port().isOpen())
                && (uplink == null || !uplink.port().isOpen())) {
            close();
        }
        movedNs = isMoving ? System.nanoTime() : movedNs;
        return isMoving;
    }

    /** Whether the switch closes, and all sockets have what is complete and the reason, and bring nothing. */
    private boolean isQuiet(long nowNs) {
        return thread.isClosing() && nowNs - movedNs >= QUIET_NS
                && (uplink == null || !uplink.port().isOpen() || uplink.isOver())
                && links.stream().allMatch(link -> !link.port().isOpen() || link.out().isOver());
    }

    private boolean isDrained(Link link) {
        int n;
        try {
            n = discard(link.port(), link.out().isOver());
        } catch (IOException e) {
            n = -1;
        }
        if (n < 0) {
            close(link);
        }
        return n != 0;
    }

    private boolean isParentDrained() {
        int n;
        try {
            uplink.send();
            n = discard(uplink.port(), uplink.isOver());
        } catch (IOException e) {
            n = -1;
        }
        if (n < 0) {
            uplink.port().close();
        }
        return n != 0;
    }

    private int discard(Port port, boolean isLastSaid) throws IOException {
        if (isLastSaid) {
            port.shutdownOutput();
        }
        return port.mayRead() ? port.discard(thread.bin()) : 0;
    }

    /** Looks at the clock. */
    void tick(long nowNs) {
        if (isJoining() && gathering.deadlineNs() - nowNs <= 0) {
            fail(ProxyResult.TIMEOUT, gathering.late(nowNs));
        } else if (state == State.ENDING && (endNs - nowNs <= 0 || isQuiet(nowNs))) {
            close();
        } else if (hasDeadline()) {
            thread.tickBy(isJoining() ? gathering.deadlineNs() : endNs);
        }
    }

    /** Whether a channel is one of its connections. */
    boolean has(SocketChannel channel) {
        return links.stream().anyMatch(link -> link.port().channel() == channel);
    }

    private void close(Link link) {
        if (link.port().isOpen()) {
            link.port().close();
            thread.tally().add(SwitchCounter.LINKS, -1);
        }
    }

    /** The time for reading is up. */
    private void noteLost(Link link) {
        if (link.port().isOpen() && !link.out().isOver()) {
            final long chunks = link.out().unread(down());
            thread.tally().add(SwitchCounter.LOST, chunks);
            AggregationSwitch.LOG.warn("{} closes its connection to {}, which did not read within {} ms: {} chunks of "
                    + "results are lost, and why {} ended: {}", thread.switchName(), link,
                    thread.config().closeTimeout().toMillis(), chunks, id, why);
        }
    }

    /** Gives everything back. What has not been read by now is lost, which is logged. Idempotent. */
    void close() {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        links.forEach(this::noteLost);
        links.forEach(this::close);
        if (uplink != null) {
            uplink.port().close();
        }
        if (calling != null) {
            calling.close();
        }
        thread.ended(this);
    }

    @Override
    public String toString() {
        return id + ": " + gathering.joined() + " of " + nRanks + " participants behind " + links.stream()
                .map(Link::toString).collect(Collectors.joining(", "));
    }

    /** For a key of the selector: whose it is; the group's way up if no link is given. */
    record Seat(Group group, Link link) {
        void ready() {
            if (link != null) {
                group.ready(link);
            } else {
                group.uplink.port().ready();
            }
        }
    }
}
