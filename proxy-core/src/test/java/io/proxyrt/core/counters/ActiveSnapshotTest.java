/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ActiveSnapshotTest {
    private static final int ALL_REDUCE = CollFunction.ALL_REDUCE.ordinal();
    private static final int RECV = CollFunction.RECV.ordinal();

    @Test
    void shouldHaveTheFormOfRcclsDump() {
        List<ActiveOp> ops = List.of(op(Direction.SEND, ALL_REDUCE, 2, 0, 0, 8, 0, 8, 6),
                op(Direction.SEND, ALL_REDUCE, 1, 1, 1, 0, 0, 0, 0),
                op(Direction.RECV, RECV, 2, 2, 0, 8, 8, 8, 0));
        assertEquals(List.of("ACTIVE OPS",
                "[0|12| Coll->Send nb:65536 ns:16 p:8 t:8 r:0 d:6 peer:3 chan:1] NET 100000002, 5.0 s old, still for "
                        + "4.5 s: waits for the network to bring step 6 of 16 to rank 3",
                "| `-> [1|12| Coll->Send peer:3 chan:1\t[R]] NET 100000002, 5.0 s old, still for 4.5 s: waits for the "
                        + "op before it on its connection",
                "v",
                "[2|12| Recv G peer:3 chan:1] NET 100000002, 5.0 s old, still for 4.5 s: waits for a kernel of this "
                        + "rank to read step 0 of 16",
                "|",
                "v",
                "[3]",
                "KERNEL stream: a kernel, still for 1.5 s"),
                new ActiveSnapshot(Instant.EPOCH, ops, 0,
                        List.of(new ActiveSnapshot.Wait(Duration.ofMillis(1500), "stream: a kernel"))).lines());
    }

    @Test
    void shouldSayWhomASendWaitsFor() {
        assertEquals("waits for the network to bring step 6 of 16 to rank 3", send(8, 8, 6));
        assertEquals("waits for a kernel of this rank to fill step 8 of 16, or for rank 3 to be ready for it",
                send(12, 8, 8));
        assertEquals("is done, and its group is not", send(16, 16, 16));
        assertEquals("waits for a kernel of this rank to fill step 0 of 16", send(0, 0, 0));
        assertEquals("waits for the copy of step 0 of 16", send(0, 2, 0));
    }

    @Test
    void shouldSayWhomAReceiveWaitsFor() {
        assertEquals("waits for rank 3 to send step 4 of 16", receive(8, 4, 4, 4));
        assertEquals("waits for the flush of step 4 of 16", receive(8, 8, 4, 4));
        assertEquals("waits for a kernel of this rank to read step 4 of 16", receive(12, 12, 12, 4));
        assertEquals("waits for rank 3 to fill step 0 of 16", receive(0, 0, 0, 0));
    }

    @Test
    void shouldShowTheFirstOfALongQueue() {
        List<ActiveOp> ops = IntStream.range(0, 60)
                .mapToObj(i -> op(Direction.SEND, ALL_REDUCE, i == 0 ? 2 : 1, i, i, 8, 0, 0, 0)).toList();
        List<String> lines = new ActiveSnapshot(Instant.EPOCH, ops, 0, List.of()).lines();
        assertEquals(8, lines.size(), lines.toString());
        assertEquals("| `-> and 56 more groups", lines.get(5));
    }

    private static String send(int posted, int transmitted, int done) {
        return op(Direction.SEND, ALL_REDUCE, 2, 0, 0, posted, 0, transmitted, done).waitsFor();
    }

    private static String receive(int posted, int received, int transmitted, int done) {
        return op(Direction.RECV, ALL_REDUCE, 2, 0, 0, posted, received, transmitted, done).waitsFor();
    }

    /** The steps are those posted, received, transmitted and done. */
    private static ActiveOp op(Direction direction, int coll, int state, int group, int depth, int... steps) {
        return new ActiveOp(12, 0x100000002L, "NET", direction, 3, 1, state, group, depth, coll, 2, 7, 0, 65536, 16, 0,
                steps[0], steps[1], steps[2], steps[3], Duration.ofSeconds(5), Duration.ofMillis(4500));
    }
}
