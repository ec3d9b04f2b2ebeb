/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.collnet.wire.Abort;
import io.proxyrt.transport.collnet.wire.CallHeader;
import io.proxyrt.transport.collnet.wire.ClientHandshake;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.Hello;
import io.proxyrt.transport.collnet.wire.Join;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One collective comm: its participants join, call together, and end together. All but {@link #id()} is confined to its
 * thread.
 */
final class Group {
    private static final long END_NS = TimeUnit.SECONDS.toNanos(5);
    /** Chunks before another group has its turn. */
    private static final int STEPS_PER_TURN = 16;

    private final GroupId id;
    private final int nRanks;
    private final SwitchThread thread;
    private final BitSet joined = new BitSet();
    private final List<Link> links = new ArrayList<>();
    private final int chunkBytes;
    private State state = State.JOINING;
    private String why = "";
    private long deadlineNs;
    private Arena arena;
    private long memoryBytes;
    private Uplink uplink;
    private Parts parts;
    private ChunkRing up;
    private ChunkRing down;
    private Intake intake;

    private enum State {
        JOINING, RUNNING, ENDING, ENDED
    }

    Group(GroupId id, int nRanks, SwitchThread thread) {
        this.id = id;
        this.nRanks = nRanks;
        this.thread = thread;
        this.chunkBytes = ChunkSize.of(thread.config().limits().jobBytes());
    }

    GroupId id() {
        return id;
    }

    SwitchThread thread() {
        return thread;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    /** Why someone may not join; empty if it may. */
    String refusal(Hello hello) {
        if (state != State.JOINING) {
            return id + (state == State.RUNNING ? " is complete" : " has ended: " + why);
        }
        if (hello.nRanks() != nRanks) {
            return id + " has " + nRanks + " participants, not " + hello.nRanks();
        }
        if (links.size() >= nRanks) {
            return id + " has " + links.size() + " connections for its " + nRanks + " participants already";
        }
        return !hello.isSwitch() && joined.get(hello.rank()) ? rankTaken(hello.rank()) : "";
    }

    private String rankTaken(int rank) {
        return "there is a rank " + rank + " in " + id + " already";
    }

    /** Takes someone in, who is told so. */
    void admit(Link link) {
        links.add(link);
        thread.tally().add(SwitchCounter.LINKS, 1);
        if (links.size() == 1) {
            deadlineNs = System.nanoTime() + thread.config().limits().joinTimeout().toNanos();
            thread.config().parent().ifPresent(parent -> climb());
        }
        if (state == State.JOINING && !link.hello().isSwitch()) {
            join(new Join(link.hello().rank(), link.hello().who()));
        }
    }

    private void climb() {
        try {
            uplink = thread.connect(this, new ClientHandshake(thread.config().credential(),
                    Hello.ofSwitch(id, nRanks, thread.switchName())));
        } catch (IOException | UnsupportedOperationException | UnresolvedAddressException e) {
            fail(ProxyResult.REMOTE_ERROR, parentName() + " cannot be reached: " + SwitchText.of(e));
        }
    }

    private String parentName() {
        return "the parent of " + thread.switchName();
    }

    private void join(Join join) {
        joined.set(join.rank());
        if (uplink != null) {
            uplink.join(join);
        } else if (joined.cardinality() == nRanks) {
            begin();
        }
    }

    /** All participants are there. */
    private void begin() {
        links.forEach(Link::seal);
        if (links.stream().anyMatch(link -> link.ranks().length == 0)) {
            fail(ProxyResult.REMOTE_ERROR, "a switch joined " + id + " without a participant");
            return;
        }
        links.sort(Comparator.comparingInt(link -> link.ranks()[0]));
        parts = new Parts(links);
        arena = Arena.ofConfined();
        down = new ChunkRing(arena, chunkBytes);
        if (uplink != null) {
            up = new ChunkRing(arena, chunkBytes);
            uplink.begin(up, down, parts.ranks(), chunkBytes);
        }
        intake = new Intake(links, parts, up == null ? down : up, thread, arena, chunkBytes);
        memoryBytes = (long) ChunkSize.MOST_CHUNKS * chunkBytes;
        thread.tally().add(SwitchCounter.MEMORY, memoryBytes);
        links.forEach(link -> link.out().say(WireDescriptor.ready()));
        state = State.RUNNING;
        AggregationSwitch.LOG.debug("{}: {} of {} participants is complete", thread.switchName(), id, nRanks);
    }

    /** The selector has something to say of a connection. */
    void ready(Link link) {
        link.port().ready();
        if (state == State.RUNNING && !intake.isReading(link) && !mayLookAhead(link)) {
            link.port().ignoreReads();
        }
    }

    /** Does what can be done; returns whether there may be more at once. */
    boolean advance() {
        boolean isMoving = true;
        for (int i = 0; isMoving && i < STEPS_PER_TURN && state != State.ENDED; i++) {
            final State before = state;
            isMoving = switch (state) {
                case JOINING -> gather();
                case RUNNING -> run();
                case ENDING, ENDED -> end();
            } || state != before;
        }
        return isMoving && state != State.ENDED;
    }

    private boolean gather() {
        boolean isMoving = flush();
        for (int i = 0; i < links.size() && state == State.JOINING; i++) {
            isMoving |= hear(links.get(i));
        }
        return climbOn() || isMoving;
    }

    /** Before the group is complete: participants have nothing to say, child switches announce theirs. */
    private boolean hear(Link link) {
        boolean isMoving = false;
        try {
            while (state == State.JOINING && link.port().mayRead()) {
                final Join next = link.nextJoin();
                if (next == null) {
                    return isMoving;
                }
                isMoving = true;
                announce(link, next);
            }
        } catch (IOException | ProxyException e) {
            lose(link, e);
        }
        return isMoving;
    }

    private void announce(Link link, Join next) {
        if (joined.get(next.rank())) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, rankTaken(next.rank()));
        }
        link.join(next.rank());
        join(next);
    }

    private boolean climbOn() {
        if (uplink == null || state != State.JOINING) {
            return false;
        }
        try {
            if (!uplink.isAdmitted()) {
                return false;
            }
            final boolean isMoving = uplink.send();
            if (uplink.isReadyNow()) {
                begin();
                return true;
            }
            return isMoving;
        } catch (IOException | ProxyException e) {
            loseParent(e);
            return true;
        }
    }

    private boolean run() {
        boolean isMoving = false;
        for (int i = 0; i < links.size() && state == State.RUNNING; i++) {
            isMoving |= lookAhead(links.get(i));
        }
        isMoving |= state == State.RUNNING && (begun() | take());
        isMoving |= state == State.RUNNING && uplink != null && exchange();
        return flush() || isMoving;
    }

    /** Who has its part of a reduce-scatter may leave before the others have theirs: that is no failure of the call. */
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
            lose(link, e);
        }
        return true;
    }

    /** Compares with the first who has the same call to make. */
    private void agree(Link link) {
        for (int i = 0; i < links.size(); i++) {
            final Link other = links.get(i);
            if (other != link && other.hasCall() && CallHeader.seq(other.said()) == CallHeader.seq(link.said())
                    && !CallHeader.isSame(other.said(), link.said())) {
                final boolean isFirst = links.indexOf(link) < links.indexOf(other);
                final Link one = isFirst ? link : other;
                final Link two = isFirst ? other : link;
                fail(ProxyResult.INVALID_USAGE, "the participants disagree: " + one + " asks for "
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
            lose(intake.link(), e);
            return true;
        }
    }

    private boolean exchange() {
        try {
            return uplink.send() | uplink.receive();
        } catch (IOException | ProxyException e) {
            loseParent(e);
            return true;
        }
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
        if (down != null && least != Long.MAX_VALUE) {
            down.release(least);
        }
        return isMoving;
    }

    private boolean flush(Link link) {
        try {
            return link.port().isOpen() && link.out().send(down, parts);
        } catch (IOException e) {
            lose(link, e);
            return true;
        }
    }

    /** A connection is of no use any more; one that is not broken is told why. */
    private void lose(Link link, Exception how) {
        if (how instanceof IOException) {
            close(link);
        }
        final ProxyResult result = how instanceof ProxyException e ? e.result() : ProxyResult.REMOTE_ERROR;
        if (state != State.ENDING) {
            fail(result, SwitchText.lost(link, how, where()));
        }
    }

    private String where() {
        if (state == State.JOINING) {
            return " before all participants were there";
        }
        if (intake.isCalling()) {
            return " amid call " + intake.call().seq();
        }
        return links.stream().filter(Link::hasCall).findFirst().map(link -> " amid call "
                + CallHeader.seq(link.said())).orElse("");
    }

    /** Whether its time is limited. */
    boolean hasDeadline() {
        return state != State.RUNNING;
    }

    private void loseParent(Exception how) {
        final ProxyResult result = how instanceof ProxyException e ? e.result() : ProxyResult.REMOTE_ERROR;
        uplink.port().close();
        fail(result, parentName() + ": " + SwitchText.of(how));
    }

    /** Whether a participant waits for an outcome that is not complete. */
    private boolean isBusy() {
        return state == State.JOINING || intake != null && intake.isCalling() || uplink != null && uplink.isPending()
                || links.stream().anyMatch(Link::hasCall);
    }

    /** Ends the group: what is complete goes out, then the reason. */
    void fail(ProxyResult result, String text) {
        if (state == State.ENDING || state == State.ENDED) {
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
        deadlineNs = System.nanoTime() + END_NS;
        final Abort abort = new Abort(result, text);
        links.forEach(link -> link.out().sayLast(abort.encode()));
        if (uplink != null && uplink.isUp()) {
            uplink.sayLast(abort.encode());
        } else if (uplink != null) {
            uplink.port().close();
        }
        thread.wake(this);
    }

    /** Sees the last words out; a connection with unread data would lose them if it were closed at once. */
    private boolean end() {
        boolean isMoving = flush();
        for (Link link : links) {
            isMoving |= link.port().isOpen() && isSeenOut(link);
        }
        isMoving |= uplink != null && uplink.port().isOpen() && isParentSeenOut();
        if (links.stream().noneMatch(link -> link.port().isOpen())
                && (uplink == null || !uplink.port().isOpen())) {
            close();
        }
        return isMoving;
    }

    private boolean isSeenOut(Link link) {
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

    private boolean isParentSeenOut() {
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
        if (state == State.JOINING && deadlineNs - nowNs <= 0) {
            fail(ProxyResult.TIMEOUT, id + " was not complete within " + thread.config().limits().joinTimeout()
                    .toMillis() + " ms: " + SwitchText.missing(joined, nRanks));
        } else if (state == State.ENDING && deadlineNs - nowNs <= 0) {
            close();
        }
    }

    private void close(Link link) {
        if (link.port().isOpen()) {
            link.port().close();
            thread.tally().add(SwitchCounter.LINKS, -1);
        }
    }

    /** Gives everything back. Idempotent. */
    void close() {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        links.forEach(this::close);
        if (uplink != null) {
            uplink.port().close();
        }
        if (arena != null) {
            arena.close();
            thread.tally().add(SwitchCounter.MEMORY, -memoryBytes);
        }
        thread.ended(this);
    }

    @Override
    public String toString() {
        return id + ": " + joined.cardinality() + " of " + nRanks + " participants behind " + links.stream()
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
