/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import java.util.Arrays;
import java.util.List;

/**
 * Ports by adapter, in the syntax of {@code NCCL_IB_HCA}: prefixes of names, separated by commas, each with or without
 * {@code :port}; behind {@code =} whole names; behind {@code ^} those that are not meant.
 *
 * @param entries     none accepts all
 * @param isExcluding whether they are those that are not meant
 * @param isExact     whether they are whole names
 */
record HcaFilter(List<Entry> entries, boolean isExcluding, boolean isExact) {
    private static final int ANY = -1;

    /** A name, and a port of it. */
    record Entry(String name, int port) {
        static Entry parse(String text) {
            int colon = text.indexOf(':');
            try {
                return colon < 0 ? new Entry(text, ANY)
                        : new Entry(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("'" + text + "' has no port behind the colon", e);
            }
        }

        /** As it is read. */
        @Override
        public String toString() {
            return port == ANY ? name : name + ":" + port;
        }

        /** Whether a port may be meant by both, as whole names. */
        boolean overlaps(Entry other) {
            return name.equals(other.name) && (port == ANY || other.port == ANY || port == other.port);
        }

        boolean isMeant(String device, int ofDevice, boolean isExact) {
            return (port == ANY || port == ofDevice) && (isExact ? device.equals(name) : device.startsWith(name));
        }
    }

    /**
     * What a user wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static HcaFilter parse(String text) {
        String rest = text.strip();
        boolean isExcluding = rest.startsWith("^");
        rest = isExcluding ? rest.substring(1) : rest;
        boolean isExact = rest.startsWith("=");
        rest = isExact ? rest.substring(1) : rest;
        return new HcaFilter(Arrays.stream(rest.split(",")).map(String::strip).filter(name -> !name.isEmpty())
                .map(Entry::parse).toList(), isExcluding, isExact);
    }

    boolean accepts(String device, int port) {
        return entries.isEmpty()
                || isExcluding != entries.stream().anyMatch(entry -> entry.isMeant(device, port, isExact));
    }
}
