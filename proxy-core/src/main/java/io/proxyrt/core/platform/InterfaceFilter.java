/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Network interfaces by name, in the syntax of {@code NCCL_SOCKET_IFNAME}: prefixes, separated by commas; behind
 * {@code =} whole names; behind {@code ^} those that are not meant. A port behind a name, as in {@code eth0:4711}, is
 * passed over. Immutable.
 */
public final class InterfaceFilter {
    private final List<String> names;
    private final boolean isExcluding;
    private final boolean isExact;

    private InterfaceFilter(List<String> names, boolean isExcluding, boolean isExact) {
        this.names = names;
        this.isExcluding = isExcluding;
        this.isExact = isExact;
    }

    /**
     * Reads what a user wrote.
     *
     * @param text such as {@code eth,ib}, {@code =eth1} or {@code ^docker,lo}
     * @return the filter; one that names nothing is empty
     */
    public static InterfaceFilter parse(String text) {
        String rest = text.strip();
        boolean isExcluding = rest.startsWith("^");
        rest = isExcluding ? rest.substring(1) : rest;
        boolean isExact = rest.startsWith("=");
        rest = isExact ? rest.substring(1) : rest;
        return new InterfaceFilter(Arrays.stream(rest.split(",")).map(name -> name.strip().replaceFirst(":.*", ""))
                .filter(name -> !name.isEmpty()).toList(), isExcluding, isExact);
    }

    /**
     * Whether it names no interface, and so leaves the choice to the caller.
     *
     * @return true if {@link #accepts} says yes to all
     */
    public boolean isEmpty() {
        return names.isEmpty();
    }

    /**
     * Whether an interface is meant.
     *
     * @param name of the interface
     * @return true if it is, or if the filter is empty
     */
    public boolean accepts(String name) {
        return names.isEmpty()
                || isExcluding != names.stream().anyMatch(wanted -> isExact ? name.equals(wanted)
                        : name.startsWith(wanted));
    }

    /** For people, such as {@code all but docker*, lo*}. */
    @Override
    public String toString() {
        return names.isEmpty() ? "all" : (isExcluding ? "all but " : "only ")
                + names.stream().map(name -> isExact ? name : name + "*").collect(Collectors.joining(", "));
    }
}
