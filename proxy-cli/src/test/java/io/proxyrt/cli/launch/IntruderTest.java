/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.OtherUser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Takes a rank's place in a job whose id it knows, before the rightful rank comes. */
@Tag(Extent.ONLY_FULL)
class IntruderTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    @TempDir
    private Path folder;

    @Test
    void shouldBeRefusedAsAnotherUserWhereTheRanksHaveNoSecret() throws Exception {
        assumeTrue(OtherUser.whyNot().isEmpty(), OtherUser::whyNot);
        InetSocketAddress place = place();
        try (OtherUser other = new OtherUser(place)) {
            assertKeptOut(place, Map.of(), UniqueId.of(other.address(), ""), "user " + OtherUser.UID
                    + " is not admitted");
        }
    }

    @Test
    void shouldBeRefusedWithoutTheSecretOfTheRanks() throws Exception {
        InetSocketAddress place = place();
        assertKeptOut(place, Map.of("PROXYRT_SECRET", "between the ranks"), UniqueId.of(place, ""), "another secret");
    }

    private void assertKeptOut(InetSocketAddress place, Map<String, String> environment, UniqueId id, String reason)
            throws Exception {
        Thread[] intruder = new Thread[1];
        try (PerfProcess zero = rank(0, place, environment)) {
            CompletableFuture<Void> joined = intrude(id, intruder);
            zero.awaitErr(reason);
            intruder[0].interrupt();
            assertThrows(ExecutionException.class, joined::get);
            try (PerfProcess one = rank(1, place, environment)) {
                assertEquals(0, zero.await(LONG), zero::toString);
                assertEquals(0, one.await(LONG), one::toString);
            }
        }
    }

    private static CompletableFuture<Void> intrude(UniqueId id, Thread[] thread) {
        CompletableFuture<Void> joined = new CompletableFuture<>();
        thread[0] = Thread.ofPlatform().start(() -> {
            ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.SECRET, "").build();
            try (Bootstrap bootstrap = Bootstrap.join(id, 1, 2, LONG, config)) {
                bootstrap.barrier(LONG);
                joined.complete(null);
            } catch (RuntimeException e) {
                joined.completeExceptionally(e);
            }
        });
        return joined;
    }

    private PerfProcess rank(int rank, InetSocketAddress place, Map<String, String> given) throws IOException {
        Map<String, String> environment = new HashMap<>(given);
        environment.putAll(Map.of("PROXYRT_RANK", Integer.toString(rank), "PROXYRT_NRANKS", "2"));
        return new PerfProcess(folder, environment, "perf", "all_reduce", "-e", "1K", "-n", "2", "-w", "0",
                "--jit-warmup", "0", "--rendezvous", "127.0.0.1:" + place.getPort());
    }

    private static InetSocketAddress place() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return (InetSocketAddress) free.getLocalSocketAddress();
        }
    }
}
