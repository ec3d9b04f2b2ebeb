/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static io.proxyrt.transport.net.socket.SocketChannels.LOG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.transport.net.socket.SocketCandidates.AcceptedSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks after connections that can be resumed while their owners are busy with something else: accepts sockets that a
 * sender dialled again, and has comms that are not in use notice that a socket broke. A thread of the network, which
 * sleeps but for a look at each comm from time to time.
 */
final class SocketKeeper implements AutoCloseable {
    private static final long TICK_MS = 50;
    private static final long BUSY_TICK_MS = 1;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final SocketSettings settings;
    private final Selector selector;
    private final Thread thread;
    private final Set<SocketComm> comms = ConcurrentHashMap.newKeySet();
    private final Map<UUID, SocketRecvComm> receivers = new ConcurrentHashMap<>();
    private final List<SocketCandidates> listeners = new CopyOnWriteArrayList<>();
    private final Map<InetAddress, Integer> ports = new HashMap<>();
    private volatile boolean isStopped;

    private SocketKeeper(SocketSettings settings, Selector selector) {
        this.settings = settings;
        this.selector = selector;
        this.thread = Thread.ofPlatform().name("proxy-resume-" + settings.rank()).daemon().unstarted(this::run);
    }

    static SocketKeeper start(SocketSettings settings) {
        SocketKeeper keeper;
        try {
            keeper = new SocketKeeper(settings, Selector.open());
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot look after connections: " + e
                    + DescriptorLimit.advice(e, ""), e);
        }
        try {
            keeper.thread.start();
            return keeper;
        } catch (RuntimeException | Error e) {
            SocketChannels.close(keeper.selector);
            throw e;
        }
    }

    /** The port at this address where sockets that broke are dialled again. Service thread. */
    int listen(InetAddress address) throws IOException {
        Integer known = ports.get(address);
        if (known != null) {
            return known;
        }
        ServerSocketChannel server = SocketCandidates.listen(settings, address);
        int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        ports.put(address, port);
        listeners.add(new SocketCandidates(settings, server, this::session));
        server.register(selector, SelectionKey.OP_ACCEPT);
        selector.wakeup();
        return port;
    }

    void keep(SocketComm comm) {
        comms.add(comm);
        if (comm instanceof SocketRecvComm receiver) {
            receivers.put(receiver.session().id(), receiver);
        }
    }

    void forget(SocketComm comm) {
        comms.remove(comm);
        if (comm instanceof SocketRecvComm receiver) {
            receivers.remove(receiver.session().id(), receiver);
        }
    }

    @Override
    public void close() {
        isStopped = true;
        selector.wakeup();
        if (!Uninterruptibly.join(thread, CLOSE_TIMEOUT)) {
            LOG.warn("{} did not end within {}", thread.getName(), CLOSE_TIMEOUT);
        }
        listeners.forEach(SocketCandidates::close);
        SocketChannels.close(selector);
    }

    private void run() {
        boolean isBusy = false;
        boolean isFailing = false;
        while (!isStopped) {
            try {
                selector.select(key -> { }, isBusy ? BUSY_TICK_MS : TICK_MS);
                isBusy = letIn();
                isFailing = false;
            } catch (IOException e) {
                if (!isFailing) {
                    LOG.warn("rank {} cannot let in sockets that were dialled again, and goes on trying: {}",
                            settings.rank(), e.toString());
                }
                isFailing = true;
                isBusy = false;
                // Connections in the accept backlog keep the selector from sleeping.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TICK_MS));
            }
            comms.forEach(SocketComm::tend);
        }
    }

    /** Accepts connections. Returns whether any is accepted now, or still unauthenticated. */
    private boolean letIn() throws IOException {
        boolean isBusy = false;
        for (SocketCandidates listener : listeners) {
            for (AcceptedSocket socket = listener.next(); socket != null; socket = listener.next()) {
                offer(socket);
                isBusy = true;
            }
            isBusy |= listener.isExpecting();
        }
        return isBusy;
    }

    private void offer(AcceptedSocket socket) {
        SocketRecvComm receiver = receivers.get(socket.hello().session());
        if (receiver == null) {
            socket.turnAway("its connection was closed");
        } else {
            receiver.offer(socket);
        }
    }

    private SocketSession session(UUID id) {
        SocketRecvComm receiver = receivers.get(id);
        return receiver == null ? null : receiver.session();
    }
}
