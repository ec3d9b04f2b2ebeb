/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.QueuePairLimits;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsDevice;
import io.proxyrt.core.verbs.WorkCompletion;
import io.proxyrt.testkit.verbs.VerbsEnd.Completion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What all verbs must do that a network relies on, between two queue pairs of one device: as tests, which run on
 * {@link SoftVerbs} and on a host with RDMA alike.
 */
public abstract class VerbsConformance {
    private static final int RETRIES = 3;
    private static final int WRITE = SendRequest.RDMA_WRITE;
    private static final int WRITE_WITH_IMM = SendRequest.RDMA_WRITE_WITH_IMM;
    private static final int SIGNALED = SendRequest.SIGNALED;
    private static final int INLINE = SendRequest.INLINE;

    /** Closed after each test, with all that is in it. */
    final Arena arena = Arena.ofShared();
    /** What is tested. */
    Verbs verbs;
    /** The end that sends. */
    VerbsEnd sender;
    /** The end that receives. */
    VerbsEnd receiver;

    /** For subclasses. */
    protected VerbsConformance() {
    }

    /**
     * What is tested.
     *
     * @return verbs with a device whose first port is up, and reaches itself
     */
    protected abstract Verbs open();

    @BeforeEach
    void openBothEnds() {
        verbs = open();
        String device = verbs.devices().getFirst();
        sender = new VerbsEnd(verbs, device, arena);
        receiver = new VerbsEnd(verbs, device, arena);
        for (int i = 0; i < VerbsEnd.BYTES; i++) {
            sender.memory.set(JAVA_BYTE, i, (byte) (i * 31 + (i >> 8)));
        }
    }

    @AfterEach
    void closeBothEnds() {
        sender.close();
        receiver.close();
        arena.close();
    }

    final void connect() {
        VerbsEnd.connect(sender, receiver, RETRIES, VerbsEnd.FOR_EVER);
    }

    @Test
    void shouldDescribeItsDevice() {
        VerbsDevice device = sender.context.query();
        assertTrue(device.ports() >= 1 && device.maxQps() > 1 && device.maxCqes() > 1 && device.maxMrs() > 1,
                device.toString());
        assertTrue(device.guid() != 0 && device.maxSges() > 0 && device.maxReads() > 0, device.toString());
        assertTrue(sender.context.port(1).isActive(), sender.context.port(1).toString());
        assertFalse(sender.gid().isZero());
        assertEquals(verbs.devices().getFirst(), sender.context.device());
    }

    @Test
    void shouldRefuseWhatIsNotThere() {
        assertResult(ProxyResult.INVALID_ARGUMENT, () -> verbs.open("no_such_device_0"));
        assertResult(ProxyResult.SYSTEM_ERROR, () -> sender.context.port(99));
        assertResult(ProxyResult.SYSTEM_ERROR, () -> sender.context.gid(1, 1 << 20));
    }

    @Test
    void shouldWrite() {
        connect();
        assertEquals(0, sender.post(receiver, WRITE, SIGNALED, 128, 40_000));

        assertEquals(new Completion(0, WorkCompletion.SUCCESS, WorkCompletion.RDMA_WRITE, 0, 0,
                sender.queuePair.number()), withoutLength(sender.await()));
        assertArrived(128, 40_000);
        assertFalse(receiver.poll());
    }

    @Test
    void shouldWriteWithAnImmediate() {
        connect();
        assertEquals(0, receiver.postReceive(77));
        sender.request(0, WRITE_WITH_IMM, SIGNALED, sender.memory.asSlice(8, 1000), sender.region.lkey());
        sender.remote(0, receiver.memory.asSlice(8), receiver.region.rkey());
        sender.immediate(0, 0xcafe_babe);
        assertEquals(0, sender.post(0));

        assertEquals(new Completion(77, WorkCompletion.SUCCESS, WorkCompletion.RECV_RDMA_WITH_IMM, 1000, 0xcafe_babe,
                receiver.queuePair.number()), receiver.await());
        assertArrived(8, 1000);
        assertEquals(WorkCompletion.SUCCESS, sender.await().status());
    }

    @Test
    void shouldWriteNothingWithAnImmediate() {
        connect();
        assertEquals(0, receiver.postReceive(1));
        sender.request(0, WRITE_WITH_IMM, SIGNALED, MemorySegment.NULL, 0);
        sender.remote(0, MemorySegment.NULL, 0);
        sender.immediate(0, 5);
        assertEquals(0, sender.post(0));

        Completion received = receiver.await();
        assertEquals(WorkCompletion.SUCCESS, received.status());
        assertEquals(0, received.length());
        assertEquals(5, received.immediate());
    }

    @Test
    void shouldTakeInlineDataWhenTheyArePosted() {
        connect();
        assertTrue(sender.queuePair.inlineBytes() >= VerbsEnd.INLINE_BYTES);
        MemorySegment unregistered = arena.allocate(VerbsEnd.INLINE_BYTES, 8);
        unregistered.copyFrom(sender.memory.asSlice(0, VerbsEnd.INLINE_BYTES));
        sender.request(0, WRITE, SIGNALED | INLINE, unregistered, 0);
        sender.remote(0, receiver.memory, receiver.region.rkey());
        assertEquals(0, sender.post(0));
        unregistered.fill((byte) 0);

        assertEquals(WorkCompletion.SUCCESS, sender.await().status());
        assertArrived(0, VerbsEnd.INLINE_BYTES);
    }

    @Test
    void shouldRead() {
        connect();
        receiver.memory.copyFrom(sender.memory);
        sender.memory.fill((byte) 0);
        assertEquals(0, sender.post(receiver, SendRequest.RDMA_READ, SIGNALED, 64, 20_000));

        Completion read = sender.await();
        assertEquals(WorkCompletion.SUCCESS, read.status());
        assertEquals(WorkCompletion.RDMA_READ, read.opcode());
        assertArrived(64, 20_000);
        assertEquals(0, sender.memory.get(JAVA_BYTE, 20_064));
    }

    @Test
    void shouldTakeAChainInOnePost() {
        connect();
        assertEquals(0, receiver.postReceive(1));
        for (int i = 0; i < 3; i++) {
            boolean isLast = i == 2;
            sender.request(i, isLast ? WRITE_WITH_IMM : WRITE, isLast ? SIGNALED : 0,
                    sender.memory.asSlice(i * 5000L, 5000), sender.region.lkey());
            sender.remote(i, receiver.memory.asSlice(i * 5000L), receiver.region.rkey());
        }
        sender.immediate(2, 3);
        sender.chain(0, 1);
        sender.chain(1, 2);
        assertEquals(0, sender.post(0));

        assertEquals(3, receiver.await().immediate());
        assertArrived(0, 15_000);
        assertEquals(2, sender.await().id());
        assertFalse(sender.poll());
    }

    @Test
    void shouldGatherPieces() {
        connect();
        sender.request(0, WRITE, SIGNALED, sender.memory.asSlice(0, 1000), sender.region.lkey());
        sender.addPiece(0, WRITE, SIGNALED, sender.memory.asSlice(1000, 3000));
        sender.remote(0, receiver.memory, receiver.region.rkey());
        assertEquals(0, sender.post(0));

        assertEquals(WorkCompletion.SUCCESS, sender.await().status());
        assertArrived(0, 4000);
    }

    @Test
    void shouldWaitForAReceive() {
        connect();
        sender.request(0, WRITE_WITH_IMM, SIGNALED, sender.memory.asSlice(0, 100), sender.region.lkey());
        sender.remote(0, receiver.memory, receiver.region.rkey());
        sender.immediate(0, 9);
        assertEquals(0, sender.post(0));
        assertFalse(receiver.poll());
        assertEquals(0, receiver.postReceive(4));

        assertEquals(9, receiver.await().immediate());
        assertEquals(WorkCompletion.SUCCESS, sender.await().status());
    }

    @Test
    void shouldFailWithoutAReceiveIfItIsNotToWait() {
        VerbsEnd.connect(sender, receiver, RETRIES, 0);
        assertEquals(0, sender.post(receiver, WRITE_WITH_IMM, SIGNALED, 0, 100));

        assertEquals(WorkCompletion.RNR_RETRY_EXCEEDED, sender.await().status());
    }

    @Test
    void shouldFailOnAWrongKeyOfThePeerAndFlushTheRest() {
        connect();
        sender.request(0, WRITE, 0, sender.memory.asSlice(0, 100), sender.region.lkey());
        sender.remote(0, receiver.memory, receiver.region.rkey() ^ 0xff);
        assertEquals(0, sender.post(0));
        Completion failed = sender.await();
        assertEquals(WorkCompletion.REMOTE_ACCESS_ERROR, failed.status());
        assertEquals("REM_ACCESS_ERR", WorkCompletion.statusName(failed.status()));

        assertEquals(0, sender.post(receiver, WRITE, 0, 0, 100));
        assertEquals(WorkCompletion.FLUSH_ERROR, sender.await().status());
    }

    @Test
    void shouldFailBeyondThePeersRegion() {
        connect();
        sender.request(0, WRITE, 0, sender.memory.asSlice(0, 100), sender.region.lkey());
        sender.remote(0, receiver.memory.asSlice(VerbsEnd.BYTES - 99), receiver.region.rkey());
        assertEquals(0, sender.post(0));
        assertEquals(WorkCompletion.REMOTE_ACCESS_ERROR, sender.await().status());
    }

    @Test
    void shouldFailOnAWrongKeyOfItsOwn() {
        connect();
        sender.request(0, WRITE, SIGNALED, sender.memory.asSlice(0, 100), sender.region.lkey() ^ 0xff);
        sender.remote(0, receiver.memory, receiver.region.rkey());
        int errno = sender.post(0);
        assertTrue(errno != 0 || sender.await().status() != WorkCompletion.SUCCESS);
    }

    @Test
    void shouldGiveUpOnAPeerThatIsGone() {
        connect();
        receiver.queuePair.close();
        assertEquals(0, sender.post(receiver, WRITE, SIGNALED, 0, 100));

        Completion failed = sender.await();
        assertEquals(WorkCompletion.RETRY_EXCEEDED, failed.status());
        assertEquals("RETRY_EXC_ERR", WorkCompletion.statusName(failed.status()));
    }

    @Test
    void shouldRefuseWhatWasClosed() {
        CompletionQueue queue = sender.context.completionQueue(1);
        ProtectionDomain domain = sender.context.protectionDomain();
        queue.close();
        assertEquals(-1, queue.poll(sender.memory, 1));
        assertResult(ProxyResult.INVALID_USAGE,
                () -> domain.queuePair(queue, new QueuePairLimits(1, 1, 1, 0)).close());
        domain.close();
        assertResult(ProxyResult.INVALID_USAGE, () -> domain.register(sender.memory, VerbsEnd.ALL_ACCESS).close());
    }

    @Test
    void shouldFlushReceivesWhenItIsToFail() {
        connect();
        assertEquals(0, receiver.postReceive(5));
        assertEquals(0, receiver.postReceive(6));
        receiver.queuePair.toError();
        receiver.queuePair.toError();
        for (int id = 5; id <= 6; id++) {
            Completion flushed = receiver.await();
            assertEquals(WorkCompletion.FLUSH_ERROR, flushed.status());
            assertEquals(id, flushed.id());
        }
    }

    @Test
    void shouldRefuseWhatItsStateForbids() {
        assertNotEquals(0, sender.post(receiver, WRITE, SIGNALED, 0, 100));
        assertResult(ProxyResult.SYSTEM_ERROR, () -> sender.queuePair.toReadyToSend(10, 3, 7, 1));
        sender.toInit();
        assertNotEquals(0, sender.post(receiver, WRITE, SIGNALED, 0, 100));
        assertFalse(sender.poll());
    }

    @Test
    void shouldHoldAsManyReceivesAsWereAskedFor() {
        receiver.toInit();
        int posted = 0;
        while (posted < 100 * VerbsEnd.RECEIVES && receiver.postReceive(posted) == 0) {
            posted++;
        }
        assertTrue(posted >= VerbsEnd.RECEIVES && posted < 100 * VerbsEnd.RECEIVES, posted + " receives");
    }

    @Test
    void shouldRefuseToCloseWhatIsInUse() {
        assertResult(ProxyResult.INVALID_USAGE, sender.context::close);
        assertResult(ProxyResult.INVALID_USAGE, sender.domain::close);
        assertResult(ProxyResult.INVALID_USAGE, sender.queue::close);
        connect();
        assertEquals(0, sender.post(receiver, WRITE, SIGNALED, 0, 100));
        assertEquals(WorkCompletion.SUCCESS, sender.await().status());
        sender.close();
        sender.close();
    }

    @Test
    void shouldRefuseWhatIsTooMuch() {
        assertResult(ProxyResult.INVALID_ARGUMENT,
                () -> sender.domain.register(MemorySegment.ofArray(new byte[8]), VerbsEnd.ALL_ACCESS));
        assertResult(ProxyResult.SYSTEM_ERROR, () -> sender.context.completionQueue(Integer.MAX_VALUE));
        assertResult(ProxyResult.SYSTEM_ERROR, () -> sender.domain.queuePair(sender.queue,
                new QueuePairLimits(1 << 30, 1, 1, 0)));
        assertThrows(ProxyException.class, () -> sender.domain.registerDmaBuf(-1, 0, 4096, 0, VerbsEnd.ALL_ACCESS));
    }

    @Test
    void shouldWaitForEventsNoLongerThanItIsTold() {
        int events = 0;
        while (sender.context.awaitEvent(1_000_000) != null) {
            events++;
            assertTrue(events < 100);
        }
        assertNull(sender.context.awaitEvent(0));
    }

    @Test
    void shouldShowAPollingThreadWhatIsWrittenInOrder() throws InterruptedException {
        connect();
        int rounds = 200;
        Thread echo = Thread.ofPlatform().start(() -> {
            for (long i = 1; i <= rounds; i++) {
                receiver.awaitLong(1016, i);
                receiver.memory.set(JAVA_LONG, 0, receiver.memory.get(JAVA_LONG, 8));
                writeAndAwait(receiver, sender, 0);
            }
        });
        for (long i = 1; i <= rounds; i++) {
            sender.memory.set(JAVA_LONG, 8, -i);
            sender.memory.set(JAVA_LONG, 1016, i);
            writeAndAwait(sender, receiver, 8);
            sender.awaitLong(0, -i);
        }
        echo.join();
    }

    private static void writeAndAwait(VerbsEnd from, VerbsEnd to, long offset) {
        assertEquals(0, from.post(to, WRITE, SIGNALED, offset, offset == 0 ? 8 : 1016));
        assertEquals(WorkCompletion.SUCCESS, from.await().status());
    }

    @Test
    void shouldAllocateNothingPerPostAndPoll() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemoryEnabled());
        connect();
        sender.request(0, WRITE, SIGNALED, sender.memory.asSlice(0, 64), sender.region.lkey());
        sender.remote(0, receiver.memory, receiver.region.rkey());
        int sends = 2000;
        long least = Long.MAX_VALUE;
        // The JVM now and then allocates on a thread's account; what sends take, they take in every round.
        for (int round = 0; round < 100 && least >= sends; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < sends; i++) {
                sendOne();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least < sends, least + " bytes for " + sends + " sends");
    }

    private void sendOne() {
        if (sender.post(0) != 0) {
            throw new AssertionError("cannot post");
        }
        while (!sender.poll()) {
            Thread.onSpinWait();
        }
        if (sender.polledStatus() != WorkCompletion.SUCCESS) {
            throw new AssertionError(WorkCompletion.statusName(sender.polledStatus()));
        }
    }

    private void assertArrived(long offset, long bytes) {
        assertEquals(-1, sender.memory.asSlice(offset, bytes).mismatch(receiver.memory.asSlice(offset, bytes)));
    }

    /** Says how much was sent on some devices only. */
    private static Completion withoutLength(Completion sent) {
        return new Completion(sent.id(), sent.status(), sent.opcode(), 0, 0, sent.queuePair());
    }

    static void assertResult(ProxyResult expected, Runnable call) {
        ProxyException failure = assertThrows(ProxyException.class, call::run);
        assertEquals(expected, failure.result(), failure.getMessage());
    }
}
