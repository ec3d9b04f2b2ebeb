/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.perf.PerfView.Measurement;
import io.proxyrt.cli.perf.PerfView.Row;
import java.util.ArrayList;
import java.util.List;

/** Rows as comma-separated values, with a line for each measurement; columns have the names of rccl-tests. */
final class PerfCsv {
    private static final String TITLE = "collective,ranks,size,count,type,redop,root,inplace,time,algbw,busbw,#wrong";

    private PerfCsv() {
    }

    /** A title, and lines; without the end of the last. */
    static String text(String collective, int nRanks, List<Row> rows) {
        List<String> lines = new ArrayList<>(List.of(TITLE));
        for (Row row : rows) {
            String head = collective + ',' + nRanks + ',' + row.size() + ',' + row.count() + ',' + row.type() + ','
                    + row.redop() + ',' + row.root() + ',';
            row.outOfPlace().ifPresent(m -> lines.add(head + "0," + values(m)));
            row.inPlace().ifPresent(m -> lines.add(head + "1," + values(m)));
        }
        return String.join("\n", lines);
    }

    private static String values(Measurement m) {
        return m.timeUs() + "," + m.algBw() + ',' + m.busBw() + ',' + (m.wrong() == null ? "N/A" : m.wrong());
    }
}
