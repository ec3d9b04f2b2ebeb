/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.reduction.Reductions;
import io.proxyrt.transport.collnet.wire.ClientHandshake;
import io.proxyrt.transport.collnet.wire.ServerHandshake;
import io.proxyrt.transport.collnet.wire.WireSockets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Carries out the calls of some groups. Goes on as long as something moves, looks for more for a moment after that, and
 * then sleeps until a socket has something.
 */
final class SwitchThread implements Runnable {
    private static final long TICK_MILLIS = 100;
    private static final int BIN_BYTES = 64 << 10;

    private final AggregationSwitch owner;
    private final Selector selector;
    private final Tally tally = new Tally();
    private final Reductions reductions = new Reductions(1);
    private final ByteBuffer bin = ByteBuffer.allocateDirect(BIN_BYTES);
    private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
    private final List<Group> groups = new ArrayList<>();
    private final List<Group> awake = new ArrayList<>();
    private final Consumer<SelectionKey> onReady = this::ready;
    private final long lingerNs;
    private long movedNs = System.nanoTime();
    private long nextTickNs = movedNs;
    private volatile boolean isClosing;
    private volatile long closeUntilNs;
    private volatile boolean isOver;

    /** A connection that has proven itself; the socket is the group's from here on. */
    record Arrival(Group group, SocketChannel channel, ServerHandshake handshake) {
    }

    SwitchThread(AggregationSwitch owner) throws IOException {
        this.owner = owner;
        this.lingerNs = owner.config().settings().get(CoreOptions.CONTROL_LINGER).toNanos();
        this.selector = Selector.open();
    }

    SwitchConfig config() {
        return owner.config();
    }

    String switchName() {
        return owner.name();
    }

    Tally tally() {
        return tally;
    }

    Reductions reductions() {
        return reductions;
    }

    /** Where data go that are of no use any more. */
    ByteBuffer bin() {
        return bin;
    }

    /** From any thread: a connection is to be taken into a group of this thread. */
    void offer(Arrival arrival) {
        arrivals.add(arrival);
        selector.wakeup();
        if (isOver) {
            dropArrivals();
        }
    }

    /** From any thread: ends all groups within this time. */
    void close(long withinNs) {
        closeUntilNs = System.nanoTime() + withinNs;
        isClosing = true;
        selector.wakeup();
    }

    @Override
    public void run() {
        try {
            while (!isClosing) {
                pass();
            }
            List.copyOf(groups).forEach(group -> group.fail(ProxyResult.REMOTE_ERROR, switchName() + " closes"));
            while (!groups.isEmpty() && closeUntilNs - System.nanoTime() > 0) {
                pass();
            }
        } catch (IOException | RuntimeException | Error e) {
            AggregationSwitch.LOG.error("{} stops: this is a bug, please report it", switchName(), e);
            owner.end();
        } finally {
            shutdown();
        }
    }

    /** Whether its groups are to end. */
    boolean isClosing() {
        return isClosing;
    }

    /** Whether it has ended, and takes no group any more. */
    boolean isOver() {
        return isOver;
    }

    private void pass() throws IOException {
        select();
        for (Arrival arrival = arrivals.poll(); arrival != null; arrival = arrivals.poll()) {
            admit(arrival);
        }
        for (int i = awake.size() - 1; i >= 0; i--) {
            if (advance(awake.get(i))) {
                movedNs = System.nanoTime();
            } else {
                awake.remove(i);
            }
        }
        final long nowNs = System.nanoTime();
        if (nextTickNs - nowNs <= 0) {
            nextTickNs = nowNs + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
            for (int i = groups.size() - 1; i >= 0; i--) {
                tick(groups.get(i), nowNs);
            }
        }
    }

    private void tick(Group group, long nowNs) {
        try {
            group.tick(nowNs);
        } catch (RuntimeException | Error e) {
            drop(group, e);
        }
    }

    private boolean advance(Group group) {
        try {
            return group.advance();
        } catch (RuntimeException | Error e) {
            drop(group, e);
            return !group.isEnded();
        }
    }

    /** What goes wrong with one group is no other one's affair; its participants are told. */
    private void drop(Group group, Throwable cause) {
        AggregationSwitch.LOG.error("{} drops {}: it has too little memory (-XX:MaxDirectMemorySize), or this is a bug",
                switchName(), group.id(), cause);
        if (group.isEnding() || !isTold(group, cause)) {
            group.close();
        }
    }

    private boolean isTold(Group group, Throwable cause) {
        try {
            group.fail(ProxyResult.REMOTE_ERROR, dropped(group, cause));
            return true;
        } catch (RuntimeException | Error e) {
            AggregationSwitch.LOG.error("{} cannot tell the participants of {} why", switchName(), group.id(), e);
            return false;
        }
    }

    private String dropped(Group group, Throwable cause) {
        return switchName() + " drops " + group.id() + ", for it has too little memory or a bug, see its log: " + cause;
    }

    private boolean hasDeadline() {
        for (int i = 0; i < groups.size(); i++) {
            if (groups.get(i).hasDeadline()) {
                return true;
            }
        }
        return false;
    }

    private void select() throws IOException {
        if (!awake.isEmpty()) {
            selector.selectNow(onReady);
        } else if (System.nanoTime() - movedNs < lingerNs) {
            Thread.onSpinWait();
            selector.selectNow(onReady);
        } else {
            selector.select(onReady, hasDeadline() ? millisToTick() : 0);
        }
    }

    private long millisToTick() {
        return Math.clamp(TimeUnit.NANOSECONDS.toMillis(nextTickNs - System.nanoTime()) + 1, 1, TICK_MILLIS);
    }

    /** A group has to look at the clock then, at the latest. */
    void tickBy(long ns) {
        nextTickNs = ns - nextTickNs < 0 ? ns : nextTickNs;
    }

    private void ready(SelectionKey key) {
        if (key.isValid()) {
            ready((Group.Seat) key.attachment());
        }
    }

    private void ready(Group.Seat seat) {
        try {
            seat.ready();
            wake(seat.group());
        } catch (RuntimeException | Error e) {
            drop(seat.group(), e);
        }
    }

    /** The group may have something to do. */
    void wake(Group group) {
        if (!awake.contains(group) && !group.isEnded()) {
            awake.add(group);
        }
    }

    private void admit(Arrival arrival) {
        final Group group = arrival.group();
        try {
            final String refusal = isClosing ? switchName() + " closes" : group.refusal(arrival.handshake().hello());
            if (refusal.isEmpty()) {
                join(group, arrival);
            } else {
                owner.refuse(arrival.channel(), arrival.handshake(), refusal);
            }
        } catch (IOException e) {
            AggregationSwitch.LOG.debug("a connection ended as it was admitted", e);
            AggregationSwitch.close(arrival.channel());
        } catch (RuntimeException | Error e) {
            drop(group, e);
            if (!group.has(arrival.channel())) {
                refuse(arrival, dropped(group, e));
            }
        }
        if (!groups.contains(group)) {
            owner.forget(group);
        }
    }

    private void join(Group group, Arrival arrival) throws IOException {
        final SocketChannel channel = arrival.channel();
        final SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        final Link link = new Link(new Port(channel, key, tally), arrival.handshake().hello(),
                PeerText.address(channel.getRemoteAddress()));
        key.attach(new Group.Seat(group, link));
        link.out().say(arrival.handshake().welcome(""));
        if (!groups.contains(group)) {
            groups.add(group);
            tally.add(SwitchCounter.JOBS, 1);
        }
        group.admit(link);
        wake(group);
    }

    private void refuse(Arrival arrival, String why) {
        try {
            owner.refuse(arrival.channel(), arrival.handshake(), why);
        } catch (IOException | RuntimeException | Error e) {
            AggregationSwitch.LOG.debug("a connection ended as it was refused", e);
            AggregationSwitch.close(arrival.channel());
        }
    }

    /** Begins to connect a group to the switch above. */
    Uplink connect(Group group, ClientHandshake handshake) throws IOException {
        final SocketChannel channel = SocketChannel.open();
        try {
            WireSockets.configure(channel);
            channel.connect(config().parent().orElseThrow());
            final SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT, new Group.Seat(group, null));
            return new Uplink(new Port(channel, key, tally), key, handshake);
        } catch (IOException | RuntimeException e) {
            AggregationSwitch.close(channel);
            throw e;
        }
    }

    /** A group has given everything back. */
    void ended(Group group) {
        if (groups.remove(group)) {
            tally.add(SwitchCounter.JOBS, -1);
        }
        owner.forget(group);
    }

    private void dropArrivals() {
        for (Arrival arrival = arrivals.poll(); arrival != null; arrival = arrivals.poll()) {
            AggregationSwitch.close(arrival.channel());
        }
    }

    /** Closes everything, once no thread runs this. */
    void shutdown() {
        List.copyOf(groups).forEach(Group::close);
        isOver = true;
        dropArrivals();
        try {
            selector.close();
        } catch (IOException e) {
            AggregationSwitch.LOG.debug("closing a selector failed", e);
        }
    }
}
