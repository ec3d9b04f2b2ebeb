/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The connections of one port that have not authenticated yet: a bounded number, shared fairly by where they come from.
 * One more than that costs the source which has most of them its oldest. So a port goes on accepting whatever comes,
 * other sources keep their share, and even a peer at the source of a flood gets in: its handshake takes milliseconds,
 * and all of the flood's connections that are older go before it. One thread at a time.
 *
 * @param <C> a connection
 */
public final class Unauthenticated<C> {
    /** Without a connection too many for so long, a flood is over. */
    private static final long EPISODE_NS = TimeUnit.SECONDS.toNanos(10);
    /** Who has one address of IPv6 has all that begin with these bytes. */
    private static final int NETWORK_BYTES = 8;

    private final int max;
    private final Map<C, String> sources = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private long displaced;
    private long lastDisplacedNs;
    private String floodSource = "";

    /**
     * None yet.
     *
     * @param max how many there may be; positive
     */
    public Unauthenticated(int max) {
        assert max > 0 : max;
        this.max = max;
    }

    /**
     * Where a connection comes from.
     *
     * @param remote the peer's address
     * @return its host; of IPv6 the network, as one peer may have all addresses of it; of a socket without an address,
     *         this host
     */
    public static String source(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            return "this host";
        }
        InetAddress host = internet.getAddress();
        return host instanceof Inet6Address six && !six.isLoopbackAddress() ? network(six) : host.getHostAddress();
    }

    private static String network(Inet6Address host) {
        byte[] prefix = Arrays.copyOf(Arrays.copyOf(host.getAddress(), NETWORK_BYTES), host.getAddress().length);
        try {
            return InetAddress.getByAddress(prefix).getHostAddress() + "/" + NETWORK_BYTES * Byte.SIZE;
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are an address", e);
        }
    }

    /**
     * Takes a new connection in.
     *
     * @param connection that was accepted just now
     * @param source     where it comes from, readable
     * @param nowNs      the time
     * @return the one that has to go for it, which is forgotten; null if there is room for both
     */
    public C add(C connection, String source, long nowNs) {
        C oldest = sources.size() < max ? null : displace(nowNs);
        sources.put(connection, source);
        counts.merge(source, 1, Integer::sum);
        return oldest;
    }

    /**
     * Forgets the oldest connection of the source that has most: for a new one, or where the process has no descriptor
     * left for a new one.
     *
     * @param nowNs the time
     * @return what has to be closed; null if there is none
     */
    public C displace(long nowNs) {
        String greatest = counts.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey)
                .orElse(null);
        for (Map.Entry<C, String> entry : sources.entrySet()) {
            if (entry.getValue().equals(greatest)) {
                C oldest = entry.getKey();
                remove(oldest);
                displaced = isFlood(nowNs) ? displaced + 1 : 1;
                lastDisplacedNs = nowNs;
                floodSource = greatest;
                return oldest;
            }
        }
        return null;
    }

    /**
     * A connection has authenticated, or has ended.
     *
     * @param connection any
     * @return false if it was not one of these
     */
    public boolean remove(C connection) {
        String source = sources.remove(connection);
        if (source == null) {
            return false;
        }
        counts.computeIfPresent(source, (from, count) -> count == 1 ? null : count - 1);
        return true;
    }

    /**
     * How many there are.
     *
     * @return at most as many as there may be
     */
    public int size() {
        return sources.size();
    }

    /**
     * Whether there is none.
     *
     * @return true if so
     */
    public boolean isEmpty() {
        return sources.isEmpty();
    }

    /**
     * The one that waits longest.
     *
     * @return null if there is none
     */
    public C oldest() {
        return sources.isEmpty() ? null : sources.keySet().iterator().next();
    }

    /**
     * All of them.
     *
     * @return a copy, oldest first
     */
    public List<C> all() {
        return new ArrayList<>(sources.keySet());
    }

    private boolean isFlood(long nowNs) {
        return displaced > 0 && nowNs - lastDisplacedNs < EPISODE_NS;
    }

    /**
     * What keeps peers from authenticating, if something does.
     *
     * @param nowNs the time
     * @return how many connections too many came of late, and from where; empty unless there were some
     */
    public String flood(long nowNs) {
        return isFlood(nowNs) ? "the port is flooded by " + (displaced + sources.size())
                + " unauthenticated connections, at last from " + floodSource : "";
    }
}
