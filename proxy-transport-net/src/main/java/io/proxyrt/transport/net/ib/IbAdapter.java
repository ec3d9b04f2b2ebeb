/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.VerbsDevice;
import io.proxyrt.core.verbs.VerbsEvent;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;

/** An open adapter, its protection domain, and a thread that hears of its events. Any thread. */
final class IbAdapter implements AutoCloseable {
    private static final Logger LOG = Subsystem.NET.logger();
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final int NO_DESCRIPTOR = -1;
    private static final long PAGE_BYTES = 4096;

    private final VerbsContext context;
    private final ProtectionDomain domain;
    private final VerbsDevice attributes;
    private final CompletionQueues queues;
    private final boolean takesDmaBuf;
    /** How often each port failed, alone or with its adapter, and of what last. */
    private final AtomicIntegerArray failures;
    private final AtomicReferenceArray<String> lastFailures;
    /** What failed each queue pair that is there, by number; empty if nothing did. */
    private final Map<Integer, String> pairs = new ConcurrentHashMap<>();
    private final AtomicInteger pairFailures = new AtomicInteger();
    /** How often addresses of each port may have changed. */
    private final AtomicIntegerArray changes;
    private final Thread thread;
    private volatile boolean isStopped;

    private IbAdapter(VerbsContext context, ProtectionDomain domain) {
        this.context = context;
        this.domain = domain;
        this.attributes = context.query();
        this.queues = new CompletionQueues(context, attributes.maxCqes());
        this.takesDmaBuf = isTakingDmaBufs(domain);
        this.failures = new AtomicIntegerArray(attributes.ports() + 1);
        this.lastFailures = new AtomicReferenceArray<>(attributes.ports() + 1);
        this.changes = new AtomicIntegerArray(attributes.ports() + 1);
        this.thread = Thread.ofPlatform().name("proxy-ib-events-" + context.device()).daemon().unstarted(this::run);
    }

    /** Takes the context over, also if it throws. */
    static IbAdapter of(VerbsContext context) {
        ProtectionDomain domain = null;
        try {
            domain = context.protectionDomain();
            IbAdapter adapter = new IbAdapter(context, domain);
            adapter.thread.start();
            return adapter;
        } catch (RuntimeException | Error e) {
            if (domain != null) {
                domain.close();
            }
            context.close();
            throw e;
        }
    }

    /** Library, kernel and adapter all have to know them, and say so before they look at the descriptor. */
    private static boolean isTakingDmaBufs(ProtectionDomain domain) {
        try {
            domain.registerDmaBuf(NO_DESCRIPTOR, 0, PAGE_BYTES, 0, ProtectionDomain.LOCAL_WRITE).close();
            return true;
        } catch (ProxyException e) {
            return e.result() != ProxyResult.INVALID_ARGUMENT;
        }
    }

    String name() {
        return context.device();
    }

    VerbsContext context() {
        return context;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** Of its connections. */
    CompletionQueues queues() {
        return queues;
    }

    VerbsDevice attributes() {
        return attributes;
    }

    boolean takesDmaBuf() {
        return takesDmaBuf;
    }

    /** Greater each time that the port, or the adapter, fails. */
    int failures(int port) {
        return failures.get(port);
    }

    /** Greater each time that the port may have other addresses. */
    int changes(int port) {
        return changes.get(0) + changes.get(port);
    }

    /** What failed a port last, for people. */
    String lastFailure(int port) {
        return lastFailures.get(port);
    }

    /** From now on events of this queue pair are told. */
    void enter(int pair) {
        pairs.put(pair, "");
    }

    /** The number may be another queue pair's soon. */
    void leave(int pair) {
        pairs.remove(pair);
    }

    /** Greater each time that a queue pair fails. */
    int pairFailures() {
        return pairFailures.get();
    }

    /** What failed a queue pair, for people; empty if nothing did since it entered. */
    String pairFailure(int pair) {
        return pairs.getOrDefault(pair, "");
    }

    private void run() {
        try {
            while (!isStopped) {
                VerbsEvent event = context.awaitEvent(TICK_NS);
                if (event != null) {
                    note(event);
                }
            }
        } catch (RuntimeException e) {
            LOG.warn("{}: its events are not heard any more: {}", name(), e.toString());
            failAll(name() + " is gone: " + e.getMessage());
        }
    }

    private void note(VerbsEvent event) {
        int port = event.port() <= attributes.ports() ? Math.max(0, event.port()) : 0;
        String where = port == 0 ? name() : name() + ":" + port;
        changes.incrementAndGet(port);
        if (!event.isFatal()) {
            LOG.info("{}: {}", where, event.name());
            return;
        }
        if (event.queuePair() != 0) {
            failPair(event);
            return;
        }
        LOG.warn("{}: {}", where, event.name());
        if (port == 0) {
            failAll(where + " failed: " + event.name());
        } else {
            fail(port, where + " went down: " + event.name());
        }
    }

    /** Only what is connected by it: a peer that writes where it may not harms no connection of others. */
    private void failPair(VerbsEvent event) {
        String what = "QP " + event.queuePair() + " of " + name() + " failed: " + event.name();
        LOG.warn("{}", what);
        pairs.computeIfPresent(event.queuePair(), (_, _) -> what);
        pairFailures.incrementAndGet();
    }

    /** Of completion queues it is not told which. */
    private void failAll(String what) {
        for (int port = 1; port <= attributes.ports(); port++) {
            fail(port, what);
        }
    }

    private void fail(int port, String what) {
        lastFailures.set(port, what);
        failures.incrementAndGet(port);
    }

    /** Has the thread end soon, so that several adapters can be closed within the time of one. */
    void stop() {
        isStopped = true;
    }

    @Override
    public void close() {
        stop();
        if (!Uninterruptibly.join(thread, CLOSE_TIMEOUT)) {
            LOG.warn("{} did not end within {}, and keeps {} open", thread.getName(), CLOSE_TIMEOUT, name());
            return;
        }
        new Closing().add(queues).add(domain).add(context).end();
    }
}
