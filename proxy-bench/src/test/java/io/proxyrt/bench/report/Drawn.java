/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import java.util.List;
import java.util.Set;

/** What a report has, for the tests of those who fill it. */
public final class Drawn {
    private Drawn() {
    }

    public static List<String> table(Report report, String name) {
        return report.table(name);
    }

    public static Set<String> files(Report report) {
        return report.plots().keySet();
    }
}
