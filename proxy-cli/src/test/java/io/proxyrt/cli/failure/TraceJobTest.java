/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.cli.CommandRun;
import io.proxyrt.cli.trace.ChromeTrace;
import io.proxyrt.cli.trace.JobTrace;
import io.proxyrt.cli.trace.OtherHost;
import io.proxyrt.cli.view.ParsedJson;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code proxyrt trace}, of jobs. */
@Tag(Extent.SCALED)
class TraceJobTest {
    private static final int RANKS = 3;
    private static final int CALLS = 20;
    private static final int VICTIM = 2;
    private static final long AHEAD_MS = 5000;

    @TempDir
    private Path folder;

    @Test
    void shouldShowEachOpOnceAndJoinBothEnds() throws IOException {
        try (ChildJob job = job("NET")) {
            job.tellAll("reduce " + CALLS, "reduced");
            JobTrace trace = read(List.of());
            assertWhole(events(trace));
            assertEquals(1, trace.clocks().size());
            assertOtherHostIsAligned();
            job.rank(VICTIM).signal("KILL");
            job.rank(VICTIM).close();
            assertTrue(named(events(read(List.of())), "process_labels").contains("dead"));
        }
    }

    private void assertWhole(List<Map<String, Object>> events) {
        List<Map<String, Object>> slices = of(events, "X");
        assertEquals(done(), slices.stream().filter(slice -> args(slice).get("state").equals("done"))
                .map(slice -> slice.get("pid") + " " + args(slice).get("connection") + " " + args(slice).get("opCount"))
                .sorted().toList());
        assertEquals(RANKS * CALLS, of(events, "i").stream().filter(event -> event.get("cat").equals("call")).count());
        slices.stream().collect(Collectors.groupingBy(TraceJobTest::track)).values().forEach(TraceJobTest::assertApart);
        Map<Object, Map<String, Object>> heads = new HashMap<>();
        of(events, "f").forEach(head -> heads.put(head.get("id"), head));
        Set<Map<String, Object>> joined = new HashSet<>();
        for (Map<String, Object> tail : of(events, "s")) {
            Map<String, Object> send = at(slices, tail, "send");
            Map<String, Object> recv = at(slices, heads.get(tail.get("id")), "receive");
            assertEquals(send.get("pid"), args(recv).get("peer"));
            assertEquals(recv.get("pid"), args(send).get("peer"));
            for (String same : List.of("opCount", "channel", "bytes", "transport")) {
                assertEquals(args(send).get(same), args(recv).get(same));
            }
            assertTrue(joined.add(send) && joined.add(recv));
        }
        assertEquals(slices.size(), joined.size());
    }

    /** What the black boxes have, as they are read otherwise. */
    private List<String> done() {
        List<String> done = new ArrayList<>();
        for (RuntimeDirectory.Entry entry : RuntimeDirectory.list(folder)) {
            try (CountersReader reader = CountersReader.open(entry.counters())) {
                reader.events().stream().filter(event -> event.type() == EventType.DONE).forEach(event -> done.add(
                        entry.rank() + " " + Long.toHexString(event.connection()) + " " + event.opCount()));
            }
        }
        assertTrue(done.size() >= 2 * RANKS * CALLS, done::toString);
        return done.stream().sorted().toList();
    }

    private static void assertApart(List<Map<String, Object>> track) {
        BigDecimal end = BigDecimal.ZERO;
        for (Map<String, Object> slice : track.stream()
                .sorted(Comparator.comparing(slice -> (BigDecimal) slice.get("ts"))).toList()) {
            BigDecimal start = (BigDecimal) slice.get("ts");
            assertTrue(start.compareTo(end) >= 0, () -> slice + " of " + track);
            end = end(slice);
        }
    }

    private static BigDecimal end(Map<String, Object> slice) {
        return ((BigDecimal) slice.get("ts")).add((BigDecimal) slice.get("dur"));
    }

    /** The slice that an end of an arrow is bound to. */
    private static Map<String, Object> at(List<Map<String, Object>> slices, Map<String, Object> end,
            String direction) {
        BigDecimal at = (BigDecimal) end.get("ts");
        List<Map<String, Object>> all = slices.stream().filter(slice -> track(slice).equals(track(end)))
                .filter(slice -> ((BigDecimal) slice.get("ts")).compareTo(at) <= 0 && end(slice).compareTo(at) > 0)
                .toList();
        assertEquals(1, all.size(), () -> end + " is in " + all);
        assertEquals(direction, args(all.getFirst()).get("direction"));
        return all.getFirst();
    }

    private void assertOtherHostIsAligned() throws IOException {
        List<String> files = new ArrayList<>();
        for (RuntimeDirectory.Entry entry : RuntimeDirectory.list(folder)) {
            files.add(entry.rank() != VICTIM ? entry.path().toString() : OtherHost.copy(entry.counters(),
                    folder.resolveSibling("other").resolve("counters"), AHEAD_MS).toString());
        }
        JobTrace trace = read(files);
        assertEquals(2, trace.clocks().size());
        String line = trace.lines().getLast();
        double[] numbers = Stream.of(line.replaceAll("[^0-9. ]", "").trim().split(" +"))
                .filter(word -> word.contains(".")).mapToDouble(Double::parseDouble).toArray();
        assertTrue(line.startsWith("the clock of rank 2 was ") && line.contains(" s ahead of "), line);
        assertTrue(Math.abs(numbers[0] - AHEAD_MS / 1000.0) <= numbers[1] + 0.02, line);
        assertTrue(numbers[1] < 1, line);
        assertEquals(read(List.of()).pairs().size(), trace.pairs().size());
    }

    @Test
    void shouldShowCallsWhereKernelsReachEachOther() throws IOException {
        try (ChildJob job = job("SHM")) {
            job.tellAll("reduce " + CALLS, "reduced");
            List<Map<String, Object>> events = events(read(List.of()));
            assertEquals(RANKS * CALLS, of(events, "i").size());
            assertEquals(List.of(), of(events, "X"));
            assertEquals(List.of("#1", "#1", "#1", "#2"), of(events, "i").stream()
                    .map(event -> event.get("name").toString().split(" ")[0]).sorted(Comparator.comparing(
                            number -> Integer.parseInt(number.substring(1)))).limit(4).toList());
        }
    }

    @Test
    void shouldWriteATraceAndAReportOfAJobThatRuns() throws IOException {
        try (ChildJob job = job("NET")) {
            job.tellAll("reduce " + CALLS, "reduced");
            Path trace = folder.resolveSibling("trace.json");
            CommandRun toFile = CommandRun.of("trace", "--directory", folder.toString(), "-o", trace.toString());
            assertEquals(0, toFile.status(), toFile::err);
            assertTrue(toFile.out().startsWith(RANKS + " ranks, "), toFile::out);
            assertWhole(ParsedJson.objects(ParsedJson.object(Files.readString(trace)).get("traceEvents")));
            CommandRun toOutput = CommandRun.of("trace", "--directory", folder.toString(), "-o", "-");
            assertEquals(0, toOutput.status(), toOutput::err);
            assertWhole(ParsedJson.objects(ParsedJson.object(toOutput.out()).get("traceEvents")));
            Path page = folder.resolveSibling("job.html");
            CommandRun report = CommandRun.of("report", "--directory", folder.toString(), "--for", "0s", "-o",
                    page.toString());
            assertEquals(0, report.status(), report::err);
            assertTrue(report.out().startsWith(RANKS + " ranks, "), report::out);
            assertEquals(RANKS, ParsedJson.objects(data(page).get("ranks")).size());
            assertEquals("none", ParsedJson.objects(data(page).get("why")).getFirst().get("reason"));
            assertTrue(data(page).get("topology").toString().startsWith("data:image/svg+xml;base64,"));
        }
    }

    private static Map<String, Object> data(Path page) throws IOException {
        String text = Files.readString(page);
        int from = text.indexOf("id=\"data\">") + 10;
        return ParsedJson.object(text.substring(from, text.indexOf("</script>", from)));
    }

    private ChildJob job(String transport) throws IOException {
        ChildJob job = new ChildJob(transport, RANKS, folder, "threading=dedicated", "coll.transport=" + transport);
        job.join(BootstrapConfig.defaults());
        return job;
    }

    private JobTrace read(List<String> wanted) {
        return JobTrace.read(ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, folder.toString()).build(), wanted, true);
    }

    private static List<Map<String, Object>> events(JobTrace trace) throws IOException {
        StringWriter text = new StringWriter();
        ChromeTrace.write(trace, text);
        return ParsedJson.objects(ParsedJson.object(text.toString()).get("traceEvents"));
    }

    private static List<Map<String, Object>> of(List<Map<String, Object>> events, String phase) {
        return events.stream().filter(event -> event.get("ph").equals(phase)).toList();
    }

    private static String named(List<Map<String, Object>> events, String name) {
        return events.stream().filter(event -> event.get("name").equals(name)).map(event -> args(event).toString())
                .collect(Collectors.joining());
    }

    private static String track(Map<String, Object> event) {
        return event.get("pid") + " " + event.get("tid");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> args(Map<String, Object> event) {
        return (Map<String, Object>) event.get("args");
    }
}
