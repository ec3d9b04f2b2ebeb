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

import io.proxyrt.cli.trace.JobTrace;
import io.proxyrt.cli.trace.RankFiles;
import io.proxyrt.cli.view.ParsedJson;
import io.proxyrt.cli.why.WhyView;
import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.EventRing;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code proxyrt report}: the page as a document, and in a browser where there is one. */
class ReportPageTest {
    private static final int RANKS = 3;
    private static final int OPS = 10;
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
            rank.counters().blackBox().caller(i == 1 ? HOSTILE : "rank " + i).called(System.nanoTime(), 1,
                    OpWord.word(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 0), 4096, EventRing.NO_PEER);
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
        assertFalse(page.contains("http://") && !page.contains("http://www.w3.org/2000/svg"), page);
        String data = page.substring(page.indexOf("id=\"data\">") + 10);
        Map<String, Object> parsed = ParsedJson.object(data.substring(0, data.indexOf("</script>")));
        assertEquals(RANKS, ParsedJson.objects(parsed.get("ranks")).size());
        assertTrue(parsed.get("ranks").toString().contains(HOSTILE));
        assertTrue(parsed.get("perf").toString().contains("collective=all_reduce"));
        assertFalse(data.substring(0, data.indexOf("</script>")).matches("(?s).*[<>&].*"));
    }

    @Test
    void shouldTakeNoRowsOfAnythingElse() throws IOException {
        for (String text : List.of("", "[]", "{}", "{\"rows\": 1}", "{\"rows\": []", "{\"rows\": []} 1", "no")) {
            Path file = Files.writeString(base.resolve("rows"), text);
            ProxyException e = assertThrows(ProxyException.class, () -> PerfDocument.read(file), text);
            assertTrue(e.getMessage().startsWith("cannot take rows of " + file + ": "), e.getMessage());
        }
    }

    @Test
    void shouldSampleCounters() {
        ranks.getFirst().counters().add(Counter.OPS_FETCHED, 7);
        CounterSamples found = CounterSamples.take(RuntimeDirectory.list(config()), Duration.ofMillis(200));
        assertEquals(5, found.atMs().size());
        assertEquals(List.of(new CounterSamples.Row(0, ProcessHandle.current().pid(), Counter.OPS_FETCHED.label(),
                Counter.Kind.TOTAL, List.of(7L, 7L, 7L, 7L, 7L))), found.rows().stream()
                .filter(row -> row.name().equals(Counter.OPS_FETCHED.label())).toList());
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
        assertRows(browser, 3 * RANKS, RANKS * (2 * OPS + 1));
        browser.click("ranks");
        browser.send("Input.insertText", "{\"text\": \"0,2-7\"}");
        assertRows(browser, 6, 2 * (2 * OPS + 1));
        browser.click("kind-receive");
        assertRows(browser, 4, 2 * (OPS + 1));
        browser.click("kind-receive");
        browser.evaluate("document.getElementById('ranks').select()");
        browser.press("Delete");
        browser.evaluate("document.getElementById('ranks').value = ''");
        browser.evaluate("document.getElementById('ranks').dispatchEvent(new Event('input'))");
        assertRows(browser, 3 * RANKS, RANKS * (2 * OPS + 1));
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
        browser.evaluate("reveal(lanes.find(lane => lane.rank.rank === 1 && lane.name === 'calls').events[0])");
        details = browser.evaluate("document.getElementById('details').textContent");
        assertTrue(details.contains("communicator" + HOSTILE), details);
    }

    private static void assertDark(Browser browser) throws IOException {
        String ground = "getComputedStyle(document.body).backgroundColor";
        assertEquals("rgb(255, 255, 255)", browser.evaluate(ground));
        browser.send("Emulation.setEmulatedMedia",
                "{\"features\": [{\"name\": \"prefers-color-scheme\", \"value\": \"dark\"}]}");
        assertEquals("rgb(20, 24, 29)", browser.evaluate(ground));
    }

    private String page() throws IOException {
        JobTrace trace = JobTrace.read(config(), List.of(), true);
        WhyView why = new WhyView(Instant.now(), List.of(new WhyView.Entry("a job", "stopped", List.of(2),
                "rank 2 is stopped", List.of(new WhyView.Wait(0, 2, "step 7 <b>", 5.1)), Optional.empty())), List.of());
        CounterSamples counters = new CounterSamples(List.of(0L, 100L, 200L), List.of(new CounterSamples.Row(0, 1,
                "net bytes sent", Counter.Kind.TOTAL, List.of(0L, 1000L, 3000L))));
        Path rows = Files.writeString(base.resolve("rows.json"), ROWS);
        StringWriter page = new StringWriter();
        String topology = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"></svg>";
        ReportPage.write(new Report(trace, Optional.of(why), counters, Optional.of(PerfDocument.read(rows)),
                Optional.of(topology)), page);
        return page.toString();
    }

    private ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, base.resolve("runtimes").toString()).build();
    }
}
