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
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
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
    private byte[] hello;

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
        hello = service.received();
        service.forget();
        return session;
    }

    /** Goes on with the handshake, up to the ack. */
    private void challenge() {
        service.send(RawPeer.challenge(8));
        rig.await(() -> {
            service.receive();
            return service.received().length == RpcFrameDescriptor.PROOF_BYTES;
        });
    }

    private byte[] ack() {
        return service.ack(hello, RawPeer.challenge(8), 8, Rig.SECRET);
    }

    private CompletableFuture<ByteBuffer> callOf(CompletableFuture<ProxyClient> session) {
        challenge();
        service.send(ack());
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
    void shouldTellThatNoServiceListens() throws IOException {
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
        RpcEndpoint hurried = rig.open(1, new FakeHandler(), "connect.timeout", "30ms");

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
    void shouldDistrustMalformedChallengesAndAcks() throws IOException {
        int[][] changes = {{RpcFrameDescriptor.VERSION_OFFSET, 3}, {RpcFrameDescriptor.ANSWER_DETAIL_LENGTH_OFFSET, 1},
                {RpcFrameDescriptor.ANSWER_RANK_OFFSET, 0x80}, {RpcFrameDescriptor.ANSWER_RESERVED_OFFSET, 1}};
        for (int[] change : changes) {
            String fault = change[0] == RpcFrameDescriptor.VERSION_OFFSET ? "speaks version" : "sent a malformed ";
            CompletableFuture<ProxyClient> session = connect();
            service.send(changed(RawPeer.challenge(8), change));
            assertBroken(session, change[1] == 3 ? fault : fault + "challenge");

            session = connect();
            challenge();
            service.send(changed(ack(), change));
            assertBroken(session, change[1] == 3 ? fault : fault + "ack");
        }
    }

    private static byte[] changed(byte[] frame, int[] change) {
        frame[change[0]] = (byte) change[1];
        return frame;
    }

    @Test
    void shouldDistrustARefusalThatIsTooLong() throws IOException {
        CompletableFuture<ProxyClient> session = connect();

        service.send(changed(RawPeer.bytes(RpcFrames.refusal(ProxyResult.INVALID_USAGE, 8, "no")),
                new int[] {RpcFrameDescriptor.ANSWER_DETAIL_LENGTH_OFFSET, 0x7f}));

        assertBroken(session, "sent a malformed refusal");
    }

    @Test
    void shouldDistrustAnAckOfAnotherRankThanTheChallenge() throws IOException {
        CompletableFuture<ProxyClient> session = connect();
        challenge();

        service.send(service.ack(hello, RawPeer.challenge(8), 9, Rig.SECRET));

        assertBroken(session, "sent a malformed ack");
    }

    @Test
    void shouldRefuseAServiceThatDoesNotKnowTheSecret() throws IOException {
        CompletableFuture<ProxyClient> session = connect();
        challenge();

        service.send(service.ack(hello, RawPeer.challenge(8), 8, JobSecret.random()));

        assertBroken(session, "did not prove that it knows the job secret");
    }

    @Test
    void shouldNotTakeItsOwnProofForTheServices() throws IOException {
        CompletableFuture<ProxyClient> session = connect();
        challenge();

        service.send(RawPeer.bytes(RpcFrames.answer(8, service.received())));

        assertBroken(session, "did not prove that it knows the job secret");
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

        assertBroken(answer, "answered a call that was not made, number 2");
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

        service.send(RawPeer.bytes(RpcFrames.refusal(ProxyResult.INVALID_USAGE, 0, "no\r\nERROR \u001b[31mforged")));

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
    void shouldNotKeepASessionThatNoCallerWaitsFor() throws IOException {
        CompletableFuture<ProxyClient> session = connect();
        session.cancel(false);

        challenge();
        service.send(ack());

        rig.await(() -> {
            service.receive();
            return service.isAtEnd();
        });
    }
}
