/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Makes the network of a plug-in, which it loads when it is asked for anything: what the network is called, only the
 * library knows.
 */
public final class ExternalNetProvider implements NetPluginProvider {
    private final NetLibraries libraries;
    private final Option<String> option;
    private final String entry;
    private NetLibrary library;
    /** Why it cannot be loaded; null if it can, or was not tried. */
    private ProxyException failure;

    ExternalNetProvider(NetLibraries libraries, Option<String> option, String entry) {
        this.libraries = libraries;
        this.option = option;
        this.entry = entry;
    }

    /**
     * One for each plug-in that a configuration names, in that order; loads nothing.
     *
     * @param config effective settings
     * @param option of the list of plug-ins: {@code NCCL_NET_PLUGIN}
     * @return of the plug-in without a name of its own if there is no list
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the list is too long
     */
    public static List<NetPluginProvider> of(ProxyConfig config, Option<String> option) {
        NetLibraries libraries = NetLibraries.find();
        return PluginNames.entries(option, config.get(option)).stream()
                .<NetPluginProvider>map(entry -> new ExternalNetProvider(libraries, option, entry)).toList();
    }

    /**
     * Whether the configuration names it.
     *
     * @return false for the plug-in that is used if it happens to be there
     */
    public boolean isAskedFor() {
        return !entry.isEmpty();
    }

    /** {@inheritDoc} The file's, if it cannot be loaded. */
    @Override
    public String name() {
        try {
            return library().name();
        } catch (ProxyException e) {
            return PluginNames.files(entry).getFirst();
        }
    }

    /** {@inheritDoc} Before all that are installed. */
    @Override
    public int priority() {
        return Integer.MAX_VALUE;
    }

    @Override
    public NetPlugin create(ProxyConfig config, int rank) {
        NetLibrary plugin = library();
        Duration limit = config.get(CoreOptions.CONNECT_TIMEOUT);
        CompletableFuture<ExternalNet> opened = new CompletableFuture<>();
        // A plug-in may look at its devices for ever, and may want a platform thread.
        Thread.ofPlatform().daemon().name("proxyrt-plugin-init").start(() -> open(plugin, opened));
        try {
            return Uninterruptibly.get(opened, limit);
        } catch (TimeoutException e) {
            ProxyException late = new ProxyException(ProxyResult.TIMEOUT, plugin.file() + " was not initialized in "
                    + limit.toMillis() + " ms, and the thread that waits for it stays; see "
                    + CoreOptions.CONNECT_TIMEOUT + " and " + option, e);
            if (opened.completeExceptionally(late)) {
                throw late;
            }
            return opened.join();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ProxyException failed ? failed
                    : new ProxyException(ProxyResult.INTERNAL_ERROR, plugin.file() + ": " + e.getCause(), e);
        }
    }

    /** What comes after the time limit is closed. */
    private void open(NetLibrary plugin, CompletableFuture<ExternalNet> opened) {
        try {
            ExternalNet net = ExternalNet.open(plugin, option);
            if (!opened.complete(net)) {
                net.close();
            }
        } catch (RuntimeException | Error e) {
            opened.completeExceptionally(e);
        }
    }

    private NetLibrary library() {
        if (library == null && failure == null) {
            try {
                library = load();
            } catch (ProxyException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return library;
    }

    private NetLibrary load() {
        List<String> reasons = new ArrayList<>();
        for (String file : PluginNames.files(entry)) {
            try {
                return libraries.open(file);
            } catch (ProxyException e) {
                reasons.add(e.getMessage());
            }
        }
        throw new ProxyException(ProxyResult.INVALID_USAGE, String.join("; ", reasons) + "; see " + option);
    }
}
