/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import java.util.List;

/** Where results go as they come; all in vain but at rank 0. */
interface PerfReport {
    /** Of all ranks but 0. */
    PerfReport NONE = new PerfReport() {
    };

    /** The plan, and what each rank runs on, by rank. */
    default void begin(PerfPlan plan, List<String> devices) {
    }

    /** Something that takes a while begins. */
    default void note(String text) {
    }

    /** What follows are rows. */
    default void beginRows() {
    }

    /** A row begins. */
    default void beginRow(long sizeBytes, long count, PerfPlan.Variant variant) {
    }

    /** Out of place first, then in place. */
    default void measured(Measurement measurement) {
    }

    /** All rows are there. */
    default void end(PerfResult result) {
    }

    /** There will be no more. */
    default void failed(String reason) {
    }
}
