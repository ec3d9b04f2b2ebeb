/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.MemorySharing;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.service.UdsClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Sharing memory by descriptors that the UDS threads pass, over one session with each rank. */
final class UdsMemorySharing implements MemorySharing {
    private static final String ABSTRACT = "@";
    /** By the addresses of their UDS threads: ranks of one process need no socket for descriptors. */
    private static final Map<String, UdsMemorySharing> OF_PROCESS = new ConcurrentHashMap<>();

    private final int rank;
    private final ProxyAssembly parts;
    private final Runnable driver;
    private final Map<String, SharedSession<UdsClient>> sessions = new HashMap<>();
    private JobSecret secret;
    private volatile ProxyException aborted;
    private boolean isClosed;

    /** Of a runtime whose threads the driver stands for; null if it has some. Usable once all parts are there. */
    UdsMemorySharing(int rank, ProxyAssembly parts, Runnable driver) {
        this.rank = rank;
        this.parts = parts;
        this.driver = driver;
    }

    /** All parts are there: other ranks of this process find it until it {@linkplain #leave leaves}. */
    void enter(JobSecret ofJob) {
        secret = ofJob;
        if (parts.udsEndpoint != null) {
            OF_PROCESS.put(address(), this);
        }
    }

    void leave() {
        OF_PROCESS.remove(address(), this);
    }

    @Override
    public String whyNot() {
        return parts.whyNoUds();
    }

    @Override
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

    @Override
    public String address() {
        return parts.udsEndpoint == null ? "" : parts.udsEndpoint.address();
    }

    @Override
    public String describe() {
        return parts.udsEndpoint == null ? "unavailable: " + whyNot()
                : parts.udsEndpoint.describe() + " at " + parts.udsEndpoint.address();
    }

    @Override
    public long export(DeviceMemory memory, Set<Integer> ranks) {
        requireOpen();
        return parts.exports.export(Arguments.require(memory, "memory"), Arguments.require(ranks, "ranks"));
    }

    @Override
    public long export(Supplier<OwnedFd> source, Set<Integer> ranks) {
        requireOpen();
        return parts.exports.export(Arguments.require(source, "source"), Arguments.require(ranks, "ranks"));
    }

    @Override
    public boolean revoke(long handle) {
        return parts.exports.revoke(handle);
    }

    @Override
    public DeviceMemory open(String address, long handle, Duration timeout) {
        return parts.device.importFd(getFd(address, timeout, handle).getFirst());
    }

    @Override
    public List<OwnedFd> getFd(String address, Duration timeout, long... handles) {
        UdsMemorySharing near = near(address, handles.length);
        if (near == null) {
            return call(address, timeout, (client, left) -> client.getFd(left, driver, handles));
        }
        try {
            return near.parts.exports.give(parts.self, handles);
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), "GetFd at " + address + " failed: " + e.getMessage(), e);
        }
    }

    @Override
    public int[] queryFd(String address, Duration timeout, List<OwnedFd> fds) {
        UdsMemorySharing near = near(address, fds.size());
        if (near == null) {
            return call(address, timeout, (client, left) -> client.queryFd(left, driver, fds));
        }
        try {
            return near.parts.exports.receive(parts.self, duplicates(fds));
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), "QueryFd at " + address + " failed: " + e.getMessage(), e);
        }
    }

    private List<OwnedFd> duplicates(List<OwnedFd> fds) {
        List<OwnedFd> made = new ArrayList<>();
        try {
            fds.forEach(fd -> made.add(parts.platform.descriptors().duplicate(fd)));
            return made;
        } catch (RuntimeException | Error e) {
            made.forEach(OwnedFd::close);
            throw e;
        }
    }

    /** Null if it is of another process or job, or the count is wrong: then a session's words hold. */
    private UdsMemorySharing near(String address, int count) {
        UdsMemorySharing there = OF_PROCESS.get(Arguments.require(address, "address"));
        if (there == null || count < 1 || count > MAX_FDS || isClosed()) {
            return null;
        }
        return secret.isSame(there.secret) ? there : null;
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    /** Ends the sessions, for the job has failed. Does not wait. */
    void abort(ProxyException cause) {
        aborted = cause;
        close();
    }

    /** Ends the sessions. Idempotent; does not wait. */
    void close() {
        List<SharedSession<UdsClient>> all;
        synchronized (this) {
            isClosed = true;
            all = List.copyOf(sessions.values());
        }
        all.forEach(SharedSession::close);
        if (parts.udsEndpoint != null) {
            parts.udsEndpoint.endClients();
        }
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
