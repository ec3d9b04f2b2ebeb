/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.testkit.Extent;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A runtime that closes at any moment after it is connected, in a process that lives on. */
@Tag(Extent.SCALED)
class PeerDepartureTest {
    private static final int ROUNDS = Extent.count(30);
    private static final long SEED = 20_261_125;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "unix"})
    void shouldSayThatAPeerLeftHoweverSoon(String listen) {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            try (TransportPair pair = new TransportPair("SHM", directory, Map.of("rpc.listen", listen))) {
                DeviceConnection receiver = pair.connectBack(0).receiver();
                long moment = System.nanoTime() + (round % 2 == 0 ? 0 : random.nextInt(3_000_000));
                while (System.nanoTime() - moment < 0) {
                    Thread.onSpinWait();
                }
                pair.leave();
                ProxyException why = await(receiver);
                assertNotNull(why, "nothing after a minute, round " + round);
                assertTrue(why.getMessage().startsWith("rank 1 (pid ")
                        && why.getMessage().contains(") left: it closed its runtime"), why.getMessage());
            }
        }
    }

    private static ProxyException await(DeviceConnection receiver) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        ProxyException why = receiver.whyNoSteps(Protocol.SIMPLE);
        while (why == null && System.nanoTime() - deadline < 0) {
            Thread.yield();
            why = receiver.whyNoSteps(Protocol.SIMPLE);
        }
        return why;
    }
}
