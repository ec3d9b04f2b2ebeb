/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.SetupRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Closing ends in time, whatever the peers do, and says what it gave up. */
class CloseInTimeTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    @TempDir
    Path directory;

    private final ScriptedTransport transport = ScriptedTransport.stuck();
    private Holdings before;
    private ProxyState proxy;

    /** Libraries stay mapped. */
    @BeforeAll
    static void loadLibraries(@TempDir Path directory) {
        Ranks.start(0, directory, ScriptedTransport.stuck(), Map.of()).close();
    }

    @BeforeEach
    void start() {
        before = Holdings.now();
        // Within its grace a peer that is gone may still come back: its ops are in flight until then.
        proxy = Ranks.start(0, directory, transport, Map.of("peer.grace", "60s"));
    }

    @AfterEach
    void holdNothing() {
        proxy.close();
        assertEquals(0, transport.live());
        assertEquals(before.threads(), Holdings.now().threads());
        assertEquals(before.mappings(), Holdings.now().mappings());
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldCloseWhileAPeerIsStopped() throws IOException {
        try (ChildJvm child = child()) {
            postStuckOp(child);
            child.signal("STOP");
            assertNames(close(), "op 2", "peer 3");
        }
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldCloseAfterAPeerWasKilled() throws IOException {
        try (ChildJvm child = child()) {
            postStuckOp(child);
            child.signal("KILL");
            assertNames(close(), "op 2", "peer 3");
        }
    }

    @Test
    void shouldNotWaitForOpsThatStandStillAfterAFailure() throws IOException {
        try (ChildJvm child = child()) {
            postStuckOp(child);
            proxy.stream("stream").launch(new BrokenKernel());
            CloseReport report = proxy.close(Duration.ofMinutes(1));
            assertNames(report, "op 2", "peer 3");
            assertTrue(report.took().compareTo(Duration.ofSeconds(30)) < 0, "they will not move: " + report);
        }
    }

    @Test
    void shouldCloseWhileAPeerIsHalfOpen() throws IOException {
        try (Socket half = new Socket("127.0.0.1", Ranks.port(proxy))) {
            half.getOutputStream().write('P');
            CloseReport report = close();
            assertTrue(report.isClean(), report.toString());
            assertTrue(report.took().compareTo(Duration.ofSeconds(2)) < 0, "nothing to wait for: " + report);
        }
    }

    @Test
    void shouldCloseWhileAHandlerIsPendingForEver() {
        transport.pendingTurns(Integer.MAX_VALUE);
        try (ServiceClient client = proxy.client(proxy.serviceAddress())) {
            long id = Ranks.init(client, 3);
            var setup = client.callAsync(id, new SetupRequest(Ranks.NOTHING));
            await(Counter.RPC_PENDING, 1);
            CloseReport report = close();
            assertNames(report, "SETUP of rank 0", "to rank 3 is pending for");
            assertTrue(setup.isCompletedExceptionally(), "its caller hears of it");
            assertTrue(report.took().compareTo(Duration.ofSeconds(2)) < 0, "nothing to wait for: " + report);
        }
    }

    @Test
    void shouldCloseAfterAUdsClientVanished() throws IOException {
        var memory = proxy.device().allocateShareable(4096);
        long handle = proxy.memory().export(memory, java.util.Set.of(1));
        try (ChildJvm child = child()) {
            child.tell("open " + proxy.memory().address() + " " + Long.toHexString(handle));
            child.expect("opened 4096");
            child.signal("KILL");
            CloseReport report = close();
            assertTrue(report.isClean(), report.toString());
            assertTrue(report.took().compareTo(Duration.ofSeconds(2)) < 0, "nothing to wait for: " + report);
        }
    }

    @Test
    void shouldCloseWhileACallWaitsForASilentUdsThread() throws Exception {
        Path path = directory.resolve("silent");
        try (ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            silent.bind(UnixDomainSocketAddress.of(path));
            CompletableFuture<?> waiting = CompletableFuture.runAsync(
                    () -> proxy.memory().getFd(path.toString(), Duration.ofMinutes(2), 1));
            silent.accept();
            assertTrue(close().took().compareTo(Duration.ofSeconds(2)) < 0, "closing does not wait");
            assertEnds(waiting);
        }
    }

    @Test
    void shouldWaitForNoSilentUdsThreadOnceTheJobHasFailed() throws Exception {
        Path path = directory.resolve("silent");
        try (ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            silent.bind(UnixDomainSocketAddress.of(path));
            CompletableFuture<?> waiting = CompletableFuture.runAsync(
                    () -> proxy.memory().getFd(path.toString(), Duration.ofMinutes(2), 1));
            silent.accept();
            proxy.abort(new ProxyException(ProxyResult.REMOTE_ERROR, "rank 1 is stopped"));
            assertTrue(assertEnds(waiting).getMessage().endsWith("rank 1 is stopped"));
        }
    }

    @Test
    void shouldCloseAClientWhileACallWaitsForASilentService() throws Exception {
        try (ServerSocketChannel silent = ServerSocketChannel.open()) {
            silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ServiceClient client = proxy.client(silent.getLocalAddress());
            CompletableFuture<?> waiting = CompletableFuture.runAsync(
                    () -> client.callBlocking(0, new CloseRequest(), Ranks.TIMEOUT));
            silent.accept();
            long start = System.nanoTime();
            client.close();
            assertTrue(System.nanoTime() - start < 2_000_000_000L, "closing does not wait");
            assertTrue(close().took().compareTo(Duration.ofSeconds(2)) < 0, "closing does not wait");
            assertEnds(waiting);
        }
    }

    private static ProxyException assertEnds(CompletableFuture<?> waiting) {
        ExecutionException end = assertThrows(ExecutionException.class, () -> waiting.get(60, TimeUnit.SECONDS));
        return assertInstanceOf(ProxyException.class, end.getCause());
    }

    private ChildJvm child() throws IOException {
        ChildJvm child = new ChildJvm(List.of(), ChildRank.class, "1", Integer.toString(Ranks.port(proxy)),
                        directory.toString());
        child.expect("ready");
        return child;
    }

    private void postStuckOp(ChildJvm child) {
        child.tell("connect");
        String id = child.line();
        child.tell("post " + id);
        child.expect("posted");
        await(Counter.ARGS_ACTIVE, 1);
    }

    private void await(Counter counter, long value) {
        Await.until(() -> proxy.counters().get(counter) == value,
                () -> counter + " is " + proxy.counters().get(counter));
    }

    private CloseReport close() {
        long start = System.nanoTime();
        CloseReport report = proxy.close(LIMIT);
        long ms = (System.nanoTime() - start) / 1_000_000;
        assertTrue(ms <= LIMIT.toMillis(), "close took " + ms + " ms");
        return report;
    }

    private static void assertNames(CloseReport report, String... words) {
        String text = String.join("\n", report.abandoned());
        for (String word : words) {
            assertTrue(text.contains(word), "'" + word + "' is not in the report: " + text);
        }
    }

    private static final class BrokenKernel implements HostKernel {
        @Override
        public int doWork() {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, "on purpose");
        }

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public void onRetired(boolean isDropped) {
        }

        @Override
        public String toString() {
            return "a broken kernel";
        }
    }
}
