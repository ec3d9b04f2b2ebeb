/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.testkit.Holdings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runtimes that are closed while another thread sets connections up and frees them over shared memory. */
class ShmCloseRaceTest {
    private static final long SEED = 20_261_122;
    private static final int ROUNDS = 30;
    private static final int CHANNELS = 100;

    @TempDir
    Path directory;

    @TempDir
    Path segments;

    @Test
    void shouldGiveEverythingBackWheneverItIsClosed() throws InterruptedException {
        Random random = new Random(SEED);
        List<Map<String, String>> ways = List.of(Map.of("buffer.bytes", "64K"),
                Map.of("buffer.bytes", "64K", "shm.segment", "file", "shm.directory", segments.toString()),
                Map.of("buffer.bytes", "64K", "shm.use.memcpy", "1", "shm.memcpy.mode", "3"));
        race(random, ways.getFirst());
        Holdings before = Holdings.now();
        for (int round = 0; round < ROUNDS; round++) {
            race(random, ways.get(round % ways.size()));
            assertEquals(before, Holdings.now(), "round " + round);
        }
        assertEquals(0, segments.toFile().list().length);
    }

    private void race(Random random, Map<String, String> options) throws InterruptedException {
        TransportPair pair = new TransportPair("SHM", directory, options);
        AtomicInteger connected = new AtomicInteger();
        AtomicReference<Throwable> bug = new AtomicReference<>();
        Thread user = Thread.ofPlatform().start(() -> use(pair, connected, bug));
        int enough = random.nextInt(6);
        while (connected.get() < enough && user.isAlive()) {
            Thread.yield();
        }
        long moment = System.nanoTime() + random.nextInt(3_000_000);
        while (System.nanoTime() - moment < 0) {
            Thread.yield();
        }
        pair.posters.forEach(OpsPoster::close);
        (random.nextBoolean() ? pair.ranks : pair.ranks.reversed()).forEach(ProxyState::close);
        user.join(Duration.ofSeconds(30));
        assertFalse(user.isAlive(), "who was connecting waits for ever");
        assertEquals(null, bug.get());
    }

    private static void use(TransportPair pair, AtomicInteger connected, AtomicReference<Throwable> bug) {
        try {
            for (int channel = 0; channel < CHANNELS; channel++) {
                TransportLink link = pair.connect(channel);
                connected.incrementAndGet();
                if (channel % 3 == 0) {
                    pair.close(link);
                }
            }
        } catch (ProxyException e) {
            // The runtime was closed; any other failure is one of its bugs.
            connected.incrementAndGet();
        } catch (Throwable t) {
            bug.set(t);
        }
    }
}
