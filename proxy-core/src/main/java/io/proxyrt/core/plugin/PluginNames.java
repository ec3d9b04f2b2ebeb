/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.Option;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What {@code NCCL_NET_PLUGIN} says, by NCCL's rules, which know the names that RCCL's plug-ins have too. */
final class PluginNames {
    private static final String NONE = "none";
    /** Of networks. */
    static final List<String> NET = List.of("libnccl-net", "librccl-net");
    private static final String SUFFIX = ".so";
    private static final int MAX_ENTRIES = 14;
    private static final int MAX_LENGTH = 254;

    private PluginNames() {
    }

    /**
     * The plug-ins that are to be tried, in their order.
     *
     * @param option that has this value
     * @param value  a list with commas; empty: the plug-in that has no name of its own; {@code none}: no plug-in
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there are too many, or one is too long
     */
    static List<String> entries(Option<String> option, String value) {
        if (value.equalsIgnoreCase(NONE)) {
            return List.of();
        }
        List<String> entries = Arrays.stream(value.split(",", -1)).map(String::strip).distinct().toList();
        if (entries.size() > MAX_ENTRIES || entries.stream().anyMatch(entry -> entry.length() > MAX_LENGTH)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, option + " names " + entries.size()
                    + " plug-ins; up to " + MAX_ENTRIES + " can be, of at most " + MAX_LENGTH + " characters each");
        }
        return entries;
    }

    /** The files that an entry may mean, the likeliest first; the prefixes are those of libraries of the kind. */
    static List<String> files(String entry, List<String> prefixes) {
        List<String> files = new ArrayList<>();
        if (!entry.isEmpty()) {
            files.add(entry);
        }
        boolean isFile = entry.contains("/") || entry.startsWith("lib") && entry.endsWith(SUFFIX)
                || entry.equals(NetLibraries.STATIC_PLUGIN);
        if (!isFile) {
            prefixes.forEach(prefix -> files.add(entry.isEmpty() ? prefix + SUFFIX : prefix + "-" + entry + SUFFIX));
        }
        return files;
    }
}
