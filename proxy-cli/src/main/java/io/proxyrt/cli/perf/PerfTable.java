/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Locale;

/** Prints what nccl-tests prints, column for column, so that what reads the one reads the other. */
final class PerfTable implements PerfReport {
    private static final String[] TITLES = {
        String.format("# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place          ",
                "", "", "", "", ""),
        String.format("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s %6s  %7s  %6s  %6s %6s", "size", "count", "type",
                "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw", "#wrong"),
        String.format("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %5s  %7s  %6s  %6s  %5s", "(B)", "(elements)", "",
                "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "")
    };

    private final PrintStream out;
    private int measurementsInRow;
    private boolean isInRow;

    PerfTable(PrintStream out) {
        this.out = out;
    }

    @Override
    public void begin(PerfPlan plan, List<String> devices) {
        PerfPlan.Loops loops = plan.loops();
        print("# nThread 1 nGpus 1 minBytes %d maxBytes %d step: %s warmup iters: %d iters: %d agg iters: %d "
                + "validation: %d graph: 0%n", plan.sizes().minBytes(), plan.sizes().maxBytes(),
                plan.sizes().stepText(), loops.warmup(), loops.iterations(), loops.aggregate(), loops.checks());
        print("#%n# Using devices%n");
        devices.forEach(device -> print("#  %s%n", device));
        print("#%n");
    }

    @Override
    public void note(String text) {
        print("# %s%n", text);
    }

    @Override
    public void beginRows() {
        print("#%n");
        for (String title : TITLES) {
            print("%s%n", title);
        }
    }

    @Override
    public void beginRow(long sizeBytes, long count, PerfPlan.Variant variant) {
        print("%12d  %12d  %8s  %6s  %6d", sizeBytes, count, variant.type().label(),
                variant.op() == null ? "none" : variant.op().label(), variant.root());
        measurementsInRow = 0;
        isInRow = true;
    }

    @Override
    public void measured(Measurement m) {
        print("  %7s  %6.2f  %6.2f  %5s", time(m.micros()), m.algBw(), m.busBw(),
                m.wrong() == Measurement.UNCHECKED ? "N/A" : Long.toString(m.wrong()));
        if (++measurementsInRow == 2) {
            endRow();
            requireReader();
        }
    }

    @Override
    public void end(PerfResult result) {
        print("# Out of bounds values : %d %s%n", result.failures(), result.failures() == 0 ? "OK" : "FAILED");
        print("# Avg bus bandwidth    : %s %n#%n", general(result.busBw()));
    }

    @Override
    public void failed(String reason) {
        if (isInRow) {
            endRow();
        }
        print("# Failed: %s%n", reason);
    }

    /** Ends the run if the reader of the table has closed its end of the pipe. */
    private void requireReader() {
        if (out.checkError()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the table cannot be printed: its output was closed");
        }
    }

    private void endRow() {
        print("%n");
        isInRow = false;
    }

    private void print(String format, Object... arguments) {
        out.printf(Locale.ROOT, format, arguments);
        out.flush();
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
