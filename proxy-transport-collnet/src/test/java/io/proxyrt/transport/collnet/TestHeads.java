/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.progress.ProgressAgent;
import io.proxyrt.core.progress.ProxyConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Heads of one network, connected with each other. At the end nothing of them may be left. One thread. */
final class TestHeads implements AutoCloseable {
    static final long BUFFER_BYTES = 32L << 10;
    static final ProxyConfig CONFIG = ProxyConfig.builder().environment(Map.of())
            .set(CoreOptions.BUFFER_BYTES, BUFFER_BYTES).build();

    final SimulatedCollNet net;
    final Counters counters;
    final List<TestHead> all = new ArrayList<>();
    private final Path folder;

    TestHeads(Path folder, SimulatedCollNet net, int count) {
        this.folder = folder;
        this.net = net;
        this.counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
        for (int rank = 0; rank < count; rank++) {
            all.add(new TestHead(rank, net, CONFIG, counters));
        }
    }

    static TestHeads connected(Path folder, SimulatedCollNet net, int count, int channels) {
        TestHeads heads = new TestHeads(folder, net, count);
        TestHead.connect(heads.all, channels);
        return heads;
    }

    /** Gives a connection up, as the progress thread does when an op does not end in time or is cancelled. */
    void giveUp(ProxyConnection connection, ProxyException cause) {
        try (OpsPool pool = OpsPool.create(folder.resolve("ops"), 0, CONFIG)) {
            ProgressAgent agent = new ProgressAgent(0, pool, any -> connection, counters, new AsyncResult(counters),
                    CONFIG, System::nanoTime, any -> { });
            agent.abort(List.of(connection), cause);
            agent.doWork();
        }
        assertSame(cause, connection.failure());
    }

    @Override
    public void close() {
        for (TestHead head : all) {
            head.ends.forEach(TestHead.End::free);
            assertEquals("", head.transport.memory().audit());
            assertEquals(0, head.transport.memory().usedBytes());
            assertEquals(0, head.transport.shared());
            head.ends.clear();
            head.close();
        }
        assertEquals(List.of(), counters.memory().open());
        assertEquals(0, net.open, "something of the network was not closed");
        counters.close();
    }
}
