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
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.RpcCall;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RpcCallsTest {
    private final Rig rig = new Rig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void shouldCarryACallToAnotherRankAndItsAnswerBack() {
        FakeHandler handler = new FakeHandler();
        RpcEndpoint here = rig.open(0, new FakeHandler());
        RpcEndpoint there = rig.open(1, handler);
        ProxyClient client = rig.connect(here, there);

        ByteBuffer answer = rig.await(client.call(MessageType.SETUP, 42, Rig.bytes("ping")));

        assertEquals("ping", Rig.text(answer));
        assertSame(ByteOrder.BIG_ENDIAN, answer.order());
        assertFalse(answer.isReadOnly());
        RpcCall call = handler.calls.getFirst();
        assertSame(MessageType.SETUP, call.type());
        assertEquals(42, call.connectionId());
        assertTrue(call.request().isReadOnly());
        assertEquals(new PeerId(0, 1000), call.peer());
        assertTrue(call.toString().startsWith("SETUP of rank 0 at 127.0.0.1:"), call::toString);
        assertEquals(1, there.peers());
    }

    @Test
    void shouldServeItsOwnRankInOneThread() {
        RpcEndpoint endpoint = rig.open(3, new FakeHandler());
        ProxyClient client = rig.connect(endpoint, endpoint);

        assertEquals("me", Rig.text(rig.await(client.call(MessageType.INIT, 0, Rig.bytes("me")))));
    }

    @Test
    void shouldHandOverEveryTypeIncludingThoseCoreRefuses() {
        FakeHandler handler = new FakeHandler();
        RpcEndpoint endpoint = rig.open(0, handler);
        ProxyClient client = rig.connect(endpoint, endpoint);

        for (MessageType type : MessageType.values()) {
            rig.await(client.call(type, 0, FakeHandler.nothing()));
        }

        assertEquals(Arrays.asList(MessageType.values()), handler.calls.stream().map(RpcCall::type).toList());
    }

    @Test
    void shouldTakeFromPositionToLimitAndLeaveTheCallersBufferAlone() {
        RpcEndpoint endpoint = rig.open(0, new FakeHandler());
        ProxyClient client = rig.connect(endpoint, endpoint);
        ByteBuffer request = Rig.bytes("a body here").position(2).limit(6);

        CompletableFuture<ByteBuffer> answer = client.call(MessageType.SETUP, 1, request);
        request.put(2, (byte) 'X');

        assertEquals("body", Rig.text(rig.await(answer)));
        assertEquals(2, request.position());
        assertEquals(6, request.limit());
    }

    @Test
    void shouldMatchAnswersThatComeInAnotherOrder() {
        FakeHandler handler = FakeHandler.silent();
        RpcEndpoint endpoint = rig.open(0, handler);
        ProxyClient client = rig.connect(endpoint, endpoint);
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            answers.add(client.call(MessageType.CONNECT, i, Rig.bytes("call " + i)));
        }
        rig.await(() -> handler.calls.size() == 5);

        for (RpcCall call : handler.calls.reversed()) {
            FakeHandler.echo(call);
        }

        for (int i = 0; i < 5; i++) {
            assertEquals("call " + i, Rig.text(rig.await(answers.get(i))));
        }
    }

    @Test
    void shouldDeliverAnAnswerGivenInALaterDutyCycle() {
        FakeHandler handler = FakeHandler.silent();
        RpcEndpoint endpoint = rig.open(0, handler);
        ProxyClient client = rig.connect(endpoint, endpoint);
        CompletableFuture<ByteBuffer> answer = client.call(MessageType.CONNECT, 7, Rig.bytes("wait"));
        rig.await(() -> !handler.calls.isEmpty());
        rig.settle();
        assertFalse(answer.isDone());

        assertEquals("wait", Rig.text(handler.calls.getFirst().request()));
        FakeHandler.answer(handler.calls.getFirst(), "here");

        assertEquals("here", Rig.text(rig.await(answer)));
    }

    @Test
    void shouldDeliverAnAnswerGivenByAnotherThreadThanTheOneThatDroveLast() throws InterruptedException {
        FakeHandler handler = FakeHandler.silent();
        RpcEndpoint endpoint = rig.open(0, handler);
        ProxyClient client = rig.connect(endpoint, endpoint);
        CompletableFuture<ByteBuffer> answer = client.call(MessageType.CONNECT, 7, FakeHandler.nothing());
        rig.await(() -> !handler.calls.isEmpty());

        Thread.ofPlatform().start(() -> FakeHandler.answer(handler.calls.getFirst(), "elsewhere")).join();

        assertEquals("elsewhere", Rig.text(rig.await(answer)));
    }

    @Test
    void shouldDropAnAnswerWhosePeerLeft() {
        FakeHandler handler = FakeHandler.silent();
        RpcEndpoint here = rig.open(0, new FakeHandler());
        RpcEndpoint there = rig.open(1, handler);
        ProxyClient client = rig.connect(here, there);
        client.call(MessageType.CONNECT, 7, FakeHandler.nothing());
        rig.await(() -> !handler.calls.isEmpty());
        RpcCall call = handler.calls.getFirst();
        assertTrue(call.isOpen());

        client.close();
        rig.await(() -> there.peers() == 0);

        assertFalse(call.isOpen());
        assertEquals(List.of(call.peer()), handler.gone);
        FakeHandler.answer(call, "too late");
        rig.settle();
    }

    @Test
    void shouldTellTheCallerWhatFailedAndWhere() {
        RpcEndpoint here = rig.open(0, new FakeHandler());
        RpcEndpoint there = rig.open(5, new FakeHandler(
                call -> call.reply(ProxyResult.INVALID_USAGE, "Setup before Init \u2014 äöü", FakeHandler.nothing())));
        ProxyClient client = rig.connect(here, there);

        ProxyException failure = rig.failure(client.call(MessageType.SETUP, 9, FakeHandler.nothing()));

        assertSame(ProxyResult.INVALID_USAGE, failure.result());
        assertEquals("SETUP failed at the service of rank 5 at 127.0.0.1:" + Rig.port(there)
                + ": Setup before Init \u2014 äöü", failure.getMessage());
    }

    @Test
    void shouldCutADetailThatIsTooLong() {
        RpcEndpoint endpoint = rig.open(0, new FakeHandler(
                call -> call.reply(ProxyResult.SYSTEM_ERROR, "€".repeat(5000), FakeHandler.nothing())));
        ProxyClient client = rig.connect(endpoint, endpoint);

        ProxyException failure = rig.failure(client.call(MessageType.SETUP, 9, FakeHandler.nothing()));

        assertTrue(failure.getMessage().endsWith(": " + "€".repeat(RpcFrameDescriptor.MAX_DETAIL_BYTES / 3)));
    }

    @Test
    void shouldAnswerForAHandlerThatThrows() {
        RpcEndpoint endpoint = rig.open(0, new FakeHandler(call -> {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no such transport");
        }));
        ProxyClient client = rig.connect(endpoint, endpoint);

        ProxyException failure = rig.failure(client.call(MessageType.INIT, 0, FakeHandler.nothing()));

        assertSame(ProxyResult.INVALID_ARGUMENT, failure.result());
        assertTrue(failure.getMessage().endsWith(": no such transport"), failure.getMessage());
    }

    @Test
    void shouldThrowABugOfTheHandlerOutOfTheDutyCycleAndStillAnswer() {
        IllegalStateException bug = new IllegalStateException("a bug");
        RpcEndpoint endpoint = rig.open(0, new FakeHandler(call -> {
            throw bug;
        }));
        ProxyClient client = rig.connect(endpoint, endpoint);
        CompletableFuture<ByteBuffer> answer = client.call(MessageType.INIT, 0, FakeHandler.nothing());

        assertSame(bug, assertThrows(IllegalStateException.class, () -> rig.await(answer)));

        assertSame(ProxyResult.INTERNAL_ERROR, rig.failure(answer).result());
    }

    @Test
    void shouldRefuseASecondAnswerAndOneThatIsNone() {
        FakeHandler handler = FakeHandler.silent();
        RpcEndpoint endpoint = rig.open(0, handler);
        ProxyClient client = rig.connect(endpoint, endpoint);
        CompletableFuture<ByteBuffer> answer = client.call(MessageType.INIT, 0, FakeHandler.nothing());
        rig.await(() -> !handler.calls.isEmpty());
        RpcCall call = handler.calls.getFirst();

        assertThrows(ProxyException.class, () -> call.reply(ProxyResult.IN_PROGRESS, "", FakeHandler.nothing()));
        FakeHandler.answer(call, "once");
        assertThrows(ProxyException.class, () -> FakeHandler.answer(call, "twice"));

        assertEquals("once", Rig.text(rig.await(answer)));
    }

    @Test
    void shouldReplaceAnAnswerThatIsTooLongByAnError() {
        RpcEndpoint endpoint = rig.open(0, new FakeHandler(
                call -> call.reply(ProxyResult.SUCCESS, "", ByteBuffer.allocate(8192))), "rpc.max.frame.bytes", "4k");
        ProxyClient client = rig.connect(endpoint, endpoint);

        ProxyException failure = rig.failure(client.call(MessageType.SETUP, 0, FakeHandler.nothing()));

        assertSame(ProxyResult.INTERNAL_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("8192 bytes"), failure.getMessage());
    }

    @Test
    void shouldCarryTheLongestFrameAndRefuseToSendOneByteMore() {
        RpcEndpoint endpoint = rig.open(0, new FakeHandler());
        ProxyClient client = rig.connect(endpoint, endpoint);
        ByteBuffer longest = ByteBuffer.allocate((1 << 20) - RpcFrameDescriptor.REQUEST_BYTES);
        longest.put(longest.capacity() - 1, (byte) 77);

        ByteBuffer answer = rig.await(client.call(MessageType.SETUP, 0, longest));
        ProxyException failure = rig.failure(
                client.call(MessageType.SETUP, 0, ByteBuffer.allocate(longest.capacity() + 1)));

        assertEquals(longest, answer);
        assertSame(ProxyResult.INVALID_ARGUMENT, failure.result());
        rig.await(client.call(MessageType.SETUP, 0, FakeHandler.nothing()));
    }

    @Test
    void shouldKeepAThousandCallsApart() {
        RpcEndpoint here = rig.open(0, new FakeHandler());
        RpcEndpoint there = rig.open(1, new FakeHandler());
        ProxyClient client = rig.connect(here, there);
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();

        for (int i = 0; i < 1000; i++) {
            answers.add(client.call(MessageType.REGISTER, i, Rig.bytes("call " + i)));
        }

        for (int i = 0; i < 1000; i++) {
            assertEquals("call " + i, Rig.text(rig.await(answers.get(i))));
        }
    }

    @Test
    void shouldForgetACallItsCallerGaveUp() {
        FakeHandler handler = FakeHandler.silent();
        RpcEndpoint endpoint = rig.open(0, handler);
        ProxyClient client = rig.connect(endpoint, endpoint);
        CompletableFuture<ByteBuffer> given = client.call(MessageType.CONNECT, 0, FakeHandler.nothing());
        rig.await(() -> !handler.calls.isEmpty());

        given.cancel(false);
        assertTrue(client.toString().endsWith(", 0 calls outstanding"), client::toString);
        FakeHandler.answer(handler.calls.getFirst(), "late");
        rig.settle();

        CompletableFuture<ByteBuffer> next = client.call(MessageType.CONNECT, 0, FakeHandler.nothing());
        rig.await(() -> handler.calls.size() == 2);
        FakeHandler.answer(handler.calls.getLast(), "next");
        assertEquals("next", Rig.text(rig.await(next)));
    }

    @Test
    void shouldCompleteOutstandingCallsWhenTheClientCloses() {
        RpcEndpoint here = rig.open(0, new FakeHandler());
        RpcEndpoint there = rig.open(1, FakeHandler.silent());
        ProxyClient client = rig.connect(here, there);
        CompletableFuture<ByteBuffer> first = client.call(MessageType.SETUP, 1, FakeHandler.nothing());
        CompletableFuture<ByteBuffer> second = client.call(MessageType.CONNECT, 1, FakeHandler.nothing());

        client.close();
        client.close();

        assertTrue(first.isCompletedExceptionally());
        ProxyException failure = rig.failure(second);
        assertSame(ProxyResult.INVALID_USAGE, failure.result());
        assertEquals("this side closed its session with the service of rank 1 at 127.0.0.1:"
                + Rig.port(there) + " while CONNECT was outstanding", failure.getMessage());
        assertTrue(rig.failure(client.call(MessageType.INIT, 0, FakeHandler.nothing())).getMessage()
                .startsWith("INIT was not sent: this side closed"));
        rig.await(() -> there.peers() == 0);
    }

    @Test
    void shouldCompleteOutstandingCallsWhenTheServiceGoesAway() {
        RpcEndpoint here = rig.open(0, new FakeHandler());
        FakeHandler handler = FakeHandler.silent();
        RpcEndpoint there = rig.open(1, handler);
        ProxyClient client = rig.connect(here, there);
        CompletableFuture<ByteBuffer> answer = client.call(MessageType.SETUP, 1, FakeHandler.nothing());
        rig.await(() -> !handler.calls.isEmpty());

        there.onClose();

        ProxyException failure = rig.failure(answer);
        assertSame(ProxyResult.REMOTE_ERROR, failure.result());
        assertEquals("the service of rank 1 at 127.0.0.1:" + Rig.port(there)
                + " went away while SETUP was outstanding", failure.getMessage());
        assertEquals(1, handler.gone.size());
        assertSame(ProxyResult.REMOTE_ERROR,
                rig.failure(client.call(MessageType.INIT, 0, FakeHandler.nothing())).result());
    }

    @Test
    void shouldCompleteOutstandingCallsWhenItsOwnEndpointCloses() {
        RpcEndpoint here = rig.open(0, new FakeHandler());
        RpcEndpoint there = rig.open(1, FakeHandler.silent());
        ProxyClient client = rig.connect(here, there);
        CompletableFuture<ByteBuffer> answer = client.call(MessageType.SETUP, 1, FakeHandler.nothing());

        here.onClose();

        assertTrue(answer.isCompletedExceptionally());
        assertTrue(rig.failure(answer).getMessage().startsWith("rank 0 closed its runtime"));
        assertTrue(client.call(MessageType.INIT, 0, FakeHandler.nothing()).isCompletedExceptionally());
        assertTrue(here.connect(there.address()).isCompletedExceptionally());
    }

    @Test
    void shouldTellWhetherASessionIsOpen() {
        RpcEndpoint here = rig.open(0, new FakeHandler());
        RpcEndpoint there = rig.open(1, new FakeHandler());
        ProxyClient closed = rig.connect(here, there);
        ProxyClient left = rig.connect(here, there);
        assertTrue(closed.isOpen());

        closed.close();
        assertFalse(closed.isOpen());
        assertTrue(left.isOpen());
        there.onClose();

        rig.await(() -> !left.isOpen());
    }

    @Test
    void shouldCallAgainFromWithinAnAnswer() {
        RpcEndpoint endpoint = rig.open(0, new FakeHandler());
        ProxyClient client = rig.connect(endpoint, endpoint);

        CompletableFuture<ByteBuffer> second = client.call(MessageType.SETUP, 1, Rig.bytes("a"))
                .thenCompose(first -> client.call(MessageType.CONNECT, 1, Rig.bytes(Rig.text(first) + "b")));

        assertEquals("ab", Rig.text(rig.await(second)));
    }
}
