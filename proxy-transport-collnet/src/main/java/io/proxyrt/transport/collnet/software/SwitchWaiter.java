/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Where a thread that drives everything sleeps until a switch has something to say to one of its comms. Comms come and
 * go from any thread; one thread at a time parks, and allocates nothing once it knows all comms.
 */
final class SwitchWaiter implements AutoCloseable {
    private static final Consumer<SelectionKey> IGNORE = key -> { };

    private final List<SwitchComm> comms = new ArrayList<>();
    /** Null until a thread parks. */
    private Selector selector;

    synchronized void add(SwitchComm comm) {
        comms.add(comm);
    }

    /**
     * A comm has closed its channel. The system keeps such a socket as long as the selector has a key, and the switch
     * hears nothing.
     */
    synchronized void leave(SwitchComm comm) {
        if (comms.remove(comm) && selector != null) {
            try {
                selector.wakeup().selectNow();
            } catch (IOException e) {
                SwitchSettings.LOG.warn("a closed socket stays with its selector: {}", e.toString());
            }
        }
    }

    void park(long maxNs) {
        try {
            if (awaitAll()) {
                selector.select(IGNORE, Math.max(1, TimeUnit.NANOSECONDS.toMillis(maxNs)));
            } else {
                LockSupport.parkNanos(maxNs);
            }
        } catch (ClosedChannelException e) {
            // A comm was closed meanwhile: its owner knows, and there is no harm in not having slept.
            LockSupport.parkNanos(1);
        } catch (IOException e) {
            LockSupport.parkNanos(maxNs);
        }
    }

    /** Says what each comm waits for; returns whether one waits for anything. */
    private synchronized boolean awaitAll() throws IOException {
        if (selector == null) {
            selector = Selector.open();
        }
        boolean isAny = false;
        for (int i = 0; i < comms.size(); i++) {
            isAny |= comms.get(i).awaitOn(selector);
        }
        return isAny;
    }

    @Override
    public synchronized void close() {
        SwitchSettings.close(selector);
    }
}
