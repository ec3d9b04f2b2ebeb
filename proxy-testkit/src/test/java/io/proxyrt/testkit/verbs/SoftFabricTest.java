/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.QueuePairLimits;
import io.proxyrt.core.verbs.QueuePairPath;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.core.verbs.VerbsDevice;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.core.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a test can do to devices that are none, and what becomes of traffic then. */
class SoftFabricTest {
    private static final int WRITE = SendRequest.RDMA_WRITE;
    private static final int WRITE_WITH_IMM = SendRequest.RDMA_WRITE_WITH_IMM;
    private static final int SIGNALED = SendRequest.SIGNALED;
    private static final int ENOMEM = 12;
    private static final int EIO = 5;

    private final Arena arena = Arena.ofShared();
    private final SoftFabric fabric = new SoftFabric();
    private SoftVerbs here;
    private SoftVerbs there;
    private VerbsEnd sender;
    private VerbsEnd receiver;

    @BeforeEach
    void openBothEnds() {
        fabric.addRoce("soft0", "10.0.0.1");
        fabric.addRoce("soft1", "10.0.0.2");
        here = fabric.host("soft0");
        there = fabric.host("soft1");
        sender = new VerbsEnd(here, "soft0", arena);
        receiver = new VerbsEnd(there, "soft1", arena);
        sender.memory.fill((byte) 5);
    }

    @AfterEach
    void closeBothEnds() {
        sender.close();
        receiver.close();
        arena.close();
    }

    private void connect() {
        VerbsEnd.connect(sender, receiver, 7, VerbsEnd.FOR_EVER);
    }

    private void write(int flags) {
        assertEquals(0, sender.post(receiver, WRITE, flags, 0, 100));
    }

    private boolean hasArrived(long offset) {
        return receiver.memory.get(ValueLayout.JAVA_BYTE, offset) != 0;
    }

    @Test
    void shouldFreeSlotsOfTheSendQueueOnlyWhenALaterCompletionIsPolled() {
        connect();
        for (int i = 0; i < VerbsEnd.SENDS - 1; i++) {
            write(0);
        }
        write(SIGNALED);
        assertEquals(ENOMEM, sender.post(receiver, WRITE, SIGNALED, 0, 100));
        sender.await();
        for (int i = 0; i < VerbsEnd.SENDS; i++) {
            write(0);
        }
        assertEquals(ENOMEM, sender.post(receiver, WRITE, SIGNALED, 0, 100));
    }

    @Test
    void shouldFreeSlotsOfTheReceiveQueueWhenTheyArePolled() {
        connect();
        for (int i = 0; i < VerbsEnd.RECEIVES; i++) {
            assertEquals(0, receiver.postReceive(i));
        }
        assertEquals(ENOMEM, receiver.postReceive(99));
        assertEquals(0, sender.post(receiver, WRITE_WITH_IMM, 0, 0, 1));
        assertEquals(ENOMEM, receiver.postReceive(99));
        assertEquals(0, receiver.await().id());
        assertEquals(0, receiver.postReceive(99));
    }

    @Test
    void shouldHoldBackWhatIsPosted() {
        connect();
        fabric.hold();
        write(SIGNALED);
        assertFalse(sender.poll());
        assertFalse(hasArrived(0));
        assertTrue(fabric.step());
        assertTrue(hasArrived(0));
        assertTrue(sender.poll());
        assertFalse(fabric.step());
        write(SIGNALED);
        fabric.release();
        assertTrue(sender.poll());
    }

    @Test
    void shouldLetQueuePairsOvertakeEachOther() {
        connect();
        try (VerbsEnd other = new VerbsEnd(there, "soft1", arena); VerbsEnd its = new VerbsEnd(here, "soft0", arena)) {
            VerbsEnd.connect(its, other, 7, VerbsEnd.FOR_EVER);
            fabric.hold();
            write(SIGNALED);
            assertEquals(0, its.post(other, WRITE, SIGNALED, 0, 100));
            assertTrue(fabric.step(its.queuePair));
            assertTrue(its.poll());
            assertFalse(sender.poll());
            assertFalse(fabric.step(its.queuePair));
            assertTrue(fabric.step(sender.queuePair));
            assertTrue(sender.poll());
        }
    }

    @Test
    void shouldGoOnWhenAPortComesBackInTime() {
        connect();
        fabric.device("soft1").port(1).down();
        write(0);
        write(SIGNALED);
        assertFalse(sender.poll());
        assertFalse(hasArrived(0));
        fabric.device("soft1").port(1).up();
        assertTrue(sender.poll());
        assertTrue(hasArrived(0));
    }

    @Test
    void shouldFailWhenAPortStaysDown() {
        connect();
        fabric.device("soft0").port(1).down();
        write(0);
        write(SIGNALED);
        fabric.expire();
        assertEquals(WorkCompletion.RETRY_EXCEEDED, sender.await().status());
        assertEquals(WorkCompletion.FLUSH_ERROR, sender.await().status());
        fabric.device("soft0").port(1).up();
        write(0);
        assertEquals(WorkCompletion.FLUSH_ERROR, sender.await().status());
    }

    @Test
    void shouldFailByItselfWhenItsRetriesAreOver() {
        VerbsEnd.connect(sender, receiver, 1, VerbsEnd.FOR_EVER);
        fabric.device("soft1").port(1).down();
        write(0);
        assertEquals(WorkCompletion.RETRY_EXCEEDED, sender.await().status());
    }

    @Test
    void shouldTellWhatHappensToPorts() {
        SoftPort port = fabric.device("soft0").port(1);
        port.down();
        port.down();
        port.up();
        port.gids(List.of(new Gid(0, 0xffff_0a00_0009L, Gid.Kind.ROCE_V2)));
        assertEquals(new VerbsEvent(VerbsEvent.PORT_ERR, 1), sender.context.awaitEvent(0));
        assertEquals(new VerbsEvent(VerbsEvent.PORT_ACTIVE, 1), sender.context.awaitEvent(0));
        assertEquals(new VerbsEvent(VerbsEvent.GID_CHANGE, 1), sender.context.awaitEvent(0));
        assertNull(sender.context.awaitEvent(0));
        assertNull(receiver.context.awaitEvent(0));
        assertEquals("::ffff:10.0.0.9", sender.context.gid(1, 0).toString());
    }

    @Test
    void shouldEndAWaitForAnEvent() throws InterruptedException {
        Thread breaker = Thread.ofPlatform().start(() -> fabric.device("soft0").port(1).down());
        assertEquals("PORT_ERR", sender.context.awaitEvent(Long.MAX_VALUE).name());
        breaker.join();
    }

    @Test
    void shouldFailAllOfADeviceThatBreaks() {
        connect();
        assertEquals(0, sender.postReceive(3));
        fabric.device("soft0").fail();
        assertEquals(WorkCompletion.FLUSH_ERROR, sender.await().status());
        assertTrue(sender.context.awaitEvent(0).isFatal());
        assertEquals(EIO, sender.post(receiver, WRITE, 0, 0, 1));
        VerbsConformance.assertResult(ProxyResult.SYSTEM_ERROR, sender.context::query);
        VerbsConformance.assertResult(ProxyResult.SYSTEM_ERROR, () -> here.open("soft0"));
    }

    @Test
    void shouldFailBothEndsOfAForbiddenWrite() {
        connect();
        assertEquals(0, receiver.postReceive(8));
        sender.request(0, WRITE, 0, sender.memory.asSlice(0, 8), sender.region.lkey());
        sender.remote(0, receiver.memory, receiver.region.lkey());
        assertEquals(0, sender.post(0));
        assertEquals(WorkCompletion.REMOTE_ACCESS_ERROR, sender.await().status());
        assertEquals(WorkCompletion.FLUSH_ERROR, receiver.await().status());
        assertEquals(new VerbsEvent(VerbsEvent.QP_ACCESS_ERR, 0, receiver.queuePair.number()),
                receiver.context.awaitEvent(0));
    }

    @Test
    void shouldFailOnMemoryThatIsNoLongerThere() {
        connect();
        Arena freed = Arena.ofShared();
        MemorySegment memory = freed.allocate(4096);
        try (var region = receiver.domain.register(memory, VerbsEnd.ALL_ACCESS)) {
            sender.request(0, WRITE, 0, sender.memory.asSlice(0, 8), sender.region.lkey());
            sender.remote(0, memory, region.rkey());
            freed.close();
            assertEquals(0, sender.post(0));
            assertEquals(WorkCompletion.REMOTE_ACCESS_ERROR, sender.await().status());
        }
    }

    @Test
    void shouldFailAQueueThatRunsOver() {
        try (var queue = sender.context.completionQueue(2);
                var pair = sender.domain.queuePair(queue, new QueuePairLimits(4, 4, 1, 0))) {
            MemorySegment completions = arena.allocate(4 * WorkCompletion.BYTES, 8);
            MemorySegment receive = arena.allocate(32, 8);
            pair.toInit(1, 0, VerbsEnd.ALL_ACCESS);
            for (int i = 0; i < 3; i++) {
                assertEquals(0, pair.postReceive(receive, 0));
            }
            pair.toError();
            assertEquals(-1, queue.poll(completions, 4));
            assertEquals("CQ_ERR", sender.context.awaitEvent(0).name());
        }
    }

    @Test
    void shouldNotReachAPeerByAnotherKindOfAddress() {
        sender.toInit();
        receiver.toInit();
        QueuePairPath right = sender.path(receiver.queuePair.number(), receiver);
        QueuePairPath wrong = new QueuePairPath(right.remoteNumber(), right.mtu(), 0,
                new Gid(0, 0xffff_0a00_0007L, Gid.Kind.ROCE_V2), right.gidIndex(), 1, 0, 0, 1, 12);
        VerbsConformance.assertResult(ProxyResult.REMOTE_ERROR, () -> sender.queuePair.toReadyToReceive(wrong));
        sender.queuePair.toReadyToReceive(right);
        sender.queuePair.toReadyToSend(8, 0, 7, 1);
        receiver.queuePair.toReadyToReceive(new QueuePairPath(sender.queuePair.number(), 5, 0,
                sender.context.gid(1, 2), 2, 1, 0, 0, 1, 12));
        write(SIGNALED);
        assertEquals(WorkCompletion.RETRY_EXCEEDED, sender.await().status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"soft0", "soft1"})
    void shouldFailMessagesOfSeveralPacketsOfDifferentSizes(String smaller) {
        SoftPort port = fabric.device(smaller).port(1);
        VerbsPort was = port.attributes();
        port.attributes(new VerbsPort(was.state(), 3, was.gids(), was.maxMessageBytes(), was.lid(), was.linkLayer(),
                was.width(), was.speed()));
        connect();
        assertEquals(0, sender.post(receiver, WRITE, SIGNALED, 0, 1024));
        assertEquals(WorkCompletion.SUCCESS, sender.await().status());
        assertEquals(0, sender.post(receiver, WRITE, SIGNALED, 0, 1025));
        assertEquals("REM_INV_REQ_ERR", WorkCompletion.statusName(sender.await().status()));
    }

    @Test
    void shouldKeepItsLimits() {
        SoftDevice device = fabric.device("soft0");
        VerbsDevice was = device.attributes();
        device.attributes(new VerbsDevice("1.0", was.guid(), was.vendorId(), 4096, 2, 1, 64, 1, 64, 1, 1));
        assertThrows(ProxyException.class, () -> sender.domain.queuePair(sender.queue,
                new QueuePairLimits(1, 1, 1, 0)));
        sender.domain.register(sender.memory.asSlice(0, 4096), VerbsEnd.ALL_ACCESS).close();
        assertThrows(ProxyException.class, () -> sender.domain.register(sender.memory, VerbsEnd.ALL_ACCESS));
        try (var second = sender.domain.register(sender.memory.asSlice(0, 1), VerbsEnd.ALL_ACCESS)) {
            assertNotEquals(second.lkey(), second.rkey());
            VerbsConformance.assertResult(ProxyResult.SYSTEM_ERROR,
                    () -> sender.domain.register(sender.memory.asSlice(0, 1), VerbsEnd.ALL_ACCESS));
        }
    }

    @Test
    void shouldCountWhatAHostAsksFor() {
        connect();
        VerbsCounts before = here.counts();
        assertEquals(0, receiver.postReceive(1));
        sender.request(0, WRITE, SendRequest.INLINE, sender.memory.asSlice(0, 24), 0);
        sender.remote(0, receiver.memory, receiver.region.rkey());
        sender.request(1, WRITE_WITH_IMM, SIGNALED, sender.memory.asSlice(0, 24), sender.region.lkey());
        sender.remote(1, receiver.memory, receiver.region.rkey());
        sender.chain(0, 1);
        assertEquals(0, sender.post(0));
        assertTrue(sender.poll());
        assertFalse(sender.poll());

        assertEquals(new VerbsCounts(1, 2, 1, 1, 24, 0, 0, 2, 1), here.counts().since(before));
        assertEquals(3, here.counts().since(before).downcalls());
        assertEquals(new VerbsCounts(0, 0, 0, 0, 0, 1, 1, 0, 0), there.counts());
    }
}
