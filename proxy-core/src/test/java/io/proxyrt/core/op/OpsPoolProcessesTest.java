/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.FullPolicy;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.MappedFile;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Posters in other processes, and how they die. */
@Tag("scaled")
class OpsPoolProcessesTest {
    private static final int LANES = 2;
    private static final int KILLS = System.getProperty("tests", "short").equals("short") ? 20 : 100;
    private static final long ENDLESS = Long.MAX_VALUE;

    @TempDir
    Path directory;

    private OpsPool pool;
    private OpsFetcher fetcher;
    /** How many ops of each poster came so far. */
    private final long[] next = new long[KILLS + LANES];

    @BeforeEach
    void create() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.LANES, LANES)
                .set(CoreOptions.LANE_CAPACITY, 64).build();
        pool = OpsPool.create(path(), 0, config);
        fetcher = pool.fetcher();
    }

    @AfterEach
    void close() {
        pool.audit();
        pool.close();
    }

    @Test
    void shouldCarryTheOpsOfAnotherProcess() throws Exception {
        Process child = ChildPoster.start(path(), 0, 10_000, FullPolicy.BLOCK);
        while (child.isAlive()) {
            fetch();
            pool.audit();
        }
        fetch();
        assertEquals(0, child.waitFor());
        assertEquals(10_000 * ChildPoster.BATCH, next[0]);
        assertEquals(0, pool.outstanding());
        assertTrue(pool.isEveryPostHeard(), "its lane is free again");
    }

    @Test
    void shouldBalanceHoweverOftenAPosterIsKilled() throws Exception {
        Random random = new Random(42);
        Process[] children = new Process[LANES];
        int[] ids = new int[LANES];
        long[] killAt = new long[LANES];
        int started = 0;
        for (int kills = 0; kills < KILLS; ) {
            for (int i = 0; i < LANES; i++) {
                if (children[i] == null) {
                    ids[i] = started++;
                    killAt[i] = 1 + random.nextInt(5_000);
                    children[i] = ChildPoster.start(path(), ids[i], ENDLESS, FullPolicy.BLOCK);
                }
            }
            fetch();
            pool.audit();
            for (int i = 0; i < LANES; i++) {
                if (next[ids[i]] >= killAt[i]) {
                    children[i].destroyForcibly();
                    assertTrue(children[i].waitFor(2, TimeUnit.MINUTES));
                    fetch();
                    assertEquals(0, next[ids[i]] % ChildPoster.BATCH, "a batch comes whole or not at all");
                    assertEquals(1, pool.reap());
                    children[i] = null;
                    kills++;
                }
                assertTrue(children[i] == null || children[i].isAlive(), "a child died of itself");
            }
        }
        for (Process child : children) {
            if (child != null) {
                child.destroyForcibly().waitFor();
            }
        }
        fetch();
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldKnowThatAPosterElsewhereCannotWakeItWithoutAFutex() throws Exception {
        assertFalse(Platform.find().whyNot().isEmpty(), "this module has no platform");
        assertTrue(pool.isEveryPostHeard());
        Process child = ChildPoster.start(path(), 0, ENDLESS, FullPolicy.BLOCK);
        while (fetch() == 0) {
            assertTrue(child.isAlive());
        }
        assertFalse(pool.isEveryPostHeard());
        child.destroyForcibly().waitFor();
        assertFalse(pool.isEveryPostHeard(), "the death was not noticed yet");
        assertEquals(1, pool.reap());
        assertTrue(pool.isEveryPostHeard());
        fetch();
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldLetAFullLaneFailInAnotherProcess() throws Exception {
        Process child = ChildPoster.start(path(), 0, ENDLESS, FullPolicy.FAIL);
        assertTrue(child.waitFor(20, TimeUnit.SECONDS));
        assertEquals(1, child.exitValue());
        assertEquals(60, fetch(), "what was posted before it failed is there: whole batches");
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldTellAPosterThatTheProxyHasLeft() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).build();
        try (OpsPoolClient client = OpsPoolClient.open(path(), config);
                OpsPoster poster = client.poster()) {
            pool.close();
            for (int i = 0; i < 64; i++) {
                poster.append(i);
            }
            poster.post();
            ProxyException gone = assertThrows(ProxyException.class, () -> poster.append(64));
            assertEquals(ProxyResult.REMOTE_ERROR, gone.result());
        }
        create();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, does not begin like one", "8, 1, version 1", "20, 8, ops have 8 bytes", "12, 3, do not fit",
        "16, 63, do not fit", "16, -64, do not fit", "52, 2, not of kind LANES", "24, 999999999, its proxy is gone"})
    void shouldRefuseAFileThatIsNoPool(long offset, int value, String why) {
        try (MappedFile file = MappedFile.open(path(), 1024)) {
            file.segment().set(ValueLayout.JAVA_INT, offset, value);
        }
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).build();
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> OpsPoolClient.open(path(), config));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
    }

    /** Takes what is there, and checks that each poster's ops come in order and none is missing. */
    private int fetch() {
        return fetcher.fetch(op -> {
            assertEquals(next[op.root()]++, op.nbytes());
            assertEquals(op.nbytes() / ChildPoster.BATCH, op.opCount());
            fetcher.complete(op.ticket());
        }, Integer.MAX_VALUE);
    }

    private Path path() {
        return directory.resolve("ops");
    }
}
