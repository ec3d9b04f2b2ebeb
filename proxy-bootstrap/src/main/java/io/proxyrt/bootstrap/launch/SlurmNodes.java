/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap.launch;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads Slurm's shorthand for hosts and tasks. */
final class SlurmNodes {
    private static final Pattern FIRST = Pattern.compile("([A-Za-z0-9._-]*)(?:\\[(\\d+)[^]]*]([A-Za-z0-9._-]*))?.*");
    private static final Pattern TASKS = Pattern.compile("(\\d{1,9})(?:\\(x(\\d{1,9})\\))?");

    private SlurmNodes() {
    }

    /** The first host of a list such as {@code gpu[007-011,020],login1}. */
    static Optional<String> firstHost(String list) {
        Matcher first = FIRST.matcher(list.strip());
        if (!first.matches()) {
            return Optional.empty();
        }
        String host = first.group(1) + (first.group(2) == null ? "" : first.group(2) + first.group(3));
        return host.isEmpty() ? Optional.empty() : Optional.of(host);
    }

    /** How many tasks a node has, from a list such as {@code 4(x2),3}. */
    static OptionalInt tasks(String list, int node) {
        int first = 0;
        for (String part : list.split(",")) {
            Matcher tasks = TASKS.matcher(part.strip());
            if (!tasks.matches()) {
                return OptionalInt.empty();
            }
            first += tasks.group(2) == null ? 1 : Integer.parseInt(tasks.group(2));
            if (node < first) {
                return OptionalInt.of(Integer.parseInt(tasks.group(1)));
            }
        }
        return OptionalInt.empty();
    }
}
