/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;

/**
 * Memory of peers that the client half of a transport has mapped and the proxy half has not yet taken over. The client
 * puts it in and tells its proxy the ticket in Connect. What no Connect fetches, because it failed on its way, is
 * closed once it has waited for too long, when other memory comes or goes. Any thread.
 *
 * @param <T> what is handed over
 */
public final class Tickets<T extends AutoCloseable> implements AutoCloseable {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    private static final int VERSION = 1;
    private static final int BYTES = 12;

    private final String name;
    private final long timeoutNs;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, Waiting<T>> waiting = new ConcurrentHashMap<>();
    private volatile boolean isClosed;

    /**
     * None yet.
     *
     * @param name    of the transport, for messages
     * @param timeout how long what is put in may wait
     */
    public Tickets(String name, Duration timeout) {
        this.name = name;
        this.timeoutNs = timeout.toNanos();
    }

    private record Waiting<T>(T memory, long sinceNs) {
    }

    /**
     * Puts memory in.
     *
     * @param memory stays the caller's if this fails, because the runtime was closed meanwhile
     * @return its ticket: 64 random bits, for others may send Connect requests too
     */
    public long put(T memory) {
        expire();
        Waiting<T> entry = new Waiting<>(memory, System.nanoTime());
        long ticket;
        do {
            ticket = random.nextLong();
        } while (ticket == 0 || waiting.putIfAbsent(ticket, entry) != null);
        // Put first, looked afterwards; close() does it the other way round: one of the two finds it.
        if (isClosed && waiting.remove(ticket, entry)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + " memory of a peer was mapped while the "
                    + "runtime was closed");
        }
        return ticket;
    }

    /**
     * Takes it out.
     *
     * @param ticket not to be trusted
     * @return owned by the caller from now on
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is none
     */
    public T take(long ticket) {
        Waiting<T> entry = waiting.remove(ticket);
        if (entry == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    name + " Connect request with a ticket that was not given, was used, or has expired");
        }
        return entry.memory;
    }

    /**
     * The body of a Connect request.
     *
     * @param ticket of {@link #put}
     * @return version int, ticket long
     */
    public static ByteBuffer encode(long ticket) {
        return ByteBuffer.allocate(BYTES).putInt(VERSION).putLong(ticket).flip();
    }

    /**
     * Undoes {@link #encode}.
     *
     * @param body not to be trusted
     * @return the ticket
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public long decode(ByteBuffer body) {
        return new MessageChecks(name, VERSION).begin(body, BYTES, BYTES, "Connect request").getLong();
    }

    /**
     * Whose they are.
     *
     * @return the name of the transport
     */
    public String name() {
        return name;
    }

    /**
     * How much waits.
     *
     * @return number of tickets
     */
    public int size() {
        return waiting.size();
    }

    /** Closes what has waited for too long. What cannot be closed is logged: the caller has nothing to do with it. */
    public void expire() {
        long now = System.nanoTime();
        try {
            close(entry -> now - entry.sinceNs > timeoutNs);
        } catch (ProxyException e) {
            LOGGER.warn("{}: memory of a peer that Connect never took over is lost: {}", name, e.getMessage(), e);
        }
    }

    /** {@inheritDoc} Closes all that waits, though one may fail. */
    @Override
    public void close() {
        isClosed = true;
        close(entry -> true);
    }

    private void close(Predicate<Waiting<T>> isDue) {
        try (Owned owned = new Owned()) {
            waiting.forEach((ticket, entry) -> {
                if (isDue.test(entry) && waiting.remove(ticket, entry)) {
                    owned.add(entry.memory);
                }
            });
        }
    }
}
