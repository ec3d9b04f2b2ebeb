/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.perf.PerfView.Measurement;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PerfReportTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PerfReport table = report(new PrintStream(bytes, true, StandardCharsets.UTF_8));

    @Test
    void shouldPrintWhatNcclTestsPrints() {
        table.begin(plan(new Sizes(8, 16 << 20, 4, 0)), List.of("Rank  0 Pid  12345 on   hostname device host:0"));
        table.note("a note");
        table.beginRows();
        table.beginRow(8, 2, new PerfPlan.Variant(DataType.FLOAT32, PerfOp.SUM, -1));
        table.measured(new Measurement(12.344, 0.001, 0.0015, 0L));
        table.measured(new Measurement(123.44, 0.004, 0.006, 3L));
        table.beginRow(16_777_216, 8_388_608, new PerfPlan.Variant(DataType.BFLOAT16, null, 2));
        table.measured(new Measurement(12_345.6, 1.359, 2.0385, null));
        table.measured(new Measurement(9999.96, 1.5, 2.25, 12_345L));
        table.end(2, 1.2345);

        assertEquals("""
                # nThread 1 nGpus 1 minBytes 8 maxBytes 16777216 step: 4(factor) warmup iters: 5 iters: 20 \
                agg iters: 1 validation: 1 graph: 0
                #
                # Using devices
                #  Rank  0 Pid  12345 on   hostname device host:0
                #
                # a note
                #
                #                                                              out-of-place                       \
                in-place         \s
                #       size         count      type   redop    root     time   algbw   busbw #wrong     time   \
                algbw   busbw #wrong
                #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  \
                (GB/s)  (GB/s)      \s
                           8             2     float     sum      -1    12.34    0.00    0.00      0    123.4    \
                0.00    0.01      3
                    16777216       8388608  bfloat16    none       2    12346    1.36    2.04    N/A  10000.0    \
                1.50    2.25  12345
                # Out of bounds values : 2 FAILED
                # Avg bus bandwidth    : 1.2345\s
                #
                """, text());
    }

    @Test
    void shouldSayThatAllIsWell() {
        table.end(0, 0);
        assertEquals("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0 \n#\n", text());
    }

    @Test
    void shouldNotLeaveAHalfRowWhenItFails() {
        table.beginRow(8, 2, new PerfPlan.Variant(DataType.INT8, PerfOp.AVG, -1));
        table.measured(new Measurement(1, 1, 1, 0L));
        table.failed("rank 1 is gone");
        List<String> lines = text().lines().toList();
        assertEquals(2, lines.size());
        assertEquals("# Failed: rank 1 is gone", lines.get(1));
    }

    @Test
    void shouldGiveUpWhenItsOutputIsClosed() {
        PrintStream closed = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        PerfReport unread = report(closed);
        closed.close();
        unread.beginRow(8, 2, new PerfPlan.Variant(DataType.INT8, PerfOp.AVG, -1));
        unread.measured(new Measurement(1, 1, 1, 0L));
        assertThrows(ProxyException.class, () -> unread.measured(new Measurement(1, 1, 1, 0L)));
        unread.failed("its output was closed");
    }

    @Test
    void shouldShowAnIncrement() {
        table.begin(plan(new Sizes(8, 64, 0, 24)), List.of());
        assertEquals("step: 24(bytes)", text().replaceAll("(?s).*(step: \\S+).*", "$1"));
    }

    @Test
    void shouldWriteOneWholeDocumentToTheStandardOutput() {
        StringWriter text = new StringWriter();
        PerfReport report = report(new Destination(Path.of("-"), new PrintWriter(text)), Optional.empty());
        measureOneSize(report);
        assertEquals("", text.toString());
        report.end(0, 1.5);
        String json = text.toString().replaceAll("\\s+", "");
        assertTrue(json.startsWith("{\"status\":\"ok\",") && json.endsWith("\"avgBusBandwidth\":1.5}"), json);
        assertTrue(text.toString().endsWith("}\n"), json);
    }

    @Test
    void shouldWriteALineForEachMeasurementAsCommaSeparatedValues(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("rows.csv");
        PerfReport report = report(null, Optional.of(new Destination(file, null)));
        measureOneSize(report);
        assertEquals("""
                collective,ranks,size,count,type,redop,root,inplace,time,algbw,busbw,#wrong
                all_reduce,2,8,2,float,sum,-1,0,12.5,0.001,0.0015,0
                all_reduce,2,8,2,float,sum,-1,1,125.25,0.004,0.006,N/A
                """, Files.readString(file));
    }

    private static void measureOneSize(PerfReport report) {
        report.begin(plan(new Sizes(8, 8, 2, 0)), List.of());
        report.beginRow(8, 2, new PerfPlan.Variant(DataType.FLOAT32, PerfOp.SUM, -1));
        report.measured(new Measurement(12.5, 0.001, 0.0015, 0L));
        report.measured(new Measurement(125.25, 0.004, 0.006, null));
    }

    private static PerfReport report(Destination json, Optional<Destination> csv) {
        return new PerfReport(new PerfOutput(null, null, Optional.ofNullable(json), csv),
                ProxyConfig.builder().build(), 2);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "0.1,0.1", "1234567,1.23457e+06", "123456.7,123457", "0.00001234,1.234e-05",
        "0.000123456789,0.000123457", "100,100", "1.5,1.5", "NaN,nan"})
    void shouldFormatAsCDoes(double value, String text) {
        assertEquals(text, PerfReport.general(value));
    }

    private static PerfReport report(PrintStream out) {
        return new PerfReport(PerfOutput.of(out), ProxyConfig.builder().build(), 1);
    }

    private String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static PerfPlan plan(Sizes sizes) {
        return new PerfPlan(Collective.ALL_REDUCE, sizes, new PerfPlan.Loops(20, 5, 1, 1, 0), List.of(DataType.FLOAT32),
                List.of(PerfOp.SUM), List.of(0), PerfPlan.Average.AVERAGE, Duration.ZERO);
    }
}
