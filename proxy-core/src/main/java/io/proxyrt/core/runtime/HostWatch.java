/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import java.util.function.IntSupplier;
import org.slf4j.Logger;

/** Sees other runtimes come and go, so that waits give way while threads are oversubscribed. The mode stays. */
final class HostWatch {
    private static final Logger LOGGER = Subsystem.PROXY.logger();

    private final int rank;
    private final IntSupplier census;
    private volatile ThreadingChoice choice;
    /** Whether the last look was in vain, which is said once. */
    private boolean isBlind;

    /**
     * A watch that has not looked yet.
     *
     * @param rank   for messages
     * @param first  as settled at the start
     * @param census how many runtimes are there
     */
    HostWatch(int rank, ThreadingChoice first, IntSupplier census) {
        this.rank = rank;
        this.census = census;
        this.choice = first;
    }

    /** As of the last look. Any thread. */
    ThreadingChoice choice() {
        return choice;
    }

    /** One thread, now and then. A folder that cannot be read is none to fail on: what was seen stays meanwhile. */
    void look() {
        if (!choice.isAuto()) {
            return;
        }
        try {
            see(choice.load().with(census.getAsInt()));
            isBlind = false;
        } catch (ProxyException e) {
            if (!isBlind) {
                LOGGER.warn("rank {} does not see other runtimes come and go for now: {}", rank, e.getMessage());
            }
            isBlind = true;
        }
    }

    private void see(HostLoad load) {
        ThreadingChoice before = choice;
        if (load.equals(before.load())) {
            return;
        }
        ThreadingChoice now = before.with(load);
        choice = now;
        if (now.isOversubscribed() != before.isOversubscribed()) {
            LOGGER.info("rank {}: {} share {}, its waits {}", rank, load.owners(), load.cpusText(),
                    now.isOversubscribed() ? "give way at once" : "spin again");
        }
    }
}
