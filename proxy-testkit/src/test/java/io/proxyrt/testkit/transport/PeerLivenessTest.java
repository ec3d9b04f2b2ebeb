/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a runtime without a communicator learns of a peer that dies, leaves, or is stopped. */
@Tag(Extent.SCALED)
class PeerLivenessTest {
    /** Ends hangs: what is expected takes milliseconds, and without a watch is never told. */
    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final int MOVED = 20;
    /** More than the buffers of sockets take. */
    private static final int WANTED = 10_000;

    @TempDir
    private Path directory;
    private LoneRank survivor;
    private ChildJvm victim;

    /** How data get from one rank to the other. */
    enum Way {
        SHM("SHM"),
        SHM_COPIED("SHM", "shm.use.memcpy=1", "shm.memcpy.mode=3"),
        P2P("P2P", "p2p.host=1"),
        P2P_COPIED("P2P", "p2p.host=1", "p2p.use.memcpy=1"),
        NET("NET");

        final String transport;
        final List<String> options;

        Way(String transport, String... options) {
            this.transport = transport;
            this.options = List.of(options);
        }
    }

    /** What becomes of the other rank. */
    enum Fate {
        KILLED("died"),
        HALTED("died"),
        EXITED("died"),
        THREW("left: it closed its runtime"),
        EXHAUSTED("left: it closed its runtime");

        final String how;

        Fate(String how) {
            this.how = how;
        }

        void befall(ChildJvm child) throws IOException {
            switch (this) {
                case KILLED -> child.signal("KILL");
                case HALTED -> child.tell("halt");
                case EXITED -> child.tell("exit");
                case THREW -> child.tell("throw");
                case EXHAUSTED -> child.tell("exhaust");
            }
        }
    }

    /** Each way and each fate, in one direction or the other. */
    static Stream<Arguments> matrix() {
        return Extent.sample(6, Stream.of(Way.values()).flatMap(way -> Stream.of(Fate.values())
                .map(fate -> Arguments.of(way, fate,
                        Direction.values()[(way.ordinal() + fate.ordinal()) % Direction.values().length]))));
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void shouldNameAPeerThatIsGoneInMidOperation(Way way, Fate fate, Direction direction) throws IOException {
        run(way, direction, Map.of(), Map.of(), () -> {
            fate.befall(victim);
            await(() -> survivor.proxy.asyncResult().failure() != null);
            ProxyException failure = survivor.proxy.asyncResult().failure();
            assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
            assertTrue(failure.getMessage().contains("rank 1 (pid " + victim.pid() + ")" + (way == Way.NET ? ", channel"
                    : " " + fate.how)), failure.getMessage());
            await(() -> survivor.stream.outstanding() == 0);
            assertTrue(survivor.stream.failure().getMessage().contains("rank 1"));
        });
    }

    @ParameterizedTest
    @CsvSource({"SHM,THREW", "SHM,KILLED", "SHM_COPIED,THREW", "NET,THREW"})
    @Tag(Extent.ONLY_FULL)
    void shouldNameAPeerThatIsGoneWhereTheCallerDrives(Way way, Fate fate) throws IOException {
        run(way, Direction.RECV, Map.of("threading", "invoker"), Map.of(), () -> {
            fate.befall(victim);
            await(() -> survivor.proxy.asyncResult().failure() != null);
            String message = survivor.proxy.asyncResult().failure().getMessage();
            assertTrue(message.contains("rank 1"), message);
        });
    }

    @ParameterizedTest
    @EnumSource(value = Way.class, names = "NET", mode = EnumSource.Mode.EXCLUDE)
    @Tag(Extent.ONLY_FULL)
    void shouldTellThatAPeerDiedThoughNothingIsUnderWay(Way way) throws IOException {
        connect(way, Direction.RECV, Map.of(), Map.of());
        try {
            victim.signal("KILL");
            await(() -> survivor.proxy.asyncResult().failure() != null);
            String message = survivor.proxy.asyncResult().failure().getMessage();
            assertTrue(message.startsWith("rank 1 (pid " + victim.pid() + ") died"), message);
        } finally {
            close();
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag(Extent.ONLY_FULL)
    void shouldFetchWhatAPeerLeftBehind(Way way) throws IOException {
        connect(way, Direction.RECV, Map.of(), Map.of());
        try {
            victim.tell("move 8");
            victim.expect("moved");
            victim.tell("throw");
            victim.line();
            survivor.launch(8);
            await(() -> survivor.stream.outstanding() == 0);
            assertNull(survivor.stream.failure());
            assertNull(survivor.proxy.asyncResult().failure());
        } finally {
            close();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Way.class, names = "NET", mode = EnumSource.Mode.EXCLUDE)
    @Tag(Extent.ONLY_FULL)
    void shouldNameAPeerThatIsStoppedForTooLongAndNoOther(Way way) throws IOException {
        run(way, Direction.RECV, Map.of("peer.silence.timeout", "3s"), Map.of(), () -> {
            victim.signal("STOP");
            await(() -> survivor.proxy.asyncResult().failure() != null);
            String message = survivor.proxy.asyncResult().failure().getMessage();
            assertTrue(message.startsWith("rank 1 (pid " + victim.pid() + ") has not answered for 3000 ms"), message);
            await(() -> survivor.stream.outstanding() == 0);
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag(Extent.ONLY_FULL)
    void shouldGoOnWithAPeerThatWasStopped(Way way) throws IOException {
        run(way, Direction.RECV, Map.of(), Map.of(), () -> {
            victim.signal("STOP");
            long startNs = System.nanoTime();
            await(() -> System.nanoTime() - startNs > Duration.ofSeconds(3).toNanos());
            victim.signal("CONT");
            victim.tell("move " + (WANTED - MOVED));
            victim.expect("moved");
            await(() -> survivor.stream.outstanding() == 0);
            assertNull(survivor.proxy.asyncResult().failure());
        });
    }

    @ParameterizedTest
    @CsvSource({"SHM", "P2P"})
    @Tag(Extent.ONLY_FULL)
    void shouldLetAPeerComputeThatDrivesItsRuntimeItself(Way way) throws IOException {
        run(way, Direction.RECV, Map.of("peer.silence.timeout", "1s"), Map.of("threading", "invoker"), () -> {
            long startNs = System.nanoTime();
            await(() -> System.nanoTime() - startNs > Duration.ofSeconds(3).toNanos());
            assertNull(survivor.proxy.asyncResult().failure());
            victim.signal("KILL");
            await(() -> survivor.proxy.asyncResult().failure() != null);
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Tag(Extent.ONLY_FULL)
    void shouldSayWhatWaits(Way way) throws IOException {
        run(way, Direction.RECV, Map.of(), Map.of(), () -> {
            String dump = survivor.proxy.dump().join().toString();
            assertTrue(dump.contains("waits for step " + (MOVED + 1) + " from rank 1, channel 0 (" + way.transport),
                    dump);
        });
    }

    private interface Harm {
        void run() throws IOException;
    }

    /** Does harm when some of what was asked for has moved, and the rest is waited for. */
    private void run(Way way, Direction direction, Map<String, String> ofSurvivor, Map<String, String> ofVictim,
            Harm harm) throws IOException {
        connect(way, direction, ofSurvivor, ofVictim);
        try {
            survivor.launch(WANTED);
            victim.tell("launch " + MOVED);
            victim.expect("launched");
            int moved = direction == Direction.RECV ? MOVED : MOVED + 8;
            await(() -> survivor.stream.moves() >= moved);
            harm.run();
        } finally {
            close();
        }
    }

    private void connect(Way way, Direction direction, Map<String, String> ofSurvivor, Map<String, String> ofVictim)
            throws IOException {
        Direction other = direction == Direction.SEND ? Direction.RECV : Direction.SEND;
        List<String> arguments = new ArrayList<>(List.of("1", other.name(), directory.toString(), way.transport));
        arguments.addAll(way.options);
        ofVictim.forEach((key, value) -> arguments.add(key + "=" + value));
        Map<String, String> options = new java.util.HashMap<>(ofSurvivor);
        way.options.forEach(option -> options.put(option.split("=")[0], option.split("=")[1]));
        survivor = new LoneRank(0, direction, directory, options);
        victim = new ChildJvm(List.of("env", "JAVA_TOOL_OPTIONS=-Xmx128m"), LoneRank.class,
                arguments.toArray(String[]::new));
        victim.tell("info");
        String mine = survivor.setUp(victim.line(), way.transport);
        victim.tell("setup " + survivor.info());
        String theirs = victim.line();
        victim.tell("connect " + mine);
        CompletableFuture<?> connected = survivor.connect(theirs);
        await(connected::isDone);
        connected.join();
        victim.expect("connected");
    }

    private void await(BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - startNs < BOUND.toNanos(), "not within " + BOUND + "; waiting are "
                    + survivor.stream.describe() + ", result " + survivor.proxy.asyncResult().failure());
            survivor.drive();
        }
    }

    private void close() {
        if (victim != null) {
            victim.close();
        }
        survivor.close();
    }
}
