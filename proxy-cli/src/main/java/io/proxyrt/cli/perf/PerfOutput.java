/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.view.Destination;
import java.io.PrintStream;
import java.util.Optional;

/**
 * Where the results of a measurement go.
 *
 * @param table    for people; null for nowhere
 * @param terminal where to show how far what takes a while has come; null for nowhere
 * @param json     all of it, for programs
 * @param csv      the rows, for programs
 */
public record PerfOutput(PrintStream table, PrintStream terminal, Optional<Destination> json,
        Optional<Destination> csv) {
    /** Of all ranks but one. */
    static final PerfOutput NONE = of(null);

    /**
     * A table alone.
     *
     * @param table for people; null for nowhere
     * @return with nothing for programs
     */
    static PerfOutput of(PrintStream table) {
        return new PerfOutput(table, null, Optional.empty(), Optional.empty());
    }
}
