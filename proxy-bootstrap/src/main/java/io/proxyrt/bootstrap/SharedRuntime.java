/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.diagnosis.RemoteRanks;
import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A rank's membership and its runtime, which its groups share: they end with the last of them. Thread-safe. */
final class SharedRuntime {
    private static final Duration OTHERS_STAY = Duration.ofDays(36_500);

    private final Bootstrap bootstrap;
    private final ProxyState proxy;
    private final GroupMail mail;
    private final Survivors survivors;
    /** Null if it is another one's. */
    private final BootstrapRoot root;
    private final RemoteRanks remote;
    private int users = 1;

    /** With one user. The root is null, or this object's from now on. */
    SharedRuntime(Bootstrap bootstrap, ProxyState proxy, RemoteRanks remote, BootstrapRoot root) {
        this.bootstrap = bootstrap;
        this.proxy = proxy;
        this.remote = remote;
        this.mail = new GroupMail(bootstrap, bootstrap.maxQueuedBytes());
        this.survivors = new Survivors(bootstrap);
        this.root = root;
        if (proxy.isInvoker()) {
            bootstrap.driver(() -> {
                proxy.invokeAll();
                proxy.streams().drive();
            });
        }
    }

    /** The way to ranks of other hosts. */
    RemoteRanks remote() {
        return remote;
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

    /** For ranks that are left when the job has failed. */
    Survivors survivors() {
        return survivors;
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
        if (root != null) {
            closeRoot();
        }
        return report;
    }

    /** Others may stay for longer than this waits: it goes when they have left, or with the process. */
    private void closeRoot() {
        Thread end = Thread.ofPlatform().daemon().name("proxy-bootstrap-root-end").start(() -> root.close(OTHERS_STAY));
        if (!Uninterruptibly.join(end, BootstrapRoot.LINGER)) {
            BootstrapRoot.LOG.info("rank {} has left {}, whose other ranks have not: their root stays here, and they "
                    + "fail if this process ends before they leave", bootstrap.rank(), bootstrap.name());
        }
    }

    static String notFinished(List<String> what) {
        return "it closed and did not finish: " + String.join("; ", what);
    }
}
