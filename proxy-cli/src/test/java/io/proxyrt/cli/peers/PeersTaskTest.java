/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.cli.launch.RankBody;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankSession;
import io.proxyrt.cli.launch.RankTask;
import io.proxyrt.cli.launch.RankThreads;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeersTaskTest {
    private static final String NO_P2P = "host devices have SHM, unless proxyrt.p2p.host is 1";
    private static final Map<String, String> AS_IT_IS = Map.of();
    private static final Map<String, String> WITHOUT_SHM = Map.of("shm.disable", "1");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    @TempDir
    private Path folder;

    @Test
    void shouldSayThatRanksOfAHostShareMemory() {
        assertEquals(RankOutcome.OK, ask(AS_IT_IS, AS_IT_IS, AS_IT_IS), this::err);
        assertPrinted("     0       -   SHM   SHM", "     1     SHM     -   SHM",
                "     2     SHM   SHM     -",
                "SHM between all pairs", "  P2P      not used: " + NO_P2P,
                "  SHM      used, as the first that can",
                "  NET      not used: it could, but comes after SHM; --transport NET asks for it",
                "Not part of this build: COLLNET");
    }

    @Test
    void shouldSayWhichWayMemoryGoes() {
        Map<String, String> p2p = Map.of("p2p.host", "1", "p2p.direct.disable", "1", "p2p.read.enable", "1");
        assertEquals(RankOutcome.OK, ask(p2p, p2p), this::err);
        assertPrinted("P2P between all pairs", "  P2P      used, as the first that can: memory by way of vmm, Simple"
                + " slots at the sender, to be read");
    }

    @Test
    void shouldSayWhatWasAskedFor() {
        Map<String, String> net = Map.of("coll.transport", "NET");
        assertEquals(RankOutcome.OK, ask(net, net), this::err);
        assertPrinted("NET between all pairs", "  SHM      not used: NET is asked for",
                "  NET      used, as asked for");
        assertTrue(text().contains("; NET is asked for by --transport or proxyrt.coll.transport"), text());
    }

    @Test
    void shouldTellPairsApartByWhatIsSaidOfThem() {
        Map<String, String> elsewhere = Map.of("host.id", "moon");
        assertEquals(RankOutcome.OK, ask(AS_IT_IS, AS_IT_IS, elsewhere), this::err);
        assertPrinted("     0       -   SHM   NET", "     2     NET   NET     -", "SHM between 0-1",
                "NET between 0-2, 1-2",
                "  SHM      not used: the other rank is on another host");
    }

    @Test
    void shouldSayWhoCannotConnectAndWhy() {
        assertEquals(RankOutcome.WRONG_DATA, ask(AS_IT_IS, WITHOUT_SHM), this::err);
        assertPrinted("     0       -   SHM", "     1     NET     -",
                "NO CONNECTION between all pairs: the first rank chose SHM, the second NET", "  the second rank says",
                "    SHM      not used: proxyrt.shm.disable is 1", "    NET      used, as the first that can",
                "  Both ranks have to use the same transport: give them the same options, or put right what is "
                        + "refused above.");
    }

    @Test
    void shouldSayWhenThereIsNoTransportAtAll() {
        Map<String, String> nothing = Map.of("shm.disable", "1", "net.disable.intra", "1");
        assertEquals(RankOutcome.WRONG_DATA, ask(nothing, nothing), this::err);
        assertPrinted("     0       -  none",
                "NO CONNECTION between all pairs: no transport can",
                "  SHM      not used: proxyrt.shm.disable is 1");
    }

    @Test
    void shouldWriteItForPrograms() throws IOException {
        assertEquals(RankOutcome.OK, ask(AS_IT_IS, AS_IT_IS), this::err);
        String json = Files.readString(folder.resolve("peers.json")).replaceAll("\\s+", "");
        for (String part : new String[] {"\"rank\":1,\"host\":", "\"rank\":0,\"peer\":1,\"chosen\":\"SHM\"",
            "{\"name\":\"NET\",\"isChosen\":false,\"whyNot\":\"\",\"how\":\"\"}",
            "\"pid\":" + ProcessHandle.current().pid()}) {
            assertTrue(json.contains(part), part + " is missing in " + json);
        }
    }

    @Test
    void shouldFailAtBothEndsWithBothChoices() {
        RankBody unreachable = comm -> RankOutcome.OK;
        Function<Integer, RankTask> session = rank -> new RankSession("test", RankConfigs.same(config(rank == 0
                ? AS_IT_IS : WITHOUT_SHM)), new PrintStream(err, true, StandardCharsets.UTF_8), any -> unreachable);
        assertEquals(RankOutcome.FAILED, run(2, session));
        String shm = "SHM (P2P: " + NO_P2P + ')';
        String net = "NET (P2P: " + NO_P2P + "; SHM: proxyrt.shm.disable is 1)";
        // The rank that finds it second may have been told by the first.
        for (String rank : List.of("test: rank 0: ", "test: rank 1: ")) {
            assertTrue(err().lines().filter(line -> line.startsWith(rank)).anyMatch(
                    line -> line.contains("rank 0 chose " + shm + ", rank 1 " + net)
                            || line.contains("rank 1 chose " + net + ", rank 0 " + shm)), err());
        }
    }

    private RankOutcome ask(Map<?, ?>... options) {
        return run(options.length, rank -> new PeersTask(RankConfigs.same(config(options[rank])),
                Optional.of(new Destination(folder.resolve("peers.json"), null)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8)));
    }

    private static RankOutcome run(int nRanks, Function<Integer, RankTask> tasks) {
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                nRanks)) {
            return RankOutcome.values()[RankThreads.run(0, nRanks,
                    rank -> tasks.apply(rank).run(root.id(), rank, nRanks, () -> { }).ordinal())];
        }
    }

    private ProxyConfig config(Map<?, ?> options) {
        ProxyConfig.Builder builder = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.THREADING, ThreadingMode.INVOKER).set(CollectivesOptions.CHANNELS, 1)
                .set(CoreOptions.DIRECTORY, folder.resolve("runtimes").toString());
        options.forEach((key, value) -> builder.set((String) key, (String) value));
        return builder.build();
    }

    private void assertPrinted(String... lines) {
        List<String> printed = text().lines().toList();
        for (String line : lines) {
            assertTrue(printed.contains(line), "'" + line + "' is missing in\n" + text());
        }
        assertEquals("", err());
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
