/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.spi.MessageType;
import io.proxyrt.core.spi.ProxyClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Services that break the rules, or are not there. */
class HostileServiceTest {
    private final Rig rig = new Rig();
    private ServerSocketChannel listener;
    private RpcEndpoint caller;
    private InetSocketAddress address;
    private RawPeer service;

    @BeforeEach
    void open() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        address = (InetSocketAddress) listener.getLocalAddress();
        caller = rig.open(0, new FakeHandler(), "rpc.hello.timeout", "5s");
    }

    @AfterEach
    void close() throws IOException {
        if (service != null) {
            service.close();
        }
        listener.close();
        rig.close();
    }

    private CompletableFuture<ProxyClient> connect() throws IOException {
        CompletableFuture<ProxyClient> session = caller.connect(address);
        caller.doWork();
        SocketChannel accepted = listener.accept();
        service = new RawPeer(accepted);
        rig.await(() -> {
            service.receive();
            return service.received().length == RpcFrameDescriptor.HELLO_BYTES;
        });
        service.forget();
        return session;
    }

    private CompletableFuture<ByteBuffer> callOf(CompletableFuture<ProxyClient> session) {
        service.send(RawPeer.ack(8));
        CompletableFuture<ByteBuffer> answer = rig.await(session).call(MessageType.SETUP, 0, FakeHandler.nothing());
        rig.settle();
        return answer;
    }

    private static byte[] response(long callId) {
        return RawPeer.bytes(RpcFrames.response(
                callId, ProxyResult.SUCCESS, "", Rig.bytes("ok"), 1 << 20));
    }

    private void assertBroken(CompletableFuture<?> future, String reason) {
        ProxyException failure = rig.failure(future);
        assertSame(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains(reason), failure.getMessage());
        rig.await(() -> {
            service.receive();
            return service.isAtEnd();
        });
    }

    @Test
    void shouldTellThatNobodyListens() throws IOException {
        listener.close();

        ProxyException failure = rig.failure(caller.connect(address));

        assertSame(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().startsWith("cannot reach the service at 127.0.0.1:" + address.getPort()
                + ": Connection refused"), failure.getMessage());
    }

    @Test
    void shouldRefuseAHostThatIsNotKnown() {
        ProxyException failure = rig.failure(caller.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1)));

        assertSame(ProxyResult.INVALID_ARGUMENT, failure.result());
    }

    @Test
    void shouldGiveUpOnAServiceThatNeverAccepts() {
        RpcEndpoint hurried = rig.open(1, new FakeHandler(), "rpc.hello.timeout", "30ms");

        ProxyException failure = rig.failure(hurried.connect(address));

        assertSame(ProxyResult.TIMEOUT, failure.result());
        assertTrue(failure.getMessage().endsWith("did not accept a session within 30 ms"), failure.getMessage());
    }

    @Test
    void shouldDistrustAnAnswerInAnotherProtocol() throws IOException {
        CompletableFuture<ProxyClient> session = connect();

        service.send("HTTP/1.1 400 Bad Request\r\n");

        assertBroken(session, "does not speak this protocol: \"HTTP/1.1 400 Bad Request..\"");
    }

    @Test
    void shouldDistrustMalformedHelloAcks() throws IOException {
        int[][] changes = {{RpcFrameDescriptor.VERSION_OFFSET, 3}, {RpcFrameDescriptor.ACK_DETAIL_LENGTH_OFFSET, 0x7f},
                {RpcFrameDescriptor.ACK_RESERVED_OFFSET, 1}};
        for (int[] change : changes) {
            CompletableFuture<ProxyClient> session = connect();
            byte[] ack = RawPeer.ack(8);
            ack[change[0]] = (byte) change[1];

            service.send(ack);

            assertBroken(session, change[0] == RpcFrameDescriptor.VERSION_OFFSET ? "speaks version" : "malformed");
        }
    }

    @Test
    void shouldNoticeAServiceThatClosesInsteadOfAccepting() throws IOException {
        CompletableFuture<ProxyClient> session = connect();

        service.close();

        ProxyException failure = rig.failure(session);
        assertSame(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().endsWith("closed the connection instead of accepting a session"));
    }

    @Test
    void shouldDistrustMalformedResponses() throws IOException {
        byte[][] headers = {
            response(1), response(1), response(1), response(1), response(1), response(1)};
        ByteBuffer.wrap(headers[0]).putInt(-1);
        ByteBuffer.wrap(headers[1]).putInt(3);
        headers[2][RpcFrameDescriptor.KIND_OFFSET] = 9;
        headers[3][RpcFrameDescriptor.FLAGS_OFFSET] = 9;
        headers[4][RpcFrameDescriptor.RESPONSE_DETAIL_LENGTH_OFFSET + 1] = 3;
        headers[5][RpcFrameDescriptor.RESPONSE_RESERVED_OFFSET] = 1;
        for (byte[] header : headers) {
            CompletableFuture<ByteBuffer> answer = callOf(connect());

            service.send(header);

            assertBroken(answer, "the service of rank 8 at 127.0.0.1:" + address.getPort()
                    + " sent a malformed response");
        }
    }

    @Test
    void shouldDistrustAResponseAboveTheLimit() throws IOException {
        CompletableFuture<ByteBuffer> answer = callOf(connect());
        byte[] header = response(1);
        ByteBuffer.wrap(header).putInt(Integer.MAX_VALUE);

        service.send(header);

        assertBroken(answer, "sent a frame of 2147483651 bytes, more than 1048576");
    }

    @Test
    void shouldDistrustAnAnswerToNoCall() throws IOException {
        CompletableFuture<ByteBuffer> answer = callOf(connect());

        service.send(response(2));

        assertBroken(answer, "answered a call that nobody made, number 2");
    }

    @Test
    void shouldPassOnAFarewell() throws IOException {
        CompletableFuture<ByteBuffer> answer = callOf(connect());

        service.send(RawPeer.bytes(RpcFrames.farewell(ProxyResult.REMOTE_ERROR, "so long")));

        assertBroken(answer, "ended the session: so long while SETUP was outstanding");
    }

    @Test
    void shouldKeepWhatTheServiceSaysOnOneLine() throws IOException {
        CompletableFuture<ProxyClient> session = connect();

        service.send(RawPeer.bytes(RpcFrames.ack(ProxyResult.INVALID_USAGE, 0, "no\r\nERROR \u001b[31mforged")));

        assertTrue(rig.failure(session).getMessage().endsWith("refused the session: no ERROR  [31mforged"),
                rig.failure(session).getMessage());
    }

    @Test
    void shouldTakeInProgressForNoAnswerAndAnUnknownResultForAnError() throws IOException {
        CompletableFuture<ProxyClient> session = connect();
        CompletableFuture<ByteBuffer> first = callOf(session);
        CompletableFuture<ByteBuffer> second = rig.await(session).call(MessageType.SETUP, 0, FakeHandler.nothing());
        byte[] pending = response(1);
        ByteBuffer.wrap(pending).putInt(RpcFrameDescriptor.RESPONSE_RESULT_OFFSET, ProxyResult.IN_PROGRESS.code());
        byte[] unknown = response(2);
        ByteBuffer.wrap(unknown).putInt(RpcFrameDescriptor.RESPONSE_RESULT_OFFSET, 4711);

        service.send(pending);
        service.send(unknown);

        assertSame(ProxyResult.REMOTE_ERROR, rig.failure(first).result());
        assertSame(ProxyResult.INTERNAL_ERROR, rig.failure(second).result());
    }

    @Test
    void shouldUnderstandResponsesThatTrickleIn() throws IOException {
        CompletableFuture<ByteBuffer> answer = callOf(connect());

        for (byte b : response(1)) {
            assertFalse(answer.isDone());
            service.send(new byte[] {b});
            rig.settle();
        }

        assertEquals("ok", StandardCharsets.UTF_8.decode(rig.await(answer)).toString());
    }

    @Test
    void shouldNotKeepASessionThatNobodyWaitsFor() throws IOException {
        CompletableFuture<ProxyClient> session = connect();
        session.cancel(false);

        service.send(RawPeer.ack(8));

        rig.await(() -> {
            service.receive();
            return service.isAtEnd();
        });
    }
}
