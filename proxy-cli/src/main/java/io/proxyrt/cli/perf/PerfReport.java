/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.perf.PerfView.Measurement;
import io.proxyrt.cli.perf.PerfView.Row;
import io.proxyrt.cli.view.Json;
import io.proxyrt.cli.view.Progress;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Tells results as they come: prints what nccl-tests prints, column for column, so that what reads the one reads the
 * other; and keeps them in files, written anew after every row, so that they hold what there is even if the process is
 * killed.
 */
final class PerfReport {
    private static final String[] TITLES = {
        String.format("# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place          ",
                "", "", "", "", ""),
        String.format("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s %6s  %7s  %6s  %6s %6s", "size", "count", "type",
                "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw", "#wrong"),
        String.format("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %5s  %7s  %6s  %6s  %5s", "(B)", "(elements)", "",
                "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "")
    };

    private final PerfOutput output;
    private final ProxyConfig config;
    private final int nRanks;
    private final Instant started = Instant.now();
    private final List<Row> rows = new ArrayList<>();
    private Optional<PerfView.Plan> plan = Optional.empty();
    private List<String> devices = List.of();
    private Optional<String> collNet = Optional.empty();
    private boolean isInRow;
    private Optional<Integer> outOfBounds = Optional.empty();
    private Optional<Double> avgBusBandwidth = Optional.empty();

    /**
     * A report of rank 0.
     *
     * @param output where to; {@link PerfOutput#NONE} at all other ranks
     * @param config of the runtimes
     * @param nRanks how many there are
     */
    PerfReport(PerfOutput output, ProxyConfig config, int nRanks) {
        this.output = output;
        this.config = config;
        this.nRanks = nRanks;
    }

    /** The plan, and what each rank runs on, by rank. */
    void begin(PerfPlan perfPlan, List<String> rankDevices) {
        plan = Optional.of(PerfView.Plan.of(perfPlan));
        devices = rankDevices;
        PerfPlan.Loops loops = perfPlan.loops();
        print("# nThread 1 nGpus 1 minBytes %d maxBytes %d step: %s warmup iters: %d iters: %d agg iters: %d "
                + "validation: %d graph: %d%n", perfPlan.sizes().minBytes(), perfPlan.sizes().maxBytes(),
                perfPlan.sizes().stepText(), loops.warmup(), loops.iterations(), loops.aggregate(), loops.checks(),
                loops.graphs());
        print("#%n# Using devices%n");
        devices.forEach(device -> print("#  %s%n", device));
        print("#%n");
        update();
    }

    /** Whether the network carries out collectives, and how or why not. */
    void collNet(String text) {
        collNet = Optional.of(text);
        note("CollNet " + text);
        print("#%n");
    }

    /** Something that takes a while begins. */
    void note(String text) {
        print("# %s%n", text);
    }

    /** How far that has come. */
    Progress progress() {
        return new Progress(output.terminal());
    }

    /** What follows are rows. */
    void beginRows() {
        print("#%n");
        for (String title : TITLES) {
            print("%s%n", title);
        }
    }

    void beginRow(long sizeBytes, long count, PerfPlan.Variant variant) {
        Row row = Row.of(sizeBytes, count, variant);
        rows.add(row);
        print("%12d  %12d  %8s  %6s  %6d", row.size(), row.count(), row.type(), row.redop(), row.root());
        isInRow = true;
    }

    /** Out of place first, then in place. */
    void measured(Measurement m) {
        Row row = rows.removeLast().with(m);
        rows.add(row);
        print("  %7s  %6.2f  %6.2f  %5s", time(m.timeUs()), m.algBw(), m.busBw(),
                m.wrong() == null ? "N/A" : m.wrong().toString());
        if (row.inPlace().isPresent()) {
            endRow();
            requireReader();
            update();
        }
    }

    /** All rows are there: how many measurements had something wrong, and their mean bus bandwidth in GB/s. */
    void end(int failures, double busBw) {
        print("# Out of bounds values : %d %s%n", failures, failures == 0 ? "OK" : "FAILED");
        print("# Avg bus bandwidth    : %s %n#%n", general(busBw));
        outOfBounds = Optional.of(failures);
        avgBusBandwidth = Optional.of(busBw);
        write(failures == 0 ? "ok" : "wrong data", Optional.empty());
    }

    /** There will be no more. */
    void failed(String reason) {
        if (isInRow) {
            endRow();
        }
        print("# Failed: %s%n", reason);
        write("failed", Optional.of(reason));
    }

    /** If the table's reader is gone, nothing waits for the rest of it. */
    private void requireReader() {
        if (output.table() != null && output.table().checkError()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the table cannot be printed: its output was closed");
        }
    }

    private void endRow() {
        print("%n");
        isInRow = false;
    }

    private void print(String format, Object... arguments) {
        if (output.table() != null) {
            output.table().printf(Locale.ROOT, format, arguments);
            output.table().flush();
        }
    }

    private void update() {
        output.json().ifPresent(json -> json.update(() -> json("running", Optional.empty())));
        output.csv().ifPresent(csv -> csv.update(this::csv));
    }

    private void write(String status, Optional<String> error) {
        output.json().ifPresent(json -> json.write(json(status, error)));
        output.csv().ifPresent(csv -> csv.write(csv()));
    }

    private String json(String status, Optional<String> error) {
        return Json.text(new PerfView(status, error, PerfView.Environment.of(started, nRanks, devices, config), plan,
                collNet, rows, outOfBounds, avgBusBandwidth));
    }

    private String csv() {
        return PerfCsv.text(plan.map(PerfView.Plan::collective).orElse(""), nRanks, rows);
    }

    private static String time(double micros) {
        return String.format(Locale.ROOT, micros >= 10_000 ? "%7.0f" : micros >= 100 ? "%7.1f" : "%7.2f", micros);
    }

    /** As C's {@code %g}. */
    static String general(double value) {
        if (value == 0 || !Double.isFinite(value)) {
            return value == 0 ? "0" : "nan";
        }
        if (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e6) {
            return String.format(Locale.ROOT, "%.5e", value).replaceFirst("\\.?0+e", "e");
        }
        return new BigDecimal(value, new MathContext(6)).stripTrailingZeros().toPlainString();
    }
}
