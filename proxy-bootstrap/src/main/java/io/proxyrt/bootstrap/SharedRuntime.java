/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A rank's membership and its runtime, which its groups share: they end with the last of them. Thread-safe. */
final class SharedRuntime {
    private final Bootstrap bootstrap;
    private final ProxyState proxy;
    private final GroupMail mail;
    private int users = 1;

    /** With one user. */
    SharedRuntime(Bootstrap bootstrap, ProxyState proxy) {
        this.bootstrap = bootstrap;
        this.proxy = proxy;
        this.mail = new GroupMail(bootstrap, bootstrap.maxQueuedBytes());
        if (proxy.isInvoker()) {
            bootstrap.driver(() -> {
                proxy.invokeAll();
                proxy.streams().drive();
            });
        }
    }

    Bootstrap bootstrap() {
        return bootstrap;
    }

    ProxyState proxy() {
        return proxy;
    }

    GroupMail mail() {
        return mail;
    }

    /** One user more, made by one that there is. */
    synchronized void join() {
        assert users > 0 : users;
        users++;
    }

    /** One user less; returns whether it was the last, who {@linkplain #close closes}. */
    synchronized boolean leave() {
        users--;
        assert users >= 0 : users;
        return users == 0;
    }

    synchronized boolean isShared() {
        return users > 1;
    }

    CloseReport close(Duration within, List<String> unfinished) {
        final CloseReport report = proxy.close(within);
        final List<String> all = Stream.concat(unfinished.stream(), report.abandoned().stream()).toList();
        if (!all.isEmpty()) {
            bootstrap.abort(notFinished(all));
        }
        bootstrap.close();
        return report;
    }

    static String notFinished(List<String> what) {
        return "it closed and did not finish: " + String.join("; ", what);
    }
}
