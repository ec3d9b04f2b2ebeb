/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PairPlanTest {
    @ParameterizedTest
    @CsvSource({"1, 1, 1, 1, false, 1, 1", "1, 1, 4, 2, false, 4, 1", "1, 1, 2, 4, true, 4, 4",
        "2, 1, 1, 1, false, 2, 2", "2, 4, 2, 1, false, 8, 4", "4, 4, 128, 1, true, 128, 128",
        "3, 1, 128, 1, false, 126, 3"})
    void shouldSpreadQueuePairsOverThePortsOfBothEnds(int ports, int remotePorts, int perPort, int remotePerPort,
            boolean isSplit, int pairs, int perSend) {
        PairPlan plan = PairPlan.of(ports, remotePorts, perPort, remotePerPort, isSplit);
        assertEquals(new PairPlan(pairs, perSend), plan);
        assertEquals(plan, PairPlan.of(remotePorts, ports, remotePerPort, perPort, isSplit));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 1", "4, 2", "4, 4", "6, 3"})
    void shouldTellTheMessageFromTheTurnOfItsQueuePair(int pairs, int perSend) {
        PairPlan plan = new PairPlan(pairs, perSend);
        long[] arrived = new long[pairs];
        for (long message = 0; message < 50; message++) {
            int first = plan.first(message);
            assertTrue(first >= 0 && first + perSend <= pairs, "message " + message);
            for (int i = 0; i < perSend; i++) {
                assertEquals(message, plan.message(first + i, arrived[first + i]++));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 0", "1, 1, 128", "128, 1, 128", "129, 1, 256", "1000, 4, 256", "1024, 4, 256", "1025, 4, 384",
        "1, 4, 128"})
    void shouldSplitInMultiplesOf128Bytes(long bytes, int perSend, long share) {
        PairPlan plan = new PairPlan(perSend, perSend);
        assertEquals(share, plan.share(bytes));
        assertTrue(plan.share(bytes) * perSend >= bytes);
    }
}
