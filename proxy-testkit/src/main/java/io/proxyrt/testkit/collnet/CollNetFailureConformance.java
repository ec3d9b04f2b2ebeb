/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.collnet;

import static io.proxyrt.testkit.collnet.CollNetValues.assertReduced;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What goes wrong is told to all of a group, sticks, and hurts no other one; what is refused hurts none. */
abstract class CollNetFailureConformance extends CollNetDataConformance {
    private final CollNetWindow window = new CollNetWindow();

    @Test
    void shouldRefuseRequestsWithoutAnErrorWhenTooManyAreOutstanding() {
        int room = 0;
        long last = 0;
        for (long request = allReduce(0, 0, 0, 1); request > 0 && room < MAX_BYTES; room++) {
            last = request;
            request = allReduce(0, 0, 0, 1);
        }
        assertTrue(room >= 8 && room < MAX_BYTES, "a comm bears at least 8 requests, this one bears " + room);
        assertEquals("", group.comms[0].failure(), "that there is no room is no failure");
        for (int rank = 1; rank < RANKS; rank++) {
            for (int i = 0; i < room; i++) {
                assertTrue(allReduce(rank, 0, 0, 1) > 0, "call " + i + " was refused");
            }
        }
        while (group.checked(0, group.comms[0].test(last)) == 0) {
            for (int rank = 1; rank < RANKS; rank++) {
                group.comms[rank].test(last);
            }
        }
    }

    @Test
    void shouldRefuseTestsOfWhatIsNotOutstanding() {
        long[] requests = group.post(rank -> allReduce(rank, 0, 0, 1));
        group.finish(requests);
        for (long wrong : new long[] {0, -1, requests[0], requests[0] + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            group.assertRefused(0, group.comms[0].test(wrong));
        }
        assertWorks(group);
    }

    @Test
    void shouldRefuseRangesOutsideTheMemory() {
        group.assertRefused(0, allReduce(0, MAX_BYTES, 0, 1));
        group.assertRefused(0, allReduce(0, 0, MAX_BYTES, 1));
        group.assertRefused(0, allReduce(0, MAX_BYTES - 3, 0, 1));
        group.assertRefused(0, allReduce(0, -1, 0, 1));
        group.assertRefused(0, allReduce(0, 0, Long.MIN_VALUE, 1));
        group.assertRefused(0, allReduce(0, 0, 0, 0));
        group.assertRefused(0, allReduce(0, 0, 0, -1));
        group.assertRefused(0, allReduce(0, 0, 0, Long.MAX_VALUE));
        group.assertRefused(0, allReduce(0, 0, 0, MAX_BYTES / 4 + 1));
        group.assertRefused(0, gather(0, window.set(100, 0, 0)));
        group.assertRefused(0, gather(0, window.set(100, 0, 100 * RANKS + 1)));
        group.assertRefused(0, gather(0, window.set(100, 100 * RANKS, 1)));
        group.assertRefused(0, gather(0, window.set(100, -1, 10)));
        group.assertRefused(0, gather(0, window.set(MAX_BYTES, 0, 2 * MAX_BYTES)));
        group.assertRefused(0, scatter(0, window.set(100, 2, 4)));
        group.assertRefused(0, scatter(0, window.set(100, 0, 100 * RANKS + 4)));
        assertWorks(group);
    }

    @Test
    void shouldRefuseReductionsThatItDoesNotSupport() {
        for (DataType type : DataType.values()) {
            for (RedOp op : RedOp.values()) {
                if (!net().reduceSupport(type, op)) {
                    group.assertRefused(0, group.comms[0].iallreduce(group.sends[0], 0, group.recvs[0], 0, 1, type,
                            op));
                    group.assertRefused(0, group.comms[0].ireducescatter(group.sends[0], 0, group.recvs[0], 0,
                            window.set(64, 0, 64), type, op));
                }
            }
        }
        assertWorks(group);
    }

    @Test
    void shouldRefuseMemoryThatIsNotRegisteredWithTheComm() {
        CollNetMemory closed = group.comms[0].regMr(group.sources[0]);
        closed.close();
        closed.close();
        for (CollNetMemory wrong : new CollNetMemory[] {closed, null, new ForeignMemory(group.sources[0])}) {
            group.assertRefused(0, group.comms[0].iallreduce(wrong, 0, group.recvs[0], 0, 1, DataType.INT8,
                    RedOp.SUM));
            group.assertRefused(0, group.comms[0].iallreduce(group.sends[0], 0, wrong, 0, 1, DataType.INT8,
                    RedOp.SUM));
        }
        assertEquals(group.sources[0], group.sends[0].segment(), "segment() is the memory that was registered");
        assertWorks(group);
    }

    @Test
    void shouldRefuseMemoryThatItCannotReach() {
        Arena freed = Arena.ofShared();
        MemorySegment gone = freed.allocate(8);
        freed.close();
        for (MemorySegment wrong : new MemorySegment[] {MemorySegment.ofArray(new byte[8]), gone}) {
            ProxyException failure = assertThrows(ProxyException.class, () -> group.comms[0].regMr(wrong),
                    "memory on the heap, and memory that was freed, has to be refused");
            assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result(), failure.getMessage());
        }
    }

    @Test
    void shouldFailAllParticipantsThatDoNotMakeTheSameCall() {
        assertDisagree(rank -> allReduce(rank, 0, 0, rank == 1 ? 99 : 100));
        assertDisagree(rank -> group.comms[rank].iallreduce(group.sends[rank], 0, group.recvs[rank], 0, 100,
                rank == 1 ? DataType.UINT32 : DataType.INT32, RedOp.SUM));
        assertDisagree(rank -> group.comms[rank].iallreduce(group.sends[rank], 0, group.recvs[rank], 0, 100,
                DataType.INT32, rank == 2 ? RedOp.MAX : RedOp.MIN));
        assertDisagree(rank -> rank == 0 ? gather(rank, window.set(100, 0, 100)) : allReduce(rank, 0, 0, 25));
        assertDisagree(rank -> gather(rank, window.set(100, rank == 0 ? 0 : 4, 100)));
    }

    @Test
    void shouldFailTheOthersWhenAParticipantLeaves() {
        long[] requests = new long[RANKS];
        requests[0] = allReduce(0, 0, 0, 100);
        requests[1] = allReduce(1, 0, 0, 100);
        group.comms[2].close();
        int[] results = group.awaitFailures(requests);
        for (int rank = 0; rank < 2; rank++) {
            assertFailed("participant 2 left", ProxyResult.REMOTE_ERROR, rank, requests[rank], results[rank]);
        }
    }

    @Test
    void shouldStillHandOverWhatWasCompleteBeforeAFailure() {
        fillAll(DataType.INT32, 0);
        long[] complete = group.post(rank -> allReduce(rank, 0, 0, 1000));
        long[] next = group.post(rank -> rank == 2 ? 1 : allReduce(rank, 0, 4000, 1000));
        while (group.checked(2, group.comms[2].test(complete[2])) == 0) {
            assertEquals(0, group.comms[0].test(next[0]), "participant 2 has not made that call");
            assertEquals(0, group.comms[1].test(next[1]), "participant 2 has not made that call");
            CollNetGroup.turn();
        }
        group.comms[2].close();
        next[2] = 0;
        group.awaitFailures(next);
        for (int rank = 0; rank < 2; rank++) {
            assertEquals(1, group.comms[rank].test(complete[rank]), "a request of participant " + rank
                    + " that was complete before participant 2 left stays so: test has to return 1");
            assertReduced(group.targets[rank].asSlice(0, 4000), DataType.INT32, RedOp.SUM, RANKS, 0);
        }
    }

    @Test
    void shouldLeaveOtherGroupsAloneWhenOneFails() {
        try (CollNetGroup other = group(4096)) {
            group.comms[1].close();
            long request = allReduce(0, 0, 0, 1);
            group.awaitFailures(new long[] {request, 0, 0});

            assertWorks(other);
        }
    }

    @Test
    void shouldEndAParkWhenDataCome() throws InterruptedException {
        long[] requests = new long[RANKS];
        requests[0] = allReduce(0, 0, 0, 10);
        assertEquals(0, group.comms[0].test(requests[0]), "the other participants have not made that call");
        net().park(1);
        Thread others = Thread.ofPlatform().daemon().start(() -> finishOthers(requests));
        long beforeNs = System.nanoTime();
        while (group.checked(0, group.comms[0].test(requests[0])) == 0) {
            net().park(TimeUnit.SECONDS.toNanos(30));
        }

        long tookNs = System.nanoTime() - beforeNs;
        assertTrue(tookNs < TimeUnit.SECONDS.toNanos(10), () -> "data came, so park has to end before its 30 s are"
                + " over; it took " + TimeUnit.NANOSECONDS.toMillis(tookNs) + " ms");
        others.join();
    }

    @Test
    void shouldEndAParkInTimeWhenNothingComes() {
        allReduce(0, 0, 0, 10);
        for (int i = 0; i < 20; i++) {
            nets.forEach(each -> each.park(1000));
        }
    }

    @Test
    void shouldCloseWithRequestsOutstandingAndMoreThanOnce() {
        for (int rank = 0; rank < RANKS; rank++) {
            allReduce(rank, 0, 0, MAX_BYTES / 4);
        }
        for (CollNetComm comm : group.comms) {
            comm.close();
            comm.close();
        }
        net().close();
        net().close();
    }

    /** All participants but the first make its call. */
    private void finishOthers(long[] requests) {
        for (int rank = 1; rank < RANKS; rank++) {
            requests[rank] = allReduce(rank, 0, 0, 10);
        }
        for (int rank = 1; rank < RANKS; rank++) {
            while (group.comms[rank].test(requests[rank]) == 0) {
                CollNetGroup.turn();
            }
        }
    }

    /** A group of its own makes these calls. */
    private void assertDisagree(CollNetGroup.Post call) {
        CollNetGroup before = group;
        try (CollNetGroup failing = group(MAX_BYTES)) {
            group = failing;
            long[] requests = new long[RANKS];
            for (int rank = 0; rank < RANKS; rank++) {
                requests[rank] = call.by(rank);
            }
            int[] results = group.awaitFailures(requests);
            for (int rank = 0; rank < RANKS; rank++) {
                assertFailed("the participants made different calls", ProxyResult.INVALID_USAGE, rank, requests[rank],
                        results[rank]);
            }
        } finally {
            group = before;
        }
        assertWorks(group);
    }

    /** A call failed as it has to, and all later ones fail as it did. */
    private void assertFailed(String why, ProxyResult wanted, int rank, long request, int result) {
        String failure = group.comms[rank].failure();
        assertEquals(-wanted.code(), result, why + ", so calls of participant " + rank + " have to return -" + wanted
                + "; the failure was: " + failure);
        assertFalse(failure.isBlank(), "a call failed, so failure() has to say why");
        String network = group.comms[rank].network();
        assertTrue(failure.contains(network), "failure() has to name " + network + ", and was: " + failure);
        String expected = "the comm of participant " + rank + " failed, so every later call has to return the same: "
                + failure;
        assertEquals(result, allReduce(rank, 0, 0, 1), expected);
        assertEquals(result, gather(rank, window.set(4, 0, 4)), expected);
        assertEquals(result, scatter(rank, window.set(4, 0, 4)), expected);
        assertEquals(result, request < 0 ? result : group.comms[rank].test(request), expected);
        assertEquals(failure, group.comms[rank].failure(), "failure() of a comm that failed stays the same");
    }

    private long gather(int rank, CollNetWindow of) {
        return group.comms[rank].iallgather(group.sends[rank], 0, group.recvs[rank], 0, of);
    }

    private long scatter(int rank, CollNetWindow of) {
        return group.comms[rank].ireducescatter(group.sends[rank], 0, group.recvs[rank], 0, of, DataType.INT32,
                RedOp.SUM);
    }

    private static void assertWorks(CollNetGroup any) {
        for (int rank = 0; rank < any.size(); rank++) {
            CollNetValues.fill(any.sources[rank].asSlice(0, 400), DataType.INT32, rank, 0);
        }
        any.run(rank -> any.comms[rank].iallreduce(any.sends[rank], 0, any.recvs[rank], 0, 100, DataType.INT32,
                RedOp.SUM));
        for (MemorySegment target : any.targets) {
            assertReduced(target.asSlice(0, 400), DataType.INT32, RedOp.SUM, any.size(), 0);
        }
    }

    /** Of another network. */
    private record ForeignMemory(MemorySegment segment) implements CollNetMemory {
        @Override
        public void close() {
            // Nothing is registered.
        }
    }
}
