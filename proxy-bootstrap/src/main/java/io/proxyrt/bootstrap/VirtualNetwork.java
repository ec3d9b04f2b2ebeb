/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Hosts and their network on virtual time. A host has one network adapter with some bandwidth each way, every frame
 * takes the latency and some of its thread's CPU time, and connections are made, wait in backlogs, fill and end as
 * those of TCP. Nothing is lost. What happens depends on nothing but the arguments. Confined to one thread.
 */
final class VirtualNetwork {
    /** As far as Linux goes, whatever is asked for: net.core.somaxconn. */
    static final int MAX_BACKLOG = 4096;
    /** Of large frames: ranks that pass the same one on share what it says, too. */
    private static final int DECODED = 4096;
    private static final int LARGE = 1 << 10;
    private static final int FIRST_PORT = 32_768;

    private final NetworkModel model;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<InetSocketAddress, VirtualPoller.VirtualListener> listeners = new HashMap<>();
    private final Map<Integer, Host> hosts = new HashMap<>();
    private final IdentityHashMap<byte[], Message> decoded = new IdentityHashMap<>();
    private final ArrayDeque<byte[]> decodedOrder = new ArrayDeque<>();
    private long nowNs;
    private long made;

    VirtualNetwork(NetworkModel model) {
        this.model = model;
    }

    /** What happens at some time; in the order in which it was planned, where that is the same. */
    private record Event(long atNs, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return atNs == other.atNs ? Long.compare(number, other.number) : Long.compare(atNs, other.atNs);
        }
    }

    /** When a host's adapter is free again. */
    static final class Host {
        private final InetAddress address;
        private long sendFreeNs;
        private long receiveFreeNs;
        private int ports = FIRST_PORT;

        Host(InetAddress address) {
            this.address = address;
        }

        InetAddress address() {
            return address;
        }

        /** One that no other has had, for there are few connections of a host. */
        InetSocketAddress nextPort() {
            return new InetSocketAddress(address, ports++);
        }
    }

    NetworkModel model() {
        return model;
    }

    /** Of all that happens now; a thread that is in its turn is further, by what it has done in it. */
    long nowNs() {
        return nowNs;
    }

    Host host(int number) {
        return hosts.computeIfAbsent(number, VirtualNetwork::newHost);
    }

    private static Host newHost(int number) {
        try {
            return new Host(InetAddress.getByAddress(
                    new byte[] {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number}));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    void at(long atNs, Runnable action) {
        events.add(new Event(Math.max(atNs, nowNs), nextNumber(), action));
    }

    /** Has the next thing happen; returns false if there is none. */
    boolean step() {
        final Event event = events.poll();
        if (event == null) {
            return false;
        }
        nowNs = event.atNs();
        event.action().run();
        return true;
    }

    /** Counts what is planned, and tells what comes first of things at the same time. */
    long nextNumber() {
        return made++;
    }

    /** How many things have been planned. */
    long events() {
        return made;
    }

    /** When so many bytes are there that leave now. */
    long arrivalNs(Host from, Host to, long leaveNs, int bytes) {
        if (from == to) {
            return leaveNs + model.localLatencyNs();
        }
        final long wireNs = model.wireNs(bytes);
        from.sendFreeNs = Math.max(from.sendFreeNs, leaveNs) + wireNs;
        to.receiveFreeNs = Math.max(to.receiveFreeNs + wireNs, from.sendFreeNs + model.latencyNs());
        return to.receiveFreeNs;
    }

    long latencyNs(Host from, Host to) {
        return from == to ? model.localLatencyNs() : model.latencyNs();
    }

    /** Returns null if nothing listens there. */
    VirtualPoller.VirtualListener listener(InetSocketAddress at) {
        return listeners.get(at);
    }

    void listen(InetSocketAddress at, VirtualPoller.VirtualListener listener) {
        listeners.put(at, listener);
    }

    void listenNoMore(InetSocketAddress at) {
        listeners.remove(at);
    }

    /** What a frame says; each that has an array of its own is looked at once, as far as can be remembered. */
    Message decode(ByteBuffer frame) {
        if (frame.remaining() < LARGE) {
            return MessageCodec.decode(frame);
        }
        final Message known = decoded.get(frame.array());
        return known != null ? known : remember(frame);
    }

    private Message remember(ByteBuffer frame) {
        final Message message = MessageCodec.decode(frame);
        decoded.put(frame.array(), message);
        decodedOrder.add(frame.array());
        if (decodedOrder.size() > DECODED) {
            decoded.remove(decodedOrder.remove());
        }
        return message;
    }
}
