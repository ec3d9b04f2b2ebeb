/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.cli.CommandRun;
import io.proxyrt.cli.trace.JobTrace;
import io.proxyrt.cli.trace.RankFiles;
import io.proxyrt.cli.view.ParsedJson;
import io.proxyrt.cli.why.WhyView;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.testkit.Await;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code proxyrt report}: the page as a document, and in a browser where there is one. */
class ReportPageTest {
    private static final int RANKS = 3;
    private static final int OPS = 10;
    private static final int CALLS = 3;
    private static final String HOSTILE = "rank 1 </script><img src=x onerror=hacked=1>";
    private static final String ROWS = "{\"plan\": {\"collective\": \"all_reduce\"}, \"rows\": ["
            + "{\"size\": 8, \"type\": \"float\", \"redop\": \"sum\", \"outOfPlace\": {\"timeUs\": 9.5, "
            + "\"busBw\": 0.1}},"
            + "{\"size\": 1048576, \"type\": \"float\", \"redop\": \"sum\", \"outOfPlace\": {\"timeUs\": 95, "
            + "\"busBw\": 11}}]}";

    private final List<RankFiles> ranks = new ArrayList<>();
    @TempDir
    private Path base;

    @BeforeEach
    void start() {
        for (int i = 0; i < RANKS; i++) {
            RankFiles rank = new RankFiles(config(), i);
            ranks.add(rank);
            rank.connected(0, Direction.SEND, (i + 1) % RANKS);
            rank.connected(1, Direction.RECV, (i + 2) % RANKS);
            for (int op = 0; op < OPS; op++) {
                rank.whole(100 + op * 20, 2 * op, 0, (i + 1) % RANKS);
                rank.whole(103 + op * 20, 2 * op, 1, (i + 2) % RANKS);
            }
            rank.called(i == 1 ? HOSTILE : "rank " + i, 150, 200);
            rank.called("another", 100);
        }
    }

    @AfterEach
    void close() {
        ranks.forEach(RankFiles::close);
    }

    @Test
    void shouldHoldAllInOnePageAndNoMarkupInData() throws IOException {
        String page = page();
        assertEquals(2, page.split("</script>", -1).length - 1);
        assertTrue(page.contains("base-uri 'none'; form-action 'none'"), page);
        assertFalse(page.replace("http://www.w3.org/2000/svg", "").matches("(?s).*https?://.*"), page);
        Map<String, Object> parsed = data(page);
        assertEquals(RANKS, ParsedJson.objects(parsed.get("ranks")).size());
        assertTrue(parsed.get("ranks").toString().contains(HOSTILE));
        assertTrue(parsed.get("perf").toString().contains("collective=all_reduce"));
        assertFalse(text(page).matches("(?s).*[<>&].*"));
    }

    private static Map<String, Object> data(String page) throws IOException {
        return ParsedJson.object(text(page));
    }

    private static String text(String page) {
        String data = page.substring(page.indexOf("id=\"data\">") + 10);
        return data.substring(0, data.indexOf("</script>"));
    }

    @Test
    void shouldTakeNoRowsOfAnythingElse() throws IOException {
        for (String text : List.of("", "[]", "{}", "{\"rows\": 1}", "{\"rows\": []", "{\"rows\": []} 1", "no",
                "{\"rows\": [], \"rows\": 1}", "{\"rows\": [], \"rows\": []}")) {
            Path file = Files.writeString(base.resolve("rows"), text);
            ProxyException e = assertThrows(ProxyException.class, () -> PerfDocument.read(file), text);
            assertTrue(e.getMessage().startsWith("cannot take rows of " + file + ": "), e.getMessage());
        }
    }

    @Test
    void shouldSampleCounters() {
        ranks.add(new RankFiles(config(), 0));
        ranks.getFirst().counters().add(Counter.OPS_FETCHED, 7);
        ranks.getLast().counters().add(Counter.OPS_FETCHED, 8);
        CounterSamples found = CounterSamples.take(RuntimeDirectory.list(config()), Duration.ofMillis(200));
        assertEquals(5, found.atMs().size());
        assertEquals(Set.of(fetched(7), fetched(8)), found.rows().stream()
                .filter(row -> row.name().equals(Counter.OPS_FETCHED.label())).collect(Collectors.toSet()));
    }

    private static CounterSamples.Row fetched(long ops) {
        return new CounterSamples.Row("a job", 0, Counter.OPS_FETCHED.label(), Counter.Kind.TOTAL,
                Collections.nCopies(5, ops));
    }

    @Test
    void shouldTellOfAJobThatHasEndedMeanwhile() throws IOException {
        List<RuntimeDirectory.Entry> here = RuntimeDirectory.list(config());
        JobTrace before = JobTrace.read(config(), List.of(), true);
        close();
        ranks.clear();
        Report report = new Report(before.orLater(() -> JobTrace.read(config(), List.of(), true)),
                Optional.of(WhyView.at(here)), CounterSamples.take(here, Duration.ofMillis(100)), Optional.empty(),
                Optional.empty());
        StringWriter page = new StringWriter();
        ReportPage.write(report, page);
        Map<String, Object> parsed = data(page.toString());
        assertEquals(RANKS, ParsedJson.objects(parsed.get("ranks")).size());
        assertEquals(List.of(), parsed.get("why"));
        assertTrue(report.lines().getLast().startsWith("it has ended meanwhile: "), report.lines()::toString);
    }

    @Test
    void shouldSayWhatACommandLineLacks() {
        String runtimes = base.resolve("runtimes").toString();
        assertMisuse("Missing required option: '--output=FILE'", "trace", "--directory", runtimes);
        assertMisuse("Missing required option: '--output=FILE'", "report", "--directory", runtimes);
        assertMisuse("--for is 3601s: must be at most 3600s", "report", "--directory", runtimes, "--for", "3601s", "-o",
                "-");
        Path page = base.resolve("page.html");
        assertMisuse("cannot take rows of " + base.resolve("none"), "report", "--directory", runtimes, "--perf",
                base.resolve("none").toString(), "-o", page.toString());
        assertFalse(Files.exists(page));
        for (String command : List.of("trace", "report")) {
            assertMisuse("-o is '" + page + "/page.html': must be a file, ", command, "--directory", runtimes, "-o",
                    page + "/page.html");
        }
    }

    private static void assertMisuse(String message, String... arguments) {
        CommandRun run = CommandRun.of(arguments);
        assertEquals(CommandLine.ExitCode.USAGE, run.status(), run::err);
        assertTrue(run.err().contains(message), run::err);
        assertEquals("", run.out());
    }

    @Test
    void shouldBeClickedThroughInABrowser() throws IOException {
        Optional<Path> chromium = Browser.installed();
        assumeTrue(chromium.isPresent(), "takes Chromium on the PATH");
        Path file = Files.writeString(base.resolve("report.html"), page());
        try (Browser browser = Browser.open(chromium.get(), base.resolve("profile"), file)) {
            Await.until(() -> isReady(browser), () -> "the page; " + browser.events("Runtime.exceptionThrown")
                    + browser.events("Log.entryAdded"));
            assertTables(browser);
            assertZoom(browser);
            assertFilters(browser);
            assertEvents(browser);
            assertCallsOfTwoCommunicators(browser);
            assertWaitsOfTwoJobs(browser);
            assertDark(browser);
            assertEquals("undefined", browser.evaluate("typeof hacked"));
            assertEquals(List.of(), browser.events("Runtime.exceptionThrown"));
            assertEquals(List.of(), browser.events("Log.entryAdded"));
            assertTrue(browser.events("Network.requestWillBeSent").stream()
                    .allMatch(request -> request.contains("url=file:///") || request.contains("url=data:")));
        }
    }

    /** As long as a page takes the place of another one, there may be none. */
    private static boolean isReady(Browser browser) {
        try {
            return browser.evaluate("document.documentElement.dataset.ready").equals("yes");
        } catch (AssertionError e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertTables(Browser browser) throws IOException {
        assertEquals("rank 2 is stopped", browser.evaluate("document.querySelector('.sentence.stands').textContent"));
        assertEquals("0|rank 2|step 7 <b>|5.1 s", browser.evaluate("[...document.querySelectorAll('#edges td')]"
                + ".map(cell => cell.textContent).join('|')"));
        assertEquals("2", browser.evaluate("document.querySelectorAll('#graph circle').length"));
        assertEquals("2", browser.evaluate("document.querySelectorAll('#perf-plot circle').length"));
        assertEquals("2", browser.evaluate("document.querySelectorAll('#counter-plot circle').length"));
        assertEquals("false", browser.evaluate("document.getElementById('topology').hidden"));
        assertNotEquals("0", browser.evaluate("document.getElementById('topology-image').naturalWidth"));
    }

    private static void assertWaitsOfTwoJobs(Browser browser) throws IOException {
        browser.evaluate("(jobs.push('another'), waits())");
        assertEquals("rank 0 of a job|rank 2|step 7 <b>|5.1 s", browser.evaluate("[..."
                + "document.querySelectorAll('#edges tr:last-child td')].map(cell => cell.textContent).join('|')"));
    }

    private static void assertZoom(Browser browser) throws IOException {
        double all = span(browser);
        browser.click("in");
        assertEquals(all / 2, span(browser), 1);
        browser.click("in");
        browser.click("out");
        assertEquals(all / 2, span(browser), 1);
        browser.evaluate("document.getElementById('timeline').focus()");
        double from = browser.number("document.getElementById('timeline').dataset.from");
        browser.press("ArrowRight");
        assertEquals(all / 10, browser.number("document.getElementById('timeline').dataset.from") - from, 1);
        browser.press("+");
        assertEquals(all / 4, span(browser), 1);
        browser.press("Home");
        assertEquals(all, span(browser), 1);
    }

    private static double span(Browser browser) throws IOException {
        return browser.number("document.getElementById('timeline').dataset.to"
                + " - document.getElementById('timeline').dataset.from");
    }

    private static void assertFilters(Browser browser) throws IOException {
        assertRows(browser, 3 * RANKS, RANKS * (2 * OPS + CALLS));
        browser.click("ranks");
        browser.send("Input.insertText", "{\"text\": \"0,2-7\"}");
        assertRows(browser, 6, 2 * (2 * OPS + CALLS));
        browser.click("kind-receive");
        assertRows(browser, 4, 2 * (OPS + CALLS));
        browser.click("kind-receive");
        browser.evaluate("document.getElementById('ranks').select()");
        browser.press("Delete");
        browser.evaluate("document.getElementById('ranks').value = ''");
        browser.evaluate("document.getElementById('ranks').dispatchEvent(new Event('input'))");
        assertRows(browser, 3 * RANKS, RANKS * (2 * OPS + CALLS));
    }

    private static void assertRows(Browser browser, int rows, int events) throws IOException {
        assertEquals(rows + " " + events, browser.evaluate("document.getElementById('timeline').dataset.rows + ' '"
                + " + document.getElementById('timeline').dataset.events"));
    }

    private static void assertEvents(Browser browser) throws IOException {
        browser.evaluate("canvas.scrollIntoView({block: 'center'})");
        browser.evaluate("reveal(ops.find(op => op.name === 'op 4 to rank 1'))");
        browser.evaluate("pick(null)");
        browser.evaluate("show(ops[0].from, ops[0].from + 200000)");
        String op = "ops.find(op => op.name === 'op 4 to rank 1')";
        browser.click(browser.number("canvas.getBoundingClientRect().x + x((" + op + ".from + " + op + ".to) / 2)"),
                browser.number("canvas.getBoundingClientRect().y + AXIS + " + op + ".lane.row * ROW + ROW / 2"));
        String details = browser.evaluate("document.getElementById('details').textContent");
        assertTrue(details.startsWith("eventop 4 to rank 1rank0, process "), details);
        assertTrue(details.contains("5 ms") && details.contains("statedone") && details.contains("bytes64"), details);
        browser.click("other");
        details = browser.evaluate("document.getElementById('details').textContent");
        assertTrue(details.startsWith("eventop 4 from rank 0rank1, process "), details);
        browser.evaluate("document.getElementById('timeline').focus()");
        browser.press("n");
        assertNotEquals(details, browser.evaluate("document.getElementById('details').textContent"));
        browser.press("p");
        assertEquals(details, browser.evaluate("document.getElementById('details').textContent"));
        browser.press("Escape");
        assertEquals("", browser.evaluate("document.getElementById('details').textContent"));
        browser.evaluate("reveal(lanes.find(lane => lane.rank.rank === 1 && lane.name === 'calls').events[1])");
        details = browser.evaluate("document.getElementById('details').textContent");
        assertTrue(details.contains("communicator" + HOSTILE), details);
    }

    /** Of a part of the time, in which is one call of three. */
    private static void assertCallsOfTwoCommunicators(Browser browser) throws IOException {
        browser.evaluate("(was => { window.painted = []; paintEvent = (pen, event, ...rest) => { painted.push(event); "
                + "was(pen, event, ...rest); }; })(paintEvent)");
        String call = "lanes.find(lane => lane.rank.rank === 0 && lane.name === 'calls').events"
                + ".find(call => call.facts.communicator === 'another').from";
        assertEquals("another", browser.evaluate("(show(" + call + " - 20000, " + call + " + 20000), painted = [], "
                + "paint(), painted.filter(event => event.kind === 'call' && event.rank.rank === 0)"
                + ".map(event => event.facts.communicator).join('|'))"));
    }

    @Test
    void shouldShowAllButASectionThatIsOdd() throws IOException {
        Optional<Path> chromium = Browser.installed();
        assumeTrue(chromium.isPresent(), "takes Chromium on the PATH");
        Path file = Files.writeString(base.resolve("report.html"), page(new PerfDocument("{\"rows\": 1}")));
        try (Browser browser = Browser.open(chromium.get(), base.resolve("profile"), file)) {
            Await.until(() -> isReady(browser), () -> "the page; " + browser.events("Runtime.exceptionThrown"));
            assertRows(browser, 3 * RANKS, RANKS * (2 * OPS + CALLS));
            assertEquals("true", browser.evaluate("document.getElementById('perf').hidden"));
            String notes = browser.evaluate("document.getElementById('notes').textContent");
            assertTrue(notes.contains("The section \"perf\" cannot be shown: "), notes);
            assertTrue(notes.contains("topology: which GPUs it has") && notes.contains("rank 9: a file that is not"),
                    notes);
        }
    }

    private static void assertDark(Browser browser) throws IOException {
        String ground = "getComputedStyle(document.body).backgroundColor";
        assertEquals("rgb(255, 255, 255)", browser.evaluate(ground));
        browser.send("Emulation.setEmulatedMedia",
                "{\"features\": [{\"name\": \"prefers-color-scheme\", \"value\": \"dark\"}]}");
        assertEquals("rgb(20, 24, 29)", browser.evaluate(ground));
    }

    private String page() throws IOException {
        return page(PerfDocument.read(Files.writeString(base.resolve("rows.json"), ROWS)));
    }

    private String page(PerfDocument perf) throws IOException {
        JobTrace trace = JobTrace.read(config(), List.of(), true);
        WhyView why = new WhyView(Instant.now(), List.of(new WhyView.Entry("a job", "stopped", List.of(2),
                "rank 2 is stopped", List.of(new WhyView.Wait(0, 2, "step 7 <b>", 5.1)), Optional.empty())),
                List.of("rank 9: a file that is not ready"));
        CounterSamples counters = new CounterSamples(List.of(0L, 100L, 200L), List.of(new CounterSamples.Row("a job", 0,
                "net bytes sent", Counter.Kind.TOTAL, List.of(0L, 1000L, 3000L))));
        StringWriter page = new StringWriter();
        String topology = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"></svg>";
        ReportPage.write(new Report(trace, Optional.of(why), counters, Optional.of(perf),
                Optional.of(new Report.Machine(topology, List.of("which GPUs it has")))), page);
        return page.toString();
    }

    private ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, base.resolve("runtimes").toString()).build();
    }
}
