/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A plug-in that a list names: what files that may be, and how it is loaded and initialized in time. Any thread.
 *
 * @param <L> the table that is wanted of it
 */
public final class PluginEntry<L extends PluginTable> {
    private final NetLibraries libraries;
    private final BiFunction<NetLibraries, String, L> opener;
    private final Option<String> option;
    private final String entry;
    private final List<String> files;
    /** Null until it is loaded. */
    private volatile L library;
    private volatile boolean isThere;

    /**
     * An entry of a list of networks.
     *
     * @param libraries that it may be
     * @param opener    how one of them is opened
     * @param option    of the list
     * @param entry     of the list; empty for the plug-in that has no name of its own
     */
    public PluginEntry(NetLibraries libraries, BiFunction<NetLibraries, String, L> opener, Option<String> option,
            String entry) {
        this(libraries, opener, option, entry, PluginNames.NET);
    }

    /**
     * A plug-in of any kind.
     *
     * @param libraries that it may be
     * @param opener    how one of them is opened
     * @param option    that names it
     * @param entry     the name; empty for the plug-in that has no name of its own
     * @param prefixes  of files, such as {@code libnccl-net}
     */
    public PluginEntry(NetLibraries libraries, BiFunction<NetLibraries, String, L> opener, Option<String> option,
            String entry, List<String> prefixes) {
        this.libraries = libraries;
        this.opener = opener;
        this.option = option;
        this.entry = entry;
        this.files = PluginNames.files(entry, prefixes);
    }

    /**
     * What a configuration lists, by NCCL's rules; loads nothing.
     *
     * @param config effective settings
     * @param option of the list of plug-ins: {@code NCCL_NET_PLUGIN}
     * @return entries in their order; that of the plug-in without a name of its own if there is no list
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the list is too long
     */
    public static List<String> of(ProxyConfig config, Option<String> option) {
        return PluginNames.entries(option, config.get(option));
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
     * @return false before {@link #open}
     */
    public boolean isThere() {
        return isThere;
    }

    /**
     * Whether a library was found that has the table.
     *
     * @return false before {@link #open}
     */
    public boolean isLoaded() {
        return library != null;
    }

    /**
     * What it calls itself.
     *
     * @return the file's name as long as it is not loaded; may change once more when it is initialized
     */
    public String name() {
        L loaded = library;
        return loaded == null ? files.getFirst() : loaded.name();
    }

    /**
     * Loads it and makes something of it, within the time limit of connects.
     *
     * @param config effective settings
     * @param maker  initializes it; on a thread of its own
     * @param closer of what comes after the time limit
     * @param <T>    what is made
     * @return as made
     * @throws ProxyException that the maker threw; {@link ProxyResult#INVALID_USAGE} if no file can be loaded, with all
     *                        reasons; {@link ProxyResult#TIMEOUT}
     */
    public <T> T open(ProxyConfig config, Function<L, T> maker, Consumer<T> closer) {
        Duration limit = config.get(CoreOptions.CONNECT_TIMEOUT);
        CompletableFuture<T> opened = new CompletableFuture<>();
        // A library may be loaded for ever, or look at its devices so, and may want a platform thread.
        Thread.ofPlatform().daemon().name("proxyrt-plugin-init").start(() -> open(opened, maker, closer));
        try {
            Uninterruptibly.get(opened, limit);
        } catch (TimeoutException e) {
            // Unless it has come, or failed, in the last moment.
            opened.completeExceptionally(late(limit, e));
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
        if (opened.isCompletedExceptionally()) {
            throw failure(opened.exceptionNow());
        }
        return opened.resultNow();
    }

    private ProxyException late(Duration limit, TimeoutException cause) {
        return new ProxyException(ProxyResult.TIMEOUT, file() + " was not "
                + (library == null ? "loaded in " : "initialized in ") + limit.toMillis()
                + " ms, and the thread that waits for it stays; see " + CoreOptions.CONNECT_TIMEOUT + " and " + option,
                cause);
    }

    private ProxyException failure(Throwable cause) {
        return cause instanceof ProxyException failed ? failed
                : new ProxyException(ProxyResult.INTERNAL_ERROR, file() + ": " + cause, cause);
    }

    private <T> void open(CompletableFuture<T> opened, Function<L, T> maker, Consumer<T> closer) {
        try {
            library = load();
            T made = maker.apply(library);
            if (!opened.complete(made)) {
                closer.accept(made);
            }
        } catch (RuntimeException | Error e) {
            opened.completeExceptionally(e);
        }
    }

    private String file() {
        L loaded = library;
        return loaded == null ? files.getFirst() : loaded.file();
    }

    private L load() {
        List<String> reasons = new ArrayList<>();
        for (String file : files) {
            try {
                L loaded = opener.apply(libraries, file);
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
