/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.transport.net.IbOptions;

/** A port of an adapter. Any thread. */
final class IbPort {
    private final IbAdapter adapter;
    private final int number;
    private final int linkLayer;
    private final int speedMbps;
    private final long maxMessageBytes;
    private final GidChoice choice;
    private Seen seen;

    /** What was asked of the port, before the adapter told of so many changes. */
    private record Seen(int changes, IbAddress address) {
    }

    IbPort(IbAdapter adapter, int number, VerbsPort attributes, GidChoice choice) {
        this.adapter = adapter;
        this.number = number;
        this.linkLayer = attributes.linkLayer();
        this.speedMbps = attributes.speedMbps();
        this.maxMessageBytes = attributes.maxMessageBytes();
        this.choice = choice;
    }

    IbAdapter adapter() {
        return adapter;
    }

    int number() {
        return number;
    }

    int speedMbps() {
        return speedMbps;
    }

    long maxMessageBytes() {
        return maxMessageBytes;
    }

    int linkLayer() {
        return linkLayer;
    }

    String name() {
        return adapter.name() + ":" + number;
    }

    /** Greater each time that it, or its adapter, fails. */
    int failures() {
        return adapter.failures(number);
    }

    /** What failed last, for people. */
    String lastFailure() {
        return adapter.lastFailure(number);
    }

    /**
     * How it is reached now: a link that was down may have come back with another GID at the same index.
     *
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it is down, or has no address
     */
    synchronized IbAddress address() {
        int changes = adapter.changes(number);
        if (seen == null || seen.changes != changes) {
            seen = new Seen(changes, look());
        }
        return seen.address;
    }

    /** Whether it can be reached now. */
    boolean isUp() {
        try {
            return address() != null;
        } catch (ProxyException e) {
            return false;
        }
    }

    private IbAddress look() {
        VerbsPort now = adapter.context().port(number);
        if (!now.isActive()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, name() + " is down, in state " + now.state()
                    + "; look at ibstat, and at the link");
        }
        int index = choice.choose(now, i -> adapter.context().gid(number, i));
        IbAddress address = new IbAddress(now.mtu(), now.linkLayer(), now.lid(), index,
                adapter.context().gid(number, index));
        if (now.linkLayer() == VerbsPort.ETHERNET && address.gid().isZero()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, name() + " has no GID at index " + index
                    + "; give its interface an address, or name another index in " + IbOptions.GID_INDEX);
        }
        return address;
    }
}
