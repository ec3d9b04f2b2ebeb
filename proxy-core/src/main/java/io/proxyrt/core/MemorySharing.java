/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.spi.UdsClient;
import io.proxyrt.core.uds.OwnedFd;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Memory that ranks of one host share, by file descriptors that their UDS threads pass: RCCL's {@code
 * ncclProxyClientGetFdBlocking} and {@code ncclProxyClientQueryFdBlocking}. Any thread.
 */
public final class MemorySharing {
    private static final String ABSTRACT = "@";

    private final int rank;
    private final ProxyAssembly parts;
    private final Runnable driver;
    private final Map<String, SharedSession<UdsClient>> sessions = new HashMap<>();
    private volatile ProxyException aborted;
    private boolean isClosed;

    /** Of a runtime whose threads the driver stands for; null if it has some. Usable once all parts are there. */
    MemorySharing(int rank, ProxyAssembly parts, Runnable driver) {
        this.rank = rank;
        this.parts = parts;
        this.driver = driver;
    }

    /**
     * Why no descriptors can be passed here.
     *
     * @return empty if they can; else one line: why not, and what to do
     */
    public String whyNot() {
        return parts.whyNoUds();
    }

    /**
     * Why no descriptors can be passed between two ranks, for transports that share memory. Does not ask the peer. Both
     * ends say the same, but for users that only one of them admits.
     *
     * @param self this rank
     * @param peer the other one
     * @return empty if they can; else one line: why not, and what to do
     */
    public String whyNot(PeerInfo self, PeerInfo peer) {
        String other = "rank " + peer.rank();
        if (!self.isSameHost(peer)) {
            return other + " is on another host";
        }
        if (parts.udsEndpoint == null) {
            return "this rank has no UDS thread: " + whyNot();
        }
        if (peer.uds().isEmpty()) {
            return other + " has no UDS thread; proxyrt info there tells why";
        }
        boolean isAbstract = self.uds().startsWith(ABSTRACT) || peer.uds().startsWith(ABSTRACT);
        if (isAbstract && self.process().netId() != peer.process().netId()) {
            return other + " is in another network namespace, where abstract names of sockets are others; set "
                    + "proxyrt.uds.namespace=path and proxyrt.uds.directory to a folder that both see";
        }
        return isAdmitted(peer.process().uid()) ? "" : other + " belongs to user "
                + Integer.toUnsignedString(peer.process().uid()) + ", this one to user "
                + Integer.toUnsignedString(self.process().uid())
                + "; name them to each other in proxyrt.uds.allow.uids";
    }

    private boolean isAdmitted(int uid) {
        return uid == PeerProcess.UNKNOWN || parts.udsEndpoint.admits(uid);
    }

    /**
     * Where this rank's UDS thread listens, for its {@link PeerInfo}.
     *
     * @return a path, or the name of an abstract socket behind an {@code @}; empty if {@link #whyNot()} is not
     */
    public String address() {
        return parts.udsEndpoint == null ? "" : parts.udsEndpoint.address();
    }

    /**
     * Which sockets the UDS thread uses and where it listens, or why there is none.
     *
     * @return one line for people
     */
    public String describe() {
        return parts.udsEndpoint == null ? "unavailable: " + whyNot()
                : parts.udsEndpoint.describe() + " at " + parts.udsEndpoint.address();
    }

    /**
     * Lets ranks map memory of this one. Does not block.
     *
     * @param memory of {@link io.proxyrt.core.device.Device#allocateShareable}; stays the caller's, who revokes the
     *               handle before he frees it
     * @param ranks  who may
     * @return the handle to tell them, by whatever means
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the memory cannot be shared
     */
    public long export(DeviceMemory memory, Set<Integer> ranks) {
        requireOpen();
        return parts.exports.export(Arguments.require(memory, "memory"), Arguments.require(ranks, "ranks"));
    }

    /**
     * Lets ranks have a descriptor of what need not be memory of the runtime's device. Does not block.
     *
     * @param source makes a descriptor each time a rank asks, on the UDS thread
     * @param ranks  who may have it
     * @return the handle to tell them, by whatever means
     * @throws ProxyException what the source threw, which is tried once
     */
    public long export(Supplier<OwnedFd> source, Set<Integer> ranks) {
        requireOpen();
        return parts.exports.export(Arguments.require(source, "source"), Arguments.require(ranks, "ranks"));
    }

    /**
     * Lets nobody map memory any more; who has mapped it keeps it. Does not block.
     *
     * @param handle of {@link #export}
     * @return false if there is none such
     */
    public boolean revoke(long handle) {
        return parts.exports.revoke(handle);
    }

    /**
     * Maps memory of another rank. Blocks.
     *
     * @param address of that rank's UDS thread
     * @param handle  as it told
     * @param timeout for the answer
     * @return owned by the caller
     * @throws ProxyException as {@link #getFd}, and {@link ProxyResult#INVALID_ARGUMENT} if it could shrink while it
     *                        is mapped
     */
    public DeviceMemory open(String address, long handle, Duration timeout) {
        return parts.device.importFd(getFd(address, timeout, handle).getFirst());
    }

    /**
     * GetFd: descriptors of memory of another rank. Blocks.
     *
     * @param address of that rank's UDS thread
     * @param timeout for the answer
     * @param handles as it told, 1 to {@link UdsClient#MAX_FDS}
     * @return one for each, in their order; owned by the caller
     * @throws ProxyException what that rank said, {@link ProxyResult#TIMEOUT}, {@link ProxyResult#REMOTE_ERROR}, or
     *                        {@link ProxyResult#INVALID_USAGE} with the reason if no descriptors can be passed here
     */
    public List<OwnedFd> getFd(String address, Duration timeout, long... handles) {
        return call(address, timeout, (client, left) -> client.getFd(left, driver, handles));
    }

    /**
     * QueryFd: sends descriptors to another rank, for a {@link io.proxyrt.core.message.RegisterRequest} with their
     * numbers there. Blocks.
     *
     * @param address of that rank's UDS thread
     * @param timeout for the answer
     * @param fds     1 to {@link UdsClient#MAX_FDS}; stay the caller's
     * @return their numbers there, in their order
     * @throws ProxyException as {@link #getFd}
     */
    public int[] queryFd(String address, Duration timeout, List<OwnedFd> fds) {
        return call(address, timeout, (client, left) -> client.queryFd(left, driver, fds));
    }

    /** Ends the sessions, for the job has failed. Waits for nobody. */
    void abort(ProxyException cause) {
        aborted = cause;
        close();
    }

    /** Ends the sessions. Idempotent; waits for nobody. */
    void close() {
        List<SharedSession<UdsClient>> all;
        synchronized (this) {
            isClosed = true;
            all = List.copyOf(sessions.values());
        }
        all.forEach(SharedSession::close);
    }

    private synchronized void requireOpen() {
        if (isClosed && aborted == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the runtime of rank " + rank + " is closed");
        }
    }

    private <T> T call(String address, Duration timeout, BiFunction<UdsClient, Duration, T> call) {
        try {
            return callTwice(address, timeout, call);
        } catch (ProxyException e) {
            ProxyException cause = aborted;
            throw cause == null ? e : new ProxyException(cause.result(), "rank " + rank + " passes file descriptors to "
                    + address + " no more: " + cause.getMessage(), e);
        }
    }

    /** Where a session had ended before anything of the call was sent, it is made over another one, once. */
    private <T> T callTwice(String address, Duration timeout, BiFunction<UdsClient, Duration, T> call) {
        long deadline = System.nanoTime() + Timeouts.nanos(Arguments.require(timeout, "timeout"));
        SharedSession<UdsClient> session = session(Arguments.require(address, "address"));
        UdsClient client = session.get(timeout);
        try {
            return call.apply(client, Timeouts.until(deadline));
        } catch (ProxyException e) {
            if (client.isOpen() || e.result() != ProxyResult.INVALID_USAGE
                    || Thread.currentThread().isInterrupted()) {
                throw e;
            }
        }
        return call.apply(session.get(Timeouts.until(deadline)), Timeouts.until(deadline));
    }

    private synchronized SharedSession<UdsClient> session(String address) {
        if (parts.udsEndpoint == null || isClosed) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank
                    + " passes no file descriptors: " + (isClosed ? "its runtime is closed" : whyNot()));
        }
        return sessions.computeIfAbsent(address, any -> new SharedSession<>("rank " + rank
                + "'s session with the UDS thread at " + address,
                timeout -> parts.udsEndpoint.connect(address, timeout, driver), UdsClient::isOpen,
                UdsClient::close));
    }
}
