/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.PeerConnector.LinkId;
import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.RuntimeHealth;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.LlLines;
import io.proxyrt.core.device.MessageKernel;
import io.proxyrt.core.device.MessageSteps;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.core.runtime.OpPlan;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.StreamWait;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RankRuntimeTest {
    private static final long BYTES = 5000;

    @TempDir
    private Path directory;

    private ProxyConfig.Builder config(ThreadingMode mode) {
        return InProcessRanks.config(directory, mode);
    }

    @Test
    void shouldKnowItsPlaceAndTheOthers() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.SHARED).build(), runtime -> {
            assertEquals(2, runtime.nRanks());
            assertEquals(runtime.rank(), runtime.proxy().rank());
            assertEquals(1 - runtime.rank(), runtime.peers().info(1 - runtime.rank()).rank());
            RuntimeHealth health = runtime.proxy().health(Duration.ZERO);
            assertTrue(health.isHealthy() && health.rank() == runtime.rank(), health::toString);
            assertTrue(runtime.close(Duration.ofSeconds(5)).isClean());
        });
    }

    @Test
    void shouldConnectTheSameRankSeveralTimes() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.DEDICATED).build(), runtime -> {
            int peer = 1 - runtime.rank();
            for (int channel : new int[] {1, 0}) {
                PeerLink link = runtime.peers().connect(new LinkId("NET", channel, 0), InProcessRanks.TIMEOUT, _ -> { },
                        peer).getFirst();
                assertEquals(peer, link.peer());
                assertEquals(channel, link.send().connector().request().channelId());
                assertTrue(link.recv().needsProxy());
            }
            assertEquals(List.of(), runtime.connect());
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
        });
    }

    @Test
    void shouldTakeAdaptersInTurnThatThereAre() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.SHARED).build(), runtime -> {
            int count = runtime.proxy().adapters().size();
            for (int[] wrong : new int[][] {{}, {-1}, {count}, {0, Integer.MAX_VALUE}}) {
                assertEquals(ProxyResult.INVALID_ARGUMENT,
                        assertThrows(ProxyException.class, () -> runtime.peers().adapters(wrong)).result());
            }
            runtime.peers().adapters(count - 1, 0);
            int peer = 1 - runtime.rank();
            for (int channel = 0; channel < 3; channel++) {
                PeerLink link = runtime.peers().connect(new LinkId("NET", channel, 0), InProcessRanks.TIMEOUT, _ -> { },
                        peer).getFirst();
                assertEquals(channel == 1 ? 0 : count - 1, link.send().connector().request().adapter());
            }
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 1 0", "0 1 1", "0 2", "0 -1"})
    void shouldConnectWithOtherRanksOnceEach(String text) throws Exception {
        int[] named = Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).skip(1).toArray();
        List<Throwable> failures = InProcessRanks.failures(2, config(ThreadingMode.SHARED).build(), runtime -> {
            if (runtime.rank() == 0) {
                ProxyException e = assertThrows(ProxyException.class, () -> runtime.connect(named));
                assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
                throw e;
            }
            runtime.connect(0);
        });
        String own = failures.getFirst().getMessage();
        assertTrue(own.startsWith("rank 0: rank ") && own.contains(" is "), own);
        assertTrue(failures.get(1).getMessage().contains(own.substring("rank 0: ".length())), failures::toString);
    }

    @Test
    void shouldSayThatRanksNameDifferentTransports() throws Exception {
        List<Throwable> failures = InProcessRanks.failures(2, config(ThreadingMode.SHARED).build(), runtime ->
                runtime.connect(runtime.rank() == 0 ? "SHM" : "NET", 1 - runtime.rank()));
        for (Throwable failure : failures) {
            assertTrue(failure instanceof ProxyException && failure.getMessage().matches(
                    ".*have to use the same transport between them, but rank . chose .*SHM.*")
                    && failure.getMessage().contains("NET"), failures::toString);
        }
    }

    @Test
    void shouldCloseOnceOnly() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.DEDICATED).build(), runtime -> {
            runtime.connect(1 - runtime.rank());
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
            Thread.currentThread().interrupt();
            assertSame(runtime.close(Duration.ofSeconds(5)), runtime.close(Duration.ZERO));
            assertTrue(Thread.interrupted(), "the interruption was swallowed");
        });
    }

    /** What shares the runtime counts once, however its end goes. */
    @Test
    void shouldGoOnWhenThePartWasNotClosedAtOnce() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.DEDICATED).build(), runtime -> {
            try (RankRuntime part = runtime.split(0, 0)) {
                assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                        () -> part.close(Duration.ofSeconds(-1))).result());
            }
            runtime.connect(1 - runtime.rank());
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
        });
    }

    /** A network's proxy has those of one connIndex and peer share slots. */
    @Test
    void shouldKeepConnectionsOfAPartFromThoseOfTheJob() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.DEDICATED).build(), runtime -> {
            PeerLink whole = runtime.connect("NET", 1 - runtime.rank()).getFirst();
            try (RankRuntime part = runtime.split(0, 0)) {
                PeerLink own = part.connect("NET", 1 - part.rank()).getFirst();
                assertEquals(1, whole.send().connector().request().connIndex());
                assertEquals(255, own.send().connector().request().connIndex());
                assertEquals(255, own.recv().connector().request().connIndex());
                runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
            }
        });
    }

    @Test
    void shouldListConnectionsThatAreNotGivenBack() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.DEDICATED).build(), runtime -> {
            RankRuntime part = runtime.split(0, 0);
            part.connect(1 - runtime.rank());
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
            runtime.proxy().close(Duration.ofSeconds(5));
            assertFalse(part.close(Duration.ofSeconds(5)).isClean());
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
        });
    }

    /** The kernel that was waited for is dropped, which is not the same as finished. */
    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = {"DEDICATED", "SHARED"})
    void shouldEndAWaitWhoseRuntimeIsClosed(ThreadingMode mode) throws Exception {
        List<Throwable> failures = InProcessRanks.failures(2, config(mode).build(), runtime -> {
            PeerLink link = runtime.connect("SHM", 1 - runtime.rank()).getFirst();
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
            if (runtime.rank() == 1) {
                receive(runtime, link, InProcessRanks.TIMEOUT);
            }
            HostStream stream = runtime.proxy().stream("stream");
            StreamWait wait = runtime.waitFor(stream, runtime.proxy().poster());
            stream.launch(new MessageKernel(List.of(
                    MessageSteps.receiving(link.recv().device(), Arena.ofAuto().allocate(BYTES)))));
            CompletableFuture<CloseReport> closed = CompletableFuture.supplyAsync(() ->
                    runtime.proxy().close(Duration.ofMillis(100)));
            try {
                wait.await(InProcessRanks.TIMEOUT);
            } finally {
                assertFalse(closed.join().isClean());
            }
        });
        assertTrue(failures.getFirst() instanceof ProxyException && failures.getFirst().getMessage().matches(
                "rank 0: the runtime was closed; stream: 1 kernel launched and not finished; .*"), failures::toString);
        assertTrue(failures.get(1) instanceof ProxyException, failures::toString);
    }

    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void shouldSayThatItIsClosedToWhoGoesOn(ThreadingMode mode) throws Exception {
        for (OpsPoolKind pool : OpsPoolKind.values()) {
            InProcessRanks.run(1, config(mode).set(CoreOptions.OPS_POOL, pool).build(), runtime -> {
                ProxyState proxy = runtime.proxy();
                OpsPoster poster = proxy.poster();
                OpsPoster filled = proxy.poster();
                filled.append(1);
                long passes = proxy.counters().get(Counter.PROGRESS_PASSES);
                proxy.close();
                assertClosed(() -> poster.append(1));
                assertClosed(() -> poster.append(1, new ProxyOpEncoder()));
                assertClosed(poster::outstanding);
                assertClosed(poster::room);
                assertClosed(filled::post);
                filled.close();
                poster.close();
                poster.close();
                assertTrue(proxy.counters().get(Counter.PROGRESS_PASSES) >= passes);
                assertClosed(proxy::dump);
                assertClosed(() -> proxy.cancel(1, 1));
            });
        }
    }

    private static void assertClosed(Executable call) {
        ProxyException e = assertThrows(ProxyException.class, call);
        assertEquals(ProxyResult.INVALID_USAGE, e.result());
        assertTrue(e.getMessage().matches(".*rank 0.* (was|is) closed"), e::getMessage);
    }

    /** What a wait looks at is freed then; as it is for one that sleeps when its runtime is closed. */
    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void shouldNotWaitForAClosedRuntime(ThreadingMode mode) throws Exception {
        InProcessRanks.run(1, config(mode).build(), runtime -> {
            StreamWait wait = runtime.waitFor(runtime.proxy().stream("stream"), runtime.proxy().poster());
            runtime.proxy().close();
            ProxyException e = assertThrows(ProxyException.class, () -> wait.await(InProcessRanks.TIMEOUT));
            assertEquals(ProxyResult.INVALID_USAGE, e.result());
            assertTrue(e.getMessage().endsWith("rank 0: the runtime was closed"), e::getMessage);
        });
    }

    @Test
    void shouldSayWhichRankDidNotConnect() throws Exception {
        ProxyConfig config = config(ThreadingMode.SHARED).set(CoreOptions.CONNECT_TIMEOUT, Duration.ofSeconds(3))
                .build();
        List<Throwable> failures = InProcessRanks.failures(2, config, runtime -> {
            if (runtime.rank() == 0) {
                runtime.connect(1);
            } else {
                runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
            }
        });
        for (Throwable failure : failures) {
            assertTrue(failure instanceof ProxyException
                    && failure.getMessage().contains("rank 1 has not taken part within 3000 ms"), failure::toString);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadingMode.class)
    void shouldEndWaitsOfAllRanksWhenOneFails(ThreadingMode mode) throws Exception {
        List<Throwable> failures = InProcessRanks.failures(3, config(mode).build(), runtime -> {
            int[] others = runtime.rank() == 0 ? new int[] {1, 2} : new int[] {0};
            List<PeerLink> links = runtime.connect("", others);
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
            if (runtime.rank() == 2) {
                throw runtime.fail(new IllegalStateException("no more of this"));
            }
            receive(runtime, links.getLast(), InProcessRanks.TIMEOUT);
        });
        assertTrue(failures.getLast().getMessage().contains("no more of this"), failures::toString);
        assertTrue(failures.getFirst().getMessage().matches("rank 0: .*rank 2 .*"), failures::toString);
        assertTrue(failures.get(1).getMessage().matches("rank 1: .*rank 2 .*"), failures::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHM", "NET"})
    void shouldSayWhatStoodStill(String transport) throws Exception {
        List<Throwable> failures = InProcessRanks.failures(2, config(ThreadingMode.DEDICATED).build(), runtime -> {
            PeerLink link = runtime.connect(transport, 1 - runtime.rank()).getFirst();
            if (runtime.rank() == 0) {
                receive(runtime, link, Duration.ofMillis(300));
            } else {
                runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
            }
        });
        String message = failures.getFirst().getMessage();
        assertEquals(ProxyResult.TIMEOUT, ((ProxyException) failures.getFirst()).result());
        assertTrue(message.startsWith("rank 0: nothing has moved for 300 ms: rank 1 (pid "), message);
        assertTrue(message.contains("has not called what others wait for"), message);
        assertTrue(message.contains("receive of 5000 bytes waits for step 1 from rank 1"), message);
        assertTrue(failures.get(1).getMessage().contains("nothing has moved for 300 ms"), failures::toString);
    }

    @Test
    void shouldEndAWaitThatIsInterrupted() throws Exception {
        List<Throwable> failures = InProcessRanks.failures(2, config(ThreadingMode.SHARED).build(), runtime -> {
            PeerLink link = runtime.connect(1 - runtime.rank()).getFirst();
            if (runtime.rank() == 0) {
                Thread.currentThread().interrupt();
                ProxyException e = assertThrows(ProxyException.class,
                        () -> receive(runtime, link, InProcessRanks.TIMEOUT));
                assertTrue(Thread.interrupted(), "the interruption was swallowed");
                throw e;
            }
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
        });
        assertEquals(ProxyResult.INVALID_USAGE, ((ProxyException) failures.getFirst()).result());
        assertTrue(failures.get(1).getMessage().contains("interrupted while waiting"), failures::toString);
    }

    @Test
    void shouldPlanWhatFollowsFromTheSize() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.DEDICATED).build(), runtime -> {
            PeerLink link = runtime.peers().connect(new LinkId("NET", 0, 0), InProcessRanks.TIMEOUT, _ -> { },
                    1 - runtime.rank()).getFirst();
            long slot = link.send().device().stepBytes(Protocol.SIMPLE);
            assertEquals(1, OpPlan.of(link.send(), 0).nsteps());
            assertEquals(1, OpPlan.of(link.send(), slot).nsteps());
            assertEquals(2, OpPlan.of(link.send(), slot + 1).nsteps());
            assertEquals(LlLines.dataBytes(link.recv().device().stepBytes(Protocol.LL)),
                    OpPlan.of(link.recv(), Protocol.LL, 1).stepBytes());
            assertNull(OpPlan.of(link.recv(), 3 * slot).op().fault());
            assertEquals(link.recv().id(), OpPlan.of(link.recv(), 1).op().connection());
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    assertThrows(ProxyException.class, () -> OpPlan.of(link.send(), -1)).result());
            runtime.bootstrap().barrier(InProcessRanks.TIMEOUT);
        });
    }

    @Test
    void shouldSayWhichRankDidNotJoin() {
        ProxyConfig config = config(ThreadingMode.SHARED).set(BootstrapOptions.JOIN_TIMEOUT, Duration.ofSeconds(1))
                .build();
        try (BootstrapRoot root = Jobs.root(2)) {
            ProxyException e = assertThrows(ProxyException.class, () -> RankRuntime.join(root.id(), 0, 2, config));
            assertEquals(ProxyResult.TIMEOUT, e.result());
            assertTrue(e.getMessage().matches(".*rank(s:)? 1\\b.*"), e.getMessage());
        }
    }

    @Test
    void shouldNotTakeTwoLinksForOne() {
        assertFalse(new LinkId("", 0, 1).equals(new LinkId("", 1, 0)));
        for (int[] wrong : new int[][] {{-1, 0}, {128, 0}, {0, -1}, {0, 256}}) {
            assertThrows(ProxyException.class, () -> new LinkId("", wrong[0], wrong[1]));
        }
    }

    /** Something that its peer never sends. */
    private static void receive(RankRuntime runtime, PeerLink link, Duration timeout) {
        HostStream stream = runtime.proxy().stream("stream");
        try (OpsPoster poster = runtime.proxy().poster()) {
            OpPlan.of(link.recv(), BYTES).append(poster, 1);
            poster.post();
            stream.launch(new MessageKernel(List.of(
                    MessageSteps.receiving(link.recv().device(), Arena.ofAuto().allocate(BYTES)))));
            runtime.waitFor(stream, poster).await(timeout);
        }
    }
}
