/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.VerbsDevice;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.core.verbs.VerbsPort;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/** An open {@link SoftDevice}. */
final class SoftContext implements VerbsContext {
    private final SoftDevice device;
    private final SoftCounters counters;
    private final Queue<VerbsEvent> events = new ArrayDeque<>();
    private int users;
    private boolean isClosed;

    SoftContext(SoftDevice device, SoftCounters counters) {
        this.device = device;
        this.counters = counters;
        device.add(this);
    }

    @Override
    public String device() {
        return device.name();
    }

    @Override
    public String pciPath() {
        synchronized (device.fabric()) {
            return device.pciPath();
        }
    }

    @Override
    public VerbsDevice query() {
        synchronized (device.fabric()) {
            requireOpen();
            device.requirePresent("ask for the attributes");
            return device.attributes();
        }
    }

    @Override
    public VerbsPort port(int port) {
        synchronized (device.fabric()) {
            return find(port).attributes();
        }
    }

    @Override
    public Gid gid(int port, int index) {
        synchronized (device.fabric()) {
            SoftPort found = find(port);
            if (index < 0 || index >= found.attributes().gids()) {
                throw SoftErrors.refused("cannot ask for GID " + index + " of " + device.name() + ":" + port,
                        SoftErrors.EINVAL);
            }
            return found.gid(index);
        }
    }

    private void requireOpen() {
        SoftErrors.requireOpen(isClosed, "device " + device.name());
    }

    private SoftPort find(int port) {
        requireOpen();
        device.requirePresent("ask for port " + port);
        SoftPort found = device.portOrNull(port);
        if (found == null) {
            throw SoftErrors.refused("cannot ask for port " + port + " of " + device.name(), SoftErrors.EINVAL);
        }
        return found;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        synchronized (device.fabric()) {
            requireOpen();
            device.requirePresent("make a protection domain");
            users++;
            return new SoftDomain(this);
        }
    }

    @Override
    public CompletionQueue completionQueue(int entries) {
        synchronized (device.fabric()) {
            requireOpen();
            device.requirePresent("make a completion queue");
            if (entries < 1 || entries > device.attributes().maxCqes()) {
                throw SoftErrors.refused("cannot make a completion queue of " + device.name() + " with " + entries
                        + " entries", SoftErrors.EINVAL);
            }
            users++;
            return new SoftCompletionQueue(this, entries);
        }
    }

    @Override
    public VerbsEvent awaitEvent(long maxNs) {
        long deadline = System.nanoTime() + maxNs;
        synchronized (device.fabric()) {
            long leftNs = maxNs;
            while (events.isEmpty() && leftNs > 0 && waited(leftNs)) {
                leftNs = deadline - System.nanoTime();
            }
            return events.poll();
        }
    }

    private boolean waited(long ns) {
        try {
            TimeUnit.NANOSECONDS.timedWait(device.fabric(), Math.max(ns, TimeUnit.MILLISECONDS.toNanos(1)));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void tell(VerbsEvent event) {
        events.add(event);
    }

    /** Something that was made of it is closed. */
    void leave() {
        users--;
    }

    SoftDevice softDevice() {
        return device;
    }

    SoftCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        synchronized (device.fabric()) {
            if (!isClosed && users > 0) {
                throw SoftErrors.busy("device " + device.name(), users);
            }
            isClosed = true;
            device.remove(this);
        }
    }
}
