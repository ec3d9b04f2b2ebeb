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
 * Makes the network of a plug-in, which it loads then: what the network is called, only the library knows.
 */
public final class ExternalNetProvider implements NetPluginProvider {
    private final NetLibraries libraries;
    private final Option<String> option;
    private final String entry;
    /** Null until it is loaded. */
    private volatile NetLibrary library;
    private volatile boolean isThere;

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

    /**
     * Whether a library was found, be it of use or not.
     *
     * @return false before {@link #create}
     */
    public boolean isThere() {
        return isThere;
    }

    /** {@inheritDoc} The file's, as long as it is not loaded; it may change once more when it is initialized. */
    @Override
    public String name() {
        NetLibrary loaded = library;
        return loaded == null ? PluginNames.files(entry).getFirst() : loaded.name();
    }

    /** {@inheritDoc} Before all that are installed. */
    @Override
    public int priority() {
        return Integer.MAX_VALUE;
    }

    @Override
    public NetPlugin create(ProxyConfig config, int rank) {
        Duration limit = config.get(CoreOptions.CONNECT_TIMEOUT);
        CompletableFuture<ExternalNet> opened = new CompletableFuture<>();
        // A library may be loaded for ever, or look at its devices so, and may want a platform thread.
        Thread.ofPlatform().daemon().name("proxyrt-plugin-init").start(() -> open(opened));
        try {
            return Uninterruptibly.get(opened, limit);
        } catch (TimeoutException e) {
            ProxyException late = new ProxyException(ProxyResult.TIMEOUT, file() + " was not "
                    + (library == null ? "loaded in " : "initialized in ") + limit.toMillis()
                    + " ms, and the thread that waits for it stays; see " + CoreOptions.CONNECT_TIMEOUT + " and "
                    + option, e);
            if (opened.completeExceptionally(late)) {
                throw late;
            }
            return opened.join();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ProxyException failed ? failed
                    : new ProxyException(ProxyResult.INTERNAL_ERROR, file() + ": " + e.getCause(), e);
        }
    }

    /** What comes after the time limit is closed. */
    private void open(CompletableFuture<ExternalNet> opened) {
        try {
            library = load();
            ExternalNet net = ExternalNet.open(library, option);
            if (!opened.complete(net)) {
                net.close();
            }
        } catch (RuntimeException | Error e) {
            opened.completeExceptionally(e);
        }
    }

    private String file() {
        NetLibrary loaded = library;
        return loaded == null ? PluginNames.files(entry).getFirst() : loaded.file();
    }

    private NetLibrary load() {
        List<String> reasons = new ArrayList<>();
        for (String file : PluginNames.files(entry)) {
            try {
                NetLibrary loaded = libraries.open(file);
                isThere = true;
                return loaded;
            } catch (ProxyException e) {
                isThere = isThere || e.result() == ProxyResult.INVALID_USAGE && libraries.whyNot().isEmpty();
                reasons.add(e.getMessage());
            }
        }
        throw new ProxyException(ProxyResult.INVALID_USAGE, String.join("; ", reasons) + "; see " + option);
    }
}
