/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.Direction;
import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.jfr.DescriptorEvent;
import io.proxyrt.core.jfr.Jfr;
import io.proxyrt.core.progress.TransportContext;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Which memory of this process goes to whom, and which descriptors came from whom. Shares and revocations may come from
 * any thread, requests come from the UDS thread, and what was sent by QueryFd is taken by the service thread.
 */
public final class MemoryExports implements UdsHandler, AutoCloseable {
    /** Descriptors that wait for their Register at one time; one more is refused. */
    static final int MAX_RECEIVED = 1024;
    /** Of these, the most of one peer, so that no peer takes the room of the others. */
    static final int MAX_RECEIVED_OF_PEER = MAX_RECEIVED / 4;
    private static final Logger LOGGER = Subsystem.PROXY.logger();

    private final int rank;
    private final Device device;
    private final long timeoutNs;
    private final LongSupplier clock;
    private final Counters counters;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, Export> exports = new ConcurrentHashMap<>();
    private final Map<Integer, Received> received = new ConcurrentHashMap<>();

    /**
     * Nothing exported yet.
     *
     * @param context of this runtime: whose memory it is
     * @param clock   monotonic, in nanoseconds
     */
    public MemoryExports(TransportContext context, LongSupplier clock) {
        this.rank = context.rank();
        this.device = context.device();
        this.counters = context.counters();
        this.timeoutNs = context.config().get(CoreOptions.FD_TIMEOUT).toNanos();
        this.clock = clock;
    }

    private record Export(Supplier<OwnedFd> source, Set<Integer> ranks) {
    }

    private record Received(OwnedFd fd, PeerId from, long deadlineNs) {
    }

    /**
     * Lets ranks have a descriptor of memory. Any thread.
     *
     * @param memory of {@link Device#allocateShareable}; stays the caller's
     * @param ranks  who may have it
     * @return the handle to tell them: 64 random bits, never 0
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the memory cannot be shared
     */
    public long export(DeviceMemory memory, Set<Integer> ranks) {
        return export(() -> device.exportFd(memory), ranks);
    }

    /**
     * Lets ranks have a descriptor of what need not be the device's memory. Any thread.
     *
     * @param source makes a descriptor each time a rank asks, on the UDS thread, or that of a rank of this process
     * @param ranks  who may have it
     * @return the handle to tell them: 64 random bits, never 0
     * @throws ProxyException what the source threw, which is tried once
     */
    public long export(Supplier<OwnedFd> source, Set<Integer> ranks) {
        // Now rather than when a peer asks: the mistake is this caller's.
        source.get().close();
        Export export = new Export(source, Set.copyOf(ranks));
        long handle;
        do {
            handle = random.nextLong();
        } while (handle == 0 || exports.putIfAbsent(handle, export) != null);
        return handle;
    }

    /**
     * Gives no more descriptors for a handle; those that were given live on. Any thread.
     *
     * @param handle of {@link #export}
     * @return false if there is none such
     */
    public boolean revoke(long handle) {
        return exports.remove(handle) != null;
    }

    @Override
    public List<OwnedFd> onGetFd(PeerId peer, long[] handles) {
        try {
            return give(peer, handles);
        } catch (RuntimeException e) {
            counters.add(Counter.UDS_ERRORS, 1);
            throw e;
        }
    }

    /**
     * Descriptors for a rank, of another process or of this one. Any thread.
     *
     * @param peer    who asks
     * @param handles of {@link #export}
     * @return one for each, owned by the caller
     * @throws ProxyException if one of them is unknown or not for this peer
     */
    public List<OwnedFd> give(PeerId peer, long... handles) {
        List<OwnedFd> fds = new ArrayList<>(handles.length);
        try {
            for (long handle : handles) {
                fds.add(allowed(peer, handle).source().get());
            }
            count(Counter.UDS_FDS_SENT, fds.size());
            record(peer, Direction.SEND, fds.size());
            return fds;
        } catch (RuntimeException e) {
            fds.forEach(OwnedFd::close);
            throw e;
        }
    }

    @Override
    public int[] onQueryFd(PeerId peer, List<OwnedFd> fds) {
        try {
            return receive(peer, fds);
        } catch (ProxyException e) {
            counters.add(Counter.UDS_ERRORS, 1);
            throw e;
        }
    }

    private void record(PeerId peer, Direction direction, int descriptors) {
        if (Jfr.recordsDescriptors()) {
            DescriptorEvent event = new DescriptorEvent();
            event.rank = rank;
            event.job = counters.job();
            event.peer = peer.rank();
            event.direction = direction.name();
            event.count = descriptors;
            event.commit();
        }
    }

    /** Also by threads of other ranks of this process; nothing else adds to these. */
    private synchronized void count(Counter counter, int descriptors) {
        counters.add(counter, descriptors);
    }

    /**
     * Keeps what a rank brings, of another process or of this one, until it registers it. Any thread.
     *
     * @param peer whose it was
     * @param fds  owned by this object, whether it throws or not
     * @return their numbers, in their order
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if too many wait already
     */
    public synchronized int[] receive(PeerId peer, List<OwnedFd> fds) {
        long own = received.values().stream().filter(entry -> entry.from().equals(peer)).count();
        if (received.size() + fds.size() > MAX_RECEIVED || own + fds.size() > MAX_RECEIVED_OF_PEER) {
            fds.forEach(OwnedFd::close);
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + " has " + received.size()
                    + " file descriptors already that no REGISTER has used, " + own + " of them of " + peer);
        }
        int[] numbers = new int[fds.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = fds.get(i).number();
            received.put(numbers[i], new Received(fds.get(i), peer, clock.getAsLong() + timeoutNs));
        }
        count(Counter.UDS_FDS_RECEIVED, numbers.length);
        record(peer, Direction.RECV, numbers.length);
        return numbers;
    }

    /** {@inheritDoc} What it sent stays: its Register comes by another socket. */
    @Override
    public void onDisconnect(PeerId peer) {
        LOGGER.debug("rank {}: {} left the UDS thread", rank, peer);
    }

    /**
     * Takes what a peer sent by QueryFd. Any thread.
     *
     * @param peer   who says so
     * @param number as it was answered
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if this peer sent none, or too long ago
     */
    public OwnedFd take(PeerId peer, long number) {
        Received entry = (int) number == number ? received.get((int) number) : null;
        if (entry == null || !entry.from().equals(peer) || !received.remove((int) number, entry)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " has no file descriptor " + number
                    + " of " + peer + "; send it by QueryFd, and use it once, and soon");
        }
        return entry.fd();
    }

    /**
     * Closes what a peer sent and will not use any more. Any thread.
     *
     * @param peer who is gone
     */
    public void forget(PeerId peer) {
        close(peer, Long.MIN_VALUE);
    }

    /**
     * Closes what was sent and not used in time. Any thread.
     *
     * @return how many descriptors
     */
    public int expire() {
        return received.isEmpty() ? 0 : close(null, clock.getAsLong());
    }

    /**
     * Descriptors that wait for their Register. Any thread.
     *
     * @return how many
     */
    public int waiting() {
        return received.size();
    }

    /**
     * The device whose memory it is.
     *
     * @return the runtime's
     */
    public Device device() {
        return device;
    }

    /** Revokes all and closes what waits. Idempotent. */
    @Override
    public void close() {
        exports.clear();
        received.values().removeIf(entry -> {
            entry.fd().close();
            return true;
        });
    }

    private Export allowed(PeerId peer, long handle) {
        Export export = exports.get(handle);
        if (export == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " exports no memory with handle "
                    + Long.toHexString(handle) + ", or not any more");
        }
        if (!export.ranks().contains(peer.rank())) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + " exports the memory with handle "
                    + Long.toHexString(handle) + " to others, not to " + peer);
        }
        return export;
    }

    private int close(PeerId peer, long nowNs) {
        int count = 0;
        for (Iterator<Map.Entry<Integer, Received>> all = received.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Integer, Received> each = all.next();
            Received entry = each.getValue();
            boolean isDue = peer == null ? nowNs - entry.deadlineNs() >= 0 : entry.from().equals(peer);
            if (isDue && received.remove(each.getKey(), entry)) {
                entry.fd().close();
                count++;
            }
        }
        if (count > 0) {
            LOGGER.warn("rank {}: closed {} file descriptors that QueryFd had brought and no REGISTER used", rank,
                    count);
        }
        return count;
    }
}
