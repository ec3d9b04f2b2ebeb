/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Arenas;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.verbs.MemoryRegion;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.QueuePairLimits;
import io.proxyrt.transport.net.IbOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What one end of a connection has of its device: a route from a completion queue at each port, the queue pairs, and
 * memory that the peer writes to. The thread that sets up makes it, then the comm has it.
 */
final class Endpoint implements AutoCloseable {
    /** The most that a work request carries within it; devices may grant more. */
    static final int INLINE_BYTES = 128;
    private static final long PAGE_BYTES = 4096;

    private final IbDevice device;
    private final PairPlan plan;
    private final QueuePairLimits limits;
    private final Arena arena = Arena.ofShared();
    private final List<AutoCloseable> owned = new ArrayList<>();
    /** How often each port had failed before. */
    private final int[] portFailures;
    private MemorySegment memory;
    private MemoryRegion[] regions;
    /** By port. */
    private Route[] routes;
    private QueuePair[] pairs;
    private int inlineBytes;
    private boolean isClosed;

    private Endpoint(IbDevice device, PairPlan plan, QueuePairLimits limits) {
        this.device = device;
        this.plan = plan;
        this.limits = limits;
        this.portFailures = device.ports().stream().mapToInt(IbPort::failures).toArray();
    }

    /** Queue pairs in state INIT, and behind them one of each port for flushes where they are wanted. */
    static Endpoint open(IbDevice device, PairPlan plan, IbSettings settings, int sends, int receives,
            boolean isFlushing) {
        int ports = device.ports().size();
        int pairsPerPort = Math.ceilDiv(plan.pairs() + (isFlushing ? ports : 0), ports);
        Endpoint end = new Endpoint(device, plan, new QueuePairLimits(sends(device, pairsPerPort, sends, receives),
                receives, 1, settings.data().isInline() ? INLINE_BYTES : 0));
        try {
            end.make(settings, isFlushing, pairsPerPort);
            return end;
        } catch (RuntimeException | Error e) {
            end.close();
            throw e;
        }
    }

    /** As many as wanted, if send queue and completion queue hold them. */
    private static int sends(IbDevice device, int pairsPerPort, int wanted, int receives) {
        int sends = Math.min(wanted, Math.min(device.maxWrs(), device.maxCqes() / pairsPerPort - receives));
        if (sends < IbSendComm.LEAST_SENDS) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a completion queue of " + device.name() + " holds "
                    + device.maxCqes() + " entries, too few for " + pairsPerPort
                    + " queue pairs at a port; have fewer by " + IbOptions.QPS_PER_CONNECTION);
        }
        return sends;
    }

    private void make(IbSettings settings, boolean isFlushing, int pairsPerPort) {
        memory = arena.allocate(ClearToSend.BYTES, PAGE_BYTES);
        regions = new MemoryRegion[device.ports().size()];
        routes = new Route[regions.length];
        pairs = new QueuePair[plan.pairs() + (isFlushing ? regions.length : 0)];
        inlineBytes = Integer.MAX_VALUE;
        for (int i = 0; i < regions.length; i++) {
            IbAdapter adapter = device.ports().get(i).adapter();
            regions[i] = own(adapter.domain().register(memory, ProtectionDomain.LOCAL_WRITE
                    | ProtectionDomain.REMOTE_WRITE | ProtectionDomain.REMOTE_READ));
            // A queue pair that fails completes all that is posted, signalled or not.
            routes[i] = own(adapter.queues().route(pairsPerPort * (limits.sends() + limits.receives())));
        }
        for (int i = 0; i < pairs.length; i++) {
            IbPort port = port(i);
            pairs[i] = enter(pair(port, routes[localPort(i)]), routes[localPort(i)]);
            enter(port.adapter(), pairs[i].number());
            int access = i < plan.pairs() ? ProtectionDomain.REMOTE_WRITE
                    : ProtectionDomain.REMOTE_WRITE | ProtectionDomain.REMOTE_READ;
            pairs[i].toInit(port.number(), settings.path().pkeyIndex(), access);
            inlineBytes = Math.min(inlineBytes, pairs[i].inlineBytes());
        }
        inlineBytes = settings.data().isInline() ? inlineBytes : 0;
    }

    /** Some adapters grant no inline data at all. */
    private QueuePair pair(IbPort port, Route route) {
        try {
            return port.adapter().domain().queuePair(route.queue(), limits);
        } catch (ProxyException e) {
            if (limits.inlineBytes() == 0) {
                throw e;
            }
            return port.adapter().domain().queuePair(route.queue(),
                    new QueuePairLimits(limits.sends(), limits.receives(), limits.sges(), 0));
        }
    }

    private QueuePair enter(QueuePair pair, Route route) {
        route.enter();
        owned.addFirst(() -> route.destroy(pair));
        return pair;
    }

    private void enter(IbAdapter adapter, int pair) {
        adapter.enter(pair);
        owned.addFirst(() -> adapter.leave(pair));
    }

    private <T extends AutoCloseable> T own(T made) {
        owned.addFirst(made);
        return made;
    }

    IbDevice device() {
        return device;
    }

    /** Has the queue pairs take no more, and flush what they have. */
    void toError() {
        for (QueuePair pair : pairs) {
            pair.toError();
        }
    }

    PairPlan plan() {
        return plan;
    }

    /** Work requests that a send queue holds. */
    int sends() {
        return limits.sends();
    }

    /** Which port of the device a queue pair is at. */
    int localPort(int pair) {
        return pair % regions.length;
    }

    IbPort port(int pair) {
        return device.ports().get(localPort(pair));
    }

    MemorySegment memory() {
        return memory;
    }

    int lkey(int pair) {
        return regions[localPort(pair)].lkey();
    }

    int rkey(int port) {
        return regions[port].rkey();
    }

    /** The id of work that is to be posted to a queue pair. */
    long workId(int kind, int slot, int pair) {
        return routes[localPort(pair)].workId(kind, slot, pair);
    }

    /** Brings completions to a comm from now on, first those that came already. Any thread. */
    void attach(CompletionSink sink) {
        for (Route route : routes) {
            route.attach(sink);
        }
    }

    /** Drops completions from now on: when this returns, none is being brought to a comm. Any thread. */
    void detach() {
        for (Route route : routes) {
            route.detach();
        }
    }

    /** Looks for completions, unless it was done since the last call. The thread that uses the comms. */
    void look() {
        for (Route route : routes) {
            route.look();
        }
    }

    /** Looks for completions in any case. The thread that uses the comms. */
    void lookNow() {
        for (Route route : routes) {
            route.lookNow();
        }
    }

    QueuePair pair(int index) {
        return pairs[index];
    }

    /** Queue pairs for flushes: one of each port, or none. */
    int flushPairs() {
        return pairs.length - plan.pairs();
    }

    /** Bytes that every queue pair takes within a work request. */
    int inlineBytes() {
        return inlineBytes;
    }

    Arena arena() {
        return arena;
    }

    /** By port: how often it had failed before the queue pairs were made. */
    int[] portFailures() {
        return portFailures;
    }

    /** Queue pairs, then their routes, then memory that no queue pair writes to any more. Idempotent. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        Closing closing = new Closing();
        owned.forEach(closing::add);
        try {
            closing.end();
            Arenas.close(arena);
        } catch (ProxyException | IllegalStateException e) {
            IbNet.LOG.warn("{}: the memory of an end of a connection stays allocated, for the adapter may write to it "
                    + "still: {}", device.name(), e.toString());
        }
    }
}
