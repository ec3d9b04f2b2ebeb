/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import java.nio.file.Path;
import java.util.List;

/** What a run is made into: a page of tables and goals, plots, and every value. */
public interface Report {
    /**
     * The goals and whether they hold.
     *
     * @return in the order of the report
     */
    List<Goal> goals();

    /**
     * Writes all files.
     *
     * @param directory that exists
     */
    void write(Path directory);
}
