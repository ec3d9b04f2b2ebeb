/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.service.BlockingClient;
import io.proxyrt.core.service.RpcCall;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers that drive their session themselves. The service has a thread of its own. */
class BlockingClientTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private final RpcEndpoint here = Rig.endpoint(0, new FakeHandler());
    private final List<RpcCall> held = new ArrayList<>();
    private final CountDownLatch fourHeld = new CountDownLatch(4);
    private final ServiceThread there = new ServiceThread(Rig.endpoint(1, new FakeHandler(this::onCall)));
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final BlockingClient client = here.connectBlocking(there.endpoint().address(), LONG);

    /**
     * On the service's thread. SETUP is echoed; CONNECT is held until a CLOSE, which answers in reverse order; START
     * answers the first two that are held.
     */
    private void onCall(RpcCall call) {
        switch (call.type()) {
            case CONNECT -> {
                held.add(call);
                fourHeld.countDown();
            }
            case START -> {
                for (int i = 0; i < 2; i++) {
                    FakeHandler.echo(held.removeFirst());
                }
                FakeHandler.echo(call);
            }
            case CLOSE -> {
                held.reversed().forEach(FakeHandler::echo);
                held.clear();
                FakeHandler.echo(call);
            }
            default -> FakeHandler.echo(call);
        }
    }

    @AfterEach
    void close() throws InterruptedException {
        client.close();
        threads.close();
        there.stop();
        here.onClose();
        assertEquals(0, here.memory().usedHeapMemory());
    }

    private static String call(BlockingClient client, MessageType type, String body, Duration timeout) {
        return Rig.text(client.call(type, 7, Rig.bytes(body), timeout));
    }

    private ProxyException failure(MessageType type, Duration timeout) {
        return assertThrows(ProxyException.class, () -> call(client, type, "x", timeout));
    }

    private List<CompletableFuture<String>> holdFour() throws InterruptedException {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String body = "held " + i;
            answers.add(CompletableFuture.supplyAsync(() -> call(client, MessageType.CONNECT, body, LONG), threads));
        }
        fourHeld.await();
        return answers;
    }

    @Test
    void shouldCallWhileItsEndpointIsNotDriven() {
        assertEquals("hello", call(client, MessageType.SETUP, "hello", LONG));
        assertEquals(1, there.endpoint().peers());
        assertTrue(client.toString().startsWith("blocking session with the service of rank 1 at 127.0.0.1:"));
    }

    @Test
    void shouldServeManyThreadsOverOneSession() throws Exception {
        Callable<Integer> job = () -> {
            for (int i = 0; i < 300; i++) {
                String body = Thread.currentThread().getName() + i;
                assertEquals(body, call(client, MessageType.SETUP, body, LONG));
            }
            return 300;
        };

        for (Future<Integer> done : threads.invokeAll(Collections.nCopies(8, job))) {
            assertEquals(300, done.get());
        }
    }

    @Test
    void shouldMatchAnswersThatComeInAnotherOrder() throws Exception {
        List<CompletableFuture<String>> answers = holdFour();

        assertEquals("go", call(client, MessageType.CLOSE, "go", LONG));

        for (int i = 0; i < 4; i++) {
            assertEquals("held " + i, answers.get(i).get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldTellWhatWasNotAnsweredInTimeAndDropTheLateAnswer() {
        ProxyException failure = failure(MessageType.CONNECT, Duration.ofMillis(30));

        assertSame(ProxyResult.TIMEOUT, failure.result());
        assertEquals("CONNECT was not answered by the service of rank 1 at 127.0.0.1:"
                + Rig.port(there.endpoint()) + " within 30 ms", failure.getMessage());
        assertEquals("next", call(client, MessageType.CLOSE, "next", LONG));
        assertEquals("after", call(client, MessageType.SETUP, "after", LONG));
    }

    @Test
    void shouldHandTheLeadOverWhenTheLeaderLeaves() throws Exception {
        Thread leader = Thread.ofPlatform().start(() -> failure(MessageType.CONNECT, LONG));
        awaitSelecting(leader);
        CompletableFuture<String> answer = new CompletableFuture<>();
        Thread follower = follow("follower", answer);

        leader.interrupt();

        awaitSelecting(follower);
        release();
        assertEquals("follower", answer.get(10, TimeUnit.SECONDS));
    }

    /** Answers that come together end the calls of the leader and of the caller that it wakes to lead next. */
    @Test
    void shouldHandTheLeadOnWhenItsHeirLeavesToo() throws Exception {
        for (int round = 0; round < 20; round++) {
            CompletableFuture<String> first = new CompletableFuture<>();
            awaitSelecting(Thread.ofPlatform().start(
                    () -> first.complete(call(client, MessageType.CONNECT, "leader", LONG))));
            CompletableFuture<String> second = new CompletableFuture<>();
            follow("heir", second);
            CompletableFuture<String> third = new CompletableFuture<>();
            Thread last = follow("last", third);

            assertEquals("go", call(client, MessageType.START, "go", LONG));
            assertEquals("leader", first.get(10, TimeUnit.SECONDS));
            assertEquals("heir", second.get(10, TimeUnit.SECONDS));

            awaitSelecting(last);
            release();
            assertEquals("last", third.get(10, TimeUnit.SECONDS));
        }
    }

    /** Starts a thread that waits for an answer while another one leads. */
    private Thread follow(String body, CompletableFuture<String> answer) {
        Thread follower = Thread.ofPlatform().start(
                () -> answer.complete(call(client, MessageType.CONNECT, body, LONG)));
        while (follower.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return follower;
    }

    /** Has all that is held answered, by way of another session. */
    private void release() {
        try (BlockingClient other = here.connectBlocking(there.endpoint().address(), LONG)) {
            call(other, MessageType.CLOSE, "go", LONG);
        }
    }

    @Test
    void shouldLoseNoCallWhenThreadsComeAndGo() throws Exception {
        Callable<Integer> impatient = () -> {
            for (int i = 0; i < 300; i++) {
                assertSame(ProxyResult.TIMEOUT, failure(MessageType.CONNECT, Duration.ofNanos(i * 1000L)).result());
            }
            return 300;
        };
        Callable<Integer> patient = () -> {
            for (int i = 0; i < 1000; i++) {
                assertEquals("p" + i, call(client, MessageType.SETUP, "p" + i, LONG));
            }
            return 1000;
        };

        for (Future<Integer> done : threads.invokeAll(List.of(impatient, patient, impatient, patient))) {
            assertTrue(done.get() > 0);
        }
    }

    @Test
    void shouldLeaveOnAnInterruptAndKeepItsFlag() throws Exception {
        CompletableFuture<ProxyException> left = new CompletableFuture<>();
        Thread caller = Thread.ofPlatform().start(() -> {
            ProxyException failure = failure(MessageType.CONNECT, LONG);
            assertTrue(Thread.currentThread().isInterrupted());
            left.complete(failure);
        });
        awaitSelecting(caller);

        caller.interrupt();

        ProxyException failure = left.get(10, TimeUnit.SECONDS);
        assertSame(ProxyResult.INVALID_USAGE, failure.result());
        assertTrue(failure.getMessage().startsWith("the thread was interrupted while CONNECT was outstanding at the "
                + "service of rank 1"), failure.getMessage());
        assertEquals("still here", call(client, MessageType.SETUP, "still here", LONG));
    }

    /** Until the caller sits in the selector. */
    private static void awaitSelecting(Thread caller) {
        while (!stands(caller, "select")) {
            assertTrue(caller.isAlive(), "it does not wait");
            Thread.onSpinWait();
        }
    }

    private static boolean stands(Thread thread, String methodOfTheLoop) {
        return Stream.of(thread.getStackTrace()).anyMatch(frame -> frame.getMethodName().equals(methodOfTheLoop)
                && frame.getClassName().equals(TurnLoop.class.getName()));
    }

    @Test
    void shouldSendNothingForAThreadThatIsInterruptedAlready() {
        Thread.currentThread().interrupt();
        try {
            assertTrue(failure(MessageType.SETUP, LONG).getMessage().startsWith("SETUP was not sent"));
        } finally {
            assertTrue(Thread.interrupted());
        }
        assertEquals("still here", call(client, MessageType.SETUP, "still here", LONG));
    }

    @Test
    void shouldFailThoseWhoWaitWhenItIsClosed() throws Exception {
        List<CompletableFuture<String>> answers = holdFour();

        client.close();
        client.close();

        for (CompletableFuture<String> answer : answers) {
            ProxyException failure = (ProxyException) answer.handle((body, thrown) -> thrown)
                    .get(10, TimeUnit.SECONDS).getCause();
            assertSame(ProxyResult.INVALID_USAGE, failure.result());
            assertTrue(failure.getMessage().startsWith("this side closed its session"), failure.getMessage());
        }
        assertTrue(failure(MessageType.SETUP, LONG).getMessage().startsWith("SETUP was not sent"));
        awaitNoPeer();
    }

    @Test
    void shouldFailThoseWhoWaitWhenTheirOwnRuntimeCloses() throws Exception {
        List<CompletableFuture<String>> answers = holdFour();

        here.onClose();

        for (CompletableFuture<String> answer : answers) {
            ProxyException failure = (ProxyException) answer.handle((body, thrown) -> thrown)
                    .get(10, TimeUnit.SECONDS).getCause();
            assertTrue(failure.getMessage().startsWith("rank 0 closed its runtime"), failure.getMessage());
        }
        assertTrue(assertThrows(ProxyException.class,
                () -> here.connectBlocking(there.endpoint().address(), LONG)).getMessage()
                .startsWith("rank 0 closed its runtime"));
        awaitNoPeer();
    }

    @Test
    void shouldEndWithItsRuntimeThoughItIsNotDriven() {
        assertEquals("x", call(client, MessageType.SETUP, "x", LONG));
        here.onClose();

        assertFalse(client.isOpen());
        awaitNoPeer();
        assertTrue(failure(MessageType.SETUP, LONG).getMessage().startsWith("SETUP was not sent: rank 0 closed its "
                + "runtime"));
    }

    private void awaitNoPeer() {
        long start = System.nanoTime();
        while (there.endpoint().peers() > 0) {
            assertTrue(System.nanoTime() - start < LONG.toNanos(), "the service never saw it go");
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldFailThoseWhoWaitWhenTheServiceDies() throws Exception {
        List<CompletableFuture<String>> answers = holdFour();

        there.stop();

        for (CompletableFuture<String> answer : answers) {
            ProxyException failure = (ProxyException) answer.handle((body, thrown) -> thrown)
                    .get(10, TimeUnit.SECONDS).getCause();
            assertSame(ProxyResult.REMOTE_ERROR, failure.result());
            assertTrue(failure.getMessage().endsWith("went away while CONNECT was outstanding"), failure.getMessage());
        }
    }

    @Test
    void shouldTellWhetherItIsOpen() throws Exception {
        BlockingClient other = here.connectBlocking(there.endpoint().address(), LONG);
        assertTrue(other.isOpen());
        other.close();
        assertFalse(other.isOpen());

        assertTrue(client.isOpen());
        there.stop();
        failure(MessageType.SETUP, LONG);
        assertFalse(client.isOpen());
    }

    @Test
    void shouldTellWhyASessionWasNotOpened() throws IOException {
        ProxyException refused = assertThrows(ProxyException.class, () -> Rig.endpoint(
                new PeerId(2, 2), JobSecret.random(), new FakeHandler())
                .connectBlocking(there.endpoint().address(), LONG));
        assertSame(ProxyResult.INVALID_USAGE, refused.result());
        assertTrue(refused.getMessage().contains("has another job secret"), refused.getMessage());

        InetSocketAddress mute;
        try (var listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            mute = (InetSocketAddress) listener.getLocalAddress();
            assertSame(ProxyResult.TIMEOUT, assertThrows(ProxyException.class,
                    () -> here.connectBlocking(mute, Duration.ofMillis(20))).result());
        }
        assertSame(ProxyResult.REMOTE_ERROR,
                assertThrows(ProxyException.class, () -> here.connectBlocking(mute, LONG)).result());
        assertSame(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class, () -> here.connectBlocking(
                InetSocketAddress.createUnresolved("nowhere.invalid", 1), LONG)).result());
    }

    @Test
    void shouldPollAsLongAsItIsTold() throws Exception {
        RpcEndpoint spinning = Rig.endpoint(2, new FakeHandler(), "rpc.spin", "1m");
        try (BlockingClient spinner = spinning.connectBlocking(there.endpoint().address(), LONG)) {
            assertEquals("x", call(spinner, MessageType.SETUP, "x", LONG));
            Thread caller = Thread.ofPlatform().start(() -> assertThrows(ProxyException.class,
                    () -> call(spinner, MessageType.CONNECT, "x", LONG)));
            while (!stands(caller, "turn")) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < 1000; i++) {
                assertFalse(stands(caller, "select"));
            }
            caller.interrupt();
            caller.join();
        }
        spinning.onClose();
        assertSame(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                () -> Rig.endpoint(2, new FakeHandler(), "rpc.spin", "61m")).result());
    }

    @Test
    void shouldGiveBackEveryDescriptor() throws IOException {
        callOnce();
        long before = Descriptors.open();

        for (int i = 0; i < 200; i++) {
            callOnce();
        }

        while (Descriptors.open() > before) {
            Thread.yield();
        }
        assertEquals(1, there.endpoint().peers());
    }

    private void callOnce() {
        try (BlockingClient other = here.connectBlocking(there.endpoint().address(), LONG)) {
            call(other, MessageType.SETUP, "x", LONG);
        }
    }
}
