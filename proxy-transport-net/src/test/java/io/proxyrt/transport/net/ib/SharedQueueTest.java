/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What becomes of completions that a test puts into the queues of an adapter. */
class SharedQueueTest {
    private static final int ENTRIES = 100;
    private static final int LOOKS = 10_000;
    private static final int MOST_WARM_UPS = 200;
    /** Within which the other thread would have done what it must not. */
    private static final int GRACE_MS = 50;

    private final List<Scripted> made = new ArrayList<>();
    private final CompletionQueues queues = new CompletionQueues((VerbsContext) Proxy.newProxyInstance(
            VerbsContext.class.getClassLoader(), new Class<?>[] {VerbsContext.class}, (_, method, arguments) ->
                    method.getName().equals("device") ? "mlx5_0" : open((int) arguments[0])), ENTRIES);

    /** A queue with what a test has put there. */
    private static final class Scripted implements CompletionQueue {
        private final Queue<Long> ids = new ArrayDeque<>();
        private final int entries;
        private int polls;
        private int result;
        private volatile boolean isPolled;
        private volatile boolean isClosed;
        private boolean isClosedWhilePolled;
        private Runnable before = () -> { };

        Scripted(int entries) {
            this.entries = entries;
        }

        @Override
        public int poll(MemorySegment completions, int most) {
            isPolled = true;
            assertFalse(isClosed, "a poll of a queue that was destroyed");
            before.run();
            polls++;
            int n = 0;
            while (n < most && !ids.isEmpty()) {
                WorkCompletion.set(completions, n++ * WorkCompletion.BYTES, ids.remove(), WorkCompletion.SUCCESS,
                        WorkCompletion.RDMA_WRITE, 0, 0, 17);
            }
            isPolled = false;
            return result < 0 ? result : n;
        }

        @Override
        public void close() {
            isClosedWhilePolled |= isPolled;
            isClosed = true;
        }
    }

    /** What was brought. */
    private static final class Sink implements CompletionSink {
        private final List<Integer> slots = new ArrayList<>();
        private String failure = "";

        @Override
        public void complete(MemorySegment completions, long at) {
            slots.add(WorkId.slot(WorkCompletion.id(completions, at)));
        }

        @Override
        public void queueFailed(String why) {
            failure = why;
        }
    }

    private Scripted open(int entries) {
        made.add(new Scripted(entries));
        return made.getLast();
    }

    private static Sink attached(Route route) {
        Sink sink = new Sink();
        route.attach(sink);
        return sink;
    }

    private static void complete(Scripted queue, Route route, int slot) {
        queue.ids.add(route.workId(WorkId.DATA, slot, 3));
    }

    @Test
    void shouldPutAllIntoIdsOfWork() {
        long id = WorkId.of(WorkId.ROUTES - 1, WorkId.FLUSH, 255, 131);
        assertEquals(WorkId.ROUTES - 1, WorkId.route(id));
        assertEquals(WorkId.FLUSH, WorkId.kind(id));
        assertEquals(255, WorkId.slot(id));
        assertEquals(131, WorkId.pair(id));
    }

    @Test
    void shouldBringCompletionsToTheirOwner() {
        Route one = queues.route(10);
        Route other = queues.route(10);
        Sink ofOne = attached(one);
        Sink ofOther = attached(other);
        complete(made.getFirst(), other, 1);
        complete(made.getFirst(), one, 2);
        complete(made.getFirst(), other, 3);
        one.look();
        assertEquals(List.of(2), ofOne.slots);
        assertEquals(List.of(1, 3), ofOther.slots);
        other.look();
        assertEquals(1, made.getFirst().polls, "the look of another holds for one look");
        other.look();
        assertEquals(2, made.getFirst().polls);
    }

    @Test
    void shouldKeepCompletionsUntilThereIsAComm() {
        Route route = queues.route(10);
        complete(made.getFirst(), route, 1);
        complete(made.getFirst(), route, 2);
        route.look();
        Sink sink = attached(route);
        complete(made.getFirst(), route, 3);
        route.look();
        assertEquals(List.of(1, 2, 3), sink.slots);
    }

    @Test
    void shouldDropCompletionsOfACommThatLeft() {
        Route route = queues.route(10);
        Sink sink = attached(route);
        route.detach();
        complete(made.getFirst(), route, 1);
        route.look();
        assertEquals(List.of(), sink.slots);
    }

    /** Soft-RoCE leaves completions of queue pairs in the queue when they are destroyed. */
    @Test
    void shouldNotTakeStaleCompletionsForThoseOfTheNextOwner() {
        Route stays = queues.route(40);
        Route leaves = queues.route(60);
        Scripted queue = made.getFirst();
        complete(queue, leaves, 1);
        leaves.close();
        Route next = queues.route(60);
        assertEquals(2, made.size(), "the room is not free before the queue was seen empty");
        next.close();
        assertTrue(made.getLast().isClosed);

        stays.look();
        Route late = queues.route(60);
        assertEquals(2, made.size());
        assertEquals(leaves.number(), late.number());
        Sink sink = attached(late);
        complete(queue, late, 2);
        stays.lookNow();
        assertEquals(List.of(2), sink.slots);
    }

    /** It may have completions in the queue that the look did not get to. */
    @Test
    void shouldKeepRoomOfWhatLeavesWhileTheQueueIsLookedAt() {
        Route stays = queues.route(40);
        Route leaves = queues.route(60);
        Scripted queue = made.getFirst();
        queue.before = leaves::close;
        stays.look();
        queue.before = () -> assertNotEquals(queue, queues.route(60).queue(), "it was not seen empty since");
        stays.look();
        queue.before = () -> { };
        assertEquals(queue, queues.route(60).queue());
    }

    @Test
    void shouldSkipIdsThatAreNoRoutes() {
        Route route = queues.route(10);
        made.getFirst().ids.add(-1L);
        complete(made.getFirst(), route, 1);
        Sink sink = attached(route);
        route.look();
        assertEquals(List.of(1), sink.slots);
    }

    @Test
    void shouldTakeABoundedNumberInALook() {
        Route route = queues.route(10);
        Sink sink = attached(route);
        for (int i = 0; i < 1000; i++) {
            complete(made.getFirst(), route, i);
        }
        route.look();
        assertEquals(256, sink.slots.size());
        while (sink.slots.size() < 1000) {
            route.look();
        }
        assertEquals(999, sink.slots.getLast());
    }

    @Test
    void shouldMakeAQueueThatHoldsOneOwnerWhoWantsMore() {
        queues.route(3 * ENTRIES);
        assertEquals(3 * ENTRIES, made.getFirst().entries);
    }

    @Test
    void shouldFailAllOwnersOfAQueueThatFailed() {
        Route one = queues.route(10);
        Route late = queues.route(10);
        Sink ofOne = attached(one);
        made.getFirst().result = -5;
        one.look();
        assertEquals("a completion queue of mlx5_0, which its connections share, failed: -5", ofOne.failure);
        assertEquals(ofOne.failure, attached(late).failure);
        assertNotEquals(made.getFirst(), queues.route(10).queue());
    }

    /** It may complete something still. */
    @Test
    void shouldKeepRoomOfAQueuePairThatCannotBeDestroyed() {
        Route route = queues.route(60);
        route.enter();
        route.close();
        assertFalse(made.getFirst().isClosed);
        queues.route(60);
        assertEquals(2, made.size());
        route.destroy((QueuePair) Proxy.newProxyInstance(QueuePair.class.getClassLoader(),
                new Class<?>[] {QueuePair.class}, (_, _, _) -> null));
        route.close();
        assertTrue(made.getFirst().isClosed);
    }

    @Test
    void shouldNotDestroyAQueueThatIsBeingPolled() throws InterruptedException {
        Route route = queues.route(10);
        Scripted queue = made.getFirst();
        CountDownLatch isPolling = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        queue.before = () -> {
            isPolling.countDown();
            await(mayGoOn);
        };
        Thread progress = Thread.ofPlatform().start(route::look);
        isPolling.await();
        Thread service = Thread.ofPlatform().start(route::close);
        service.join(GRACE_MS);
        assertTrue(service.isAlive(), "it waits for the poll");
        mayGoOn.countDown();
        progress.join();
        service.join();
        assertTrue(queue.isClosed);
        assertFalse(queue.isClosedWhilePolled);
        int polls = queue.polls;
        route.lookNow();
        assertEquals(polls, queue.polls);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldLookForAllOnlyIfSomebodyWaits() {
        Route route = queues.route(10);
        assertEquals(0, queues.look());
        assertEquals(0, made.getFirst().polls);
        route.look();
        complete(made.getFirst(), route, 1);
        assertEquals(1, queues.look());
        assertEquals(0, queues.look());
        assertEquals(2, made.getFirst().polls);
    }

    @Test
    void shouldEndQueuesThatAreLeft() {
        queues.route(60);
        queues.route(60);
        queues.close();
        assertTrue(made.stream().allMatch(each -> each.isClosed));
        queues.close();
    }

    @Test
    void shouldAllocateNothing() {
        Route route = queues.route(10);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int i = 0; i < MOST_WARM_UPS && allocated >= LOOKS; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int look = 0; look < LOOKS; look++) {
                route.look();
                queues.look();
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated < LOOKS, allocated + " bytes in " + LOOKS + " looks");
    }
}
