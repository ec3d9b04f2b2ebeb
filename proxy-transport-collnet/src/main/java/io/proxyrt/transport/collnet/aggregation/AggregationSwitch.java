/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.Hello;
import io.proxyrt.transport.collnet.wire.ServerHandshake;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * A running switch: reduces and gathers for the groups that connect to it, each by its own. Groups do not touch each
 * other; one ends, with a reason for all its participants, when one of them leaves, breaks the protocol, or does not
 * make the same call as the others.
 *
 * <p>Runs daemon threads until closed: {@code proxy-switch-accept}, and {@code proxy-switch-0} and so on. All methods
 * are thread-safe.
 */
public final class AggregationSwitch implements AutoCloseable {
    static final Logger LOG = Subsystem.NET.logger("collnet.switch");
    private static final int BACKLOG = 4096;
    /** That threads have beyond the time that participants have. */
    private static final Duration MARGIN = Duration.ofSeconds(3);

    private final SwitchConfig config;
    private final InetSocketAddress address;
    private final String name;
    private final SwitchCounters counters;
    private final Acceptor acceptor;
    private final List<SwitchThread> workers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<GroupId, Group> groups = new ConcurrentHashMap<>();
    private final EndedGroups ended = new EndedGroups();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    /** What is opened goes to the list, to be closed if the rest fails. */
    private AggregationSwitch(SwitchConfig config, ServerSocketChannel server, List<AutoCloseable> opened)
            throws IOException {
        this.config = config;
        this.address = (InetSocketAddress) server.getLocalAddress();
        this.name = "switch " + SwitchText.address(address);
        this.counters = config.isShown() ? SwitchCounters.create(config, name) : null;
        opened.add(counters);
        this.acceptor = new Acceptor(this, server);
        opened.add(acceptor::shutdown);
        threads.add(Thread.ofPlatform().daemon().name("proxy-switch-accept").unstarted(acceptor));
        for (int i = 0; i < config.limits().threads(); i++) {
            final SwitchThread worker = new SwitchThread(this);
            opened.add(worker::shutdown);
            workers.add(worker);
            threads.add(Thread.ofPlatform().daemon().name("proxy-switch-" + i).unstarted(worker));
        }
    }

    /**
     * Listens, and starts the threads. Waits for no participant, nor for the parent, which is connected to when a group
     * begins. At an address of IPv6 that is a wildcard it serves participants of IPv4, too, where the system has both.
     *
     * @param config of the switch
     * @return running; the caller's
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the address cannot be listened at, {@link
     *                        ProxyResult#INVALID_ARGUMENT} if the parent's address is a wildcard, {@link
     *                        ProxyResult#INVALID_USAGE} if other hosts reach it, or the parent is on another host, and
     *                        there is no secret
     */
    public static AggregationSwitch start(SwitchConfig config) {
        final InetSocketAddress listen = config.listen();
        requireResolved(listen);
        config.parent().ifPresent(AggregationSwitch::requireReachable);
        requireCredential(config, listen);
        ServerSocketChannel server = null;
        try {
            server = ServerSocketChannel.open();
            server.bind(listen, BACKLOG);
            return start(config, server);
        } catch (IOException e) {
            close(server);
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the switch cannot listen at "
                    + PeerText.address(listen) + ": " + e.getMessage() + DescriptorLimit.advice(e, "; choose an address"
                    + " of this host and a free port (port 0 takes any), or end what listens there (ss -ltnp shows"
                    + " it)"), e);
        }
    }

    /**
     * Starts the threads behind a socket that is bound already.
     *
     * @param config of the switch, but for where it listens
     * @param server bound; the switch's from here on, also if this fails
     * @return running; the caller's
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses something, {@link
     *                        ProxyResult#INVALID_USAGE} as {@link #start(SwitchConfig)}
     */
    public static AggregationSwitch start(SwitchConfig config, ServerSocketChannel server) {
        final List<AutoCloseable> opened = new ArrayList<>();
        opened.add(server);
        AggregationSwitch made = null;
        try {
            requireCredential(config, (InetSocketAddress) server.getLocalAddress());
            made = new AggregationSwitch(config, server, opened);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the switch cannot start: " + e.getMessage(), e);
        } finally {
            if (made == null) {
                opened.reversed().forEach(AggregationSwitch::close);
            }
        }
        made.startThreads();
        LOG.debug("{} runs", made.name);
        return made;
    }

    private void startThreads() {
        try {
            threads.forEach(Thread::start);
        } catch (OutOfMemoryError e) {
            threads.removeIf(thread -> thread.getState() == Thread.State.NEW);
            close();
            acceptor.shutdown();
            workers.forEach(SwitchThread::shutdown);
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, name + " cannot start its threads: " + e.getMessage(),
                    e);
        }
    }

    private static void requireResolved(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "there is no host " + address.getHostString()
                    + " for the switch; give an address or a name that this host knows");
        }
    }

    private static void requireReachable(InetSocketAddress parent) {
        requireResolved(parent);
        if (parent.getAddress().isAnyLocalAddress()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the switch cannot have a parent at "
                    + PeerText.address(parent) + ", a wildcard: give an address of the host that the parent is on");
        }
    }

    private static void requireCredential(SwitchConfig config, InetSocketAddress listen) {
        config.credential().requireFor(listen.getAddress(), "the switch cannot listen at");
        config.parent().ifPresent(parent -> config.credential().requireFor(parent.getAddress(),
                "the switch cannot have a parent at"));
    }

    /**
     * Where it listens.
     *
     * @return with the real port; a wildcard if it was told one, which is no address for others to connect to
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * What it has counted so far.
     *
     * @param counter which
     * @return the value of all threads
     */
    public long count(SwitchCounter counter) {
        return acceptor.tally().get(counter) + workers.stream().mapToLong(worker -> worker.tally().get(counter)).sum();
    }

    /**
     * What it is and does.
     *
     * @return for people, one line
     */
    public String describe() {
        return name + config.parent().map(parent -> " below " + PeerText.address(parent)).orElse("") + ": "
                + count(SwitchCounter.JOBS) + " groups, " + count(SwitchCounter.LINKS) + " connections, "
                + count(SwitchCounter.CALLS) + " calls so far";
    }

    /** Acceptor's thread: shows the counters, if others are to see them. */
    void publish() {
        if (counters != null) {
            counters.publish(this);
        }
    }

    SwitchConfig config() {
        return config;
    }

    /**
     * What it is called in messages.
     *
     * @return such as {@code switch 127.0.0.1:4711}; with the host's name instead of a wildcard
     */
    public String name() {
        return name;
    }

    /** Acceptor's thread: gives a connection to its group. Returns why not; empty if it is the group's now. */
    String assign(SocketChannel channel, ServerHandshake handshake) {
        final Hello hello = handshake.hello();
        Group group = groups.get(hello.group());
        final String why = group == null ? ended.why(hello.group()) : null;
        if (why != null) {
            return Group.ended(hello.group(), why);
        }
        if (group == null && groups.size() >= config.limits().maxJobs()) {
            return name + " has " + groups.size() + " groups already, as many as it takes";
        }
        if (group == null) {
            final SwitchThread thread = leastLoaded();
            if (thread == null) {
                return name + " closes";
            }
            group = new Group(hello.group(), hello.nRanks(), thread);
            groups.put(group.id(), group);
        }
        group.thread().offer(new SwitchThread.Arrival(group, channel, handshake));
        return "";
    }

    /** By the groups that were given to each, also those that it has not begun. Null if none takes groups any more. */
    private SwitchThread leastLoaded() {
        return workers.stream().filter(worker -> !worker.isOver()).min(Comparator.comparingLong(this::load))
                .orElse(null);
    }

    private long load(SwitchThread worker) {
        return groups.values().stream().filter(group -> group.thread() == worker).count();
    }

    /** For tests: of each thread. */
    List<Long> loads() {
        return workers.stream().map(this::load).toList();
    }

    /** For tests; null if there is none of this name. */
    Group group(GroupId id) {
        return groups.get(id);
    }

    /**
     * Whether it serves. One whose thread died of a bug ends altogether, so that another can be started.
     *
     * @return false once it closes
     */
    public boolean isRunning() {
        return !isClosed.get();
    }

    /** Any thread: begins to close, and does not wait for that. */
    void end() {
        if (isClosed.compareAndSet(false, true)) {
            acceptor.close();
            workers.forEach(worker -> worker.close(config.closeTimeout().toNanos()));
        }
    }

    /** Any thread: turns a peer away that has proven itself. */
    void refuse(SocketChannel channel, ServerHandshake handshake, String why) throws IOException {
        try (channel) {
            acceptor.refused(channel.getRemoteAddress(), handshake.hello().peer() + ": " + why);
            channel.write(handshake.welcome(why));
        }
    }

    /** A group's thread: it has ended, or nothing came of it. */
    void forget(Group group) {
        if (group.isEnded()) {
            ended.add(group.id(), group.why());
        }
        groups.remove(group.id(), group);
    }

    static void close(AutoCloseable resource) {
        try {
            if (resource != null) {
                resource.close();
            }
        } catch (Exception e) {
            LOG.debug("closing a socket failed", e);
        }
    }

    /**
     * Ends all groups, and the threads. Participants have the configuration's {@code close.timeout} to read what is
     * complete, and why their group ends; what their sockets have not taken by then is lost, and logged. Participants
     * that stand still, and whose sockets have all, are waited for half a second: they read it later. Takes the time to
     * close and three seconds at most. Idempotent.
     */
    @Override
    public void close() {
        end();
        final long untilNs = System.nanoTime() + config.closeTimeout().plus(MARGIN).toNanos();
        for (Thread thread : threads) {
            if (!Uninterruptibly.join(thread, Duration.ofNanos(Math.max(0, untilNs - System.nanoTime())))) {
                LOG.warn("thread {} of {} did not end in time", thread.getName(), name);
            }
        }
        if (counters != null) {
            counters.close();
        }
    }
}
