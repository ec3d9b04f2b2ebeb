/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JitSettlingTest {
    private static final Duration WARMUP = Duration.ofMillis(800);
    /** An eighth of the warm-up in calls of a millisecond, and a round that had begun. */
    private static final int MOST_CALLS = 100 + 16;

    @TempDir
    private Path directory;
    private int calls;

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldNotTakeLongWhereCallsTakeLong(int share) {
        settle(share);
        assertTrue(calls > 0 && calls <= share * MOST_CALLS, calls + " calls");
    }

    private void settle(int share) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, directory.toString()).build();
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
                Communicator comm = Communicator.init(root.id(), 0, 1, config);
                ControlChannel control = new ControlChannel(comm)) {
            new JitSettling(control, (variant, bytes, isInPlace, count) -> call(count), WARMUP, share)
                    .settle(null, 8, false);
        }
    }

    private void call(int count) {
        calls += count;
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(count);
        while (System.nanoTime() - untilNs < 0) {
            Thread.onSpinWait();
        }
    }
}
