/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.cli.view.Palette;
import io.proxyrt.core.Direction;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryTableTest {
    @TempDir
    private Path base;
    private ProxyConfig config;
    private RuntimeDirectory directory;
    private Counters counters;

    @BeforeEach
    void open() {
        config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, base.toString()).build();
        directory = RuntimeDirectory.create(config, 3);
        counters = Counters.create(directory.path().resolve("counters"), "a job", 3, 4);
    }

    @AfterEach
    void close() {
        counters.close();
        directory.close();
    }

    @Test
    void shouldShowConnectionsByTransportAndPeer() {
        share("SHM", 0x100000002L, 2, Direction.SEND).add(MemoryUse.LL, 4096);
        MemoryAccount net = share("NET", 0x100000003L, 1, Direction.RECV);
        net.add(MemoryUse.SIMPLE, 1 << 20);
        net.add(MemoryUse.CONTROL, 384);

        assertEquals(List.of(
                "rank 3: bytes of memory by connection",
                "transport   peer         connection    control         LL      LL128     Simple     shared      total",
                "NET            1 recv     100000003        384          0          0    1048576          0    1048960",
                "SHM            2 send     100000002          0       4096          0          0          0       4096",
                ""), MemoryTable.lines(view()));
    }

    @Test
    void shouldSayHowManyItDoesNotShow() {
        for (int i = 1; i <= 1027; i++) {
            share("NET", i, 1, Direction.SEND).add(MemoryUse.LL, 10);
        }
        List<String> lines = MemoryTable.lines(view());
        assertEquals(1024 + 4, lines.size());
        assertEquals("and 3 for which the file has no room; the sums above have them", lines.get(1026));
        assertEquals(10_270, view().counters().get("mem LL bytes").value());
    }

    @Test
    void shouldSayNothingWhereThereIsNothing() {
        assertEquals(List.of(), MemoryTable.lines(view()));
    }

    @Test
    void shouldPrintMemoryOnlyWhenAsked() {
        share("NET", 5, 1, Direction.SEND);
        for (boolean withMemory : new boolean[] {true, false}) {
            StringWriter text = new StringWriter();
            new Watch(new RuntimeChoice(config, null), new PrintWriter(text),
                    new StatStyle(true, withMemory, false, false, new Palette(false)), Optional.empty()).once();
            assertEquals(withMemory, text.toString().contains("rank 3: bytes of memory by connection"));
        }
    }

    private RuntimeView view() {
        return RuntimeView.all(new RuntimeChoice(config, null), System.currentTimeMillis()).getFirst();
    }

    private MemoryAccount share(String transport, long connection, int peer, Direction direction) {
        return counters.memory().open(transport, connection, peer, direction);
    }
}
