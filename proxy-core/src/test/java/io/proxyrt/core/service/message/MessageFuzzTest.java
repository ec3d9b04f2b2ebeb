/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.op.OpsPoolAddress;
import io.proxyrt.core.op.ProxyOpEncoder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Bytes of requests and responses, good and bad: whatever comes, the answer is a request or a ProxyException. */
class MessageFuzzTest {
    private static final int ROUNDS = 20_000;

    private final Random random = new Random(11);

    @Test
    void shouldReadRequestsAsTheyWereWritten() {
        assertRoundTrip(new InitRequest(2, Direction.RECV, 77), InitRequest::decode);
        assertRoundTrip(new SharedInitRequest(-5), SharedInitRequest::decode);
        assertRoundTrip(new RegisterRequest(RegisterRequest.Source.FD, 1, 2, Long.MAX_VALUE), RegisterRequest::decode);
        assertRoundTrip(new DeregisterRequest(Long.MIN_VALUE), DeregisterRequest::decode);
        StartRequest start = new StartRequest(6, List.of(new ProxyOpEncoder().connection(9).nbytes(3),
                new ProxyOpEncoder().connection(10)));
        StartRequest read = StartRequest.decode(start.encode());
        assertEquals(6, read.opCount());
        assertEquals(List.of(9L, 10L), read.ops().stream().map(ProxyOpEncoder::connection).toList());
        assertEquals(start.encode(), read.encode());
    }

    @Test
    void shouldReadWhereTheOpsPoolIs() {
        InitResponse made = new InitResponse(5, Optional.of(new OpsPoolAddress(Path.of("/dev/shm/größe/ops"), 2,
                4096, new ProcessIdentity(1, 2, 3))));
        ByteBuffer out = ByteBuffer.allocate(512);
        made.encode(out);
        assertEquals(made, new InitRequest(2, Direction.SEND, 1).response(out.flip()));
        ByteBuffer none = ByteBuffer.allocate(512);
        new InitResponse(6, Optional.empty()).encode(none);
        assertEquals(new InitResponse(6, Optional.empty()),
                new InitRequest(2, Direction.SEND, 1).response(none.flip()));
    }

    @Test
    void shouldReadAFarewellOnOneLine() {
        ByteBuffer out = ByteBuffer.allocate(Farewell.MAX_BYTES);
        new Farewell(true, 4, "rank 4\nis gone").encode(out);
        assertEquals(new Farewell(true, 4, "rank 4 is gone"), new WatchRequest().response(out.flip()));
    }

    @Test
    void shouldRefuseWhateverIsNoRequest() {
        List<Consumer<ByteBuffer>> decoders = List.of(InitRequest::decode, SharedInitRequest::decode,
                StartRequest::decode, RegisterRequest::decode, DeregisterRequest::decode, WatchRequest::decode,
                PingRequest::decode);
        assertTrue(refused(decoders, ProxyResult.INVALID_ARGUMENT) > ROUNDS / 2, "hardly any was refused");
    }

    @Test
    void shouldRefuseWhateverIsNoResponse() {
        List<Request<?>> requests = List.of(new InitRequest(2, Direction.SEND, 1), new CloseRequest(),
                new AbortRequest(), new StopRequest(), new DeregisterRequest(1), new PingRequest(),
                new RegisterRequest(RegisterRequest.Source.DEVICE, 1, 2, 3));
        List<Consumer<ByteBuffer>> decoders = requests.stream()
                .<Consumer<ByteBuffer>>map(request -> request::response).toList();
        assertTrue(refused(decoders, ProxyResult.REMOTE_ERROR) > ROUNDS / 2, "hardly any was refused");
    }

    private int refused(List<Consumer<ByteBuffer>> decoders, ProxyResult expected) {
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = new byte[random.nextInt(random.nextBoolean() ? 48 : 600)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                Arrays.fill(bytes, 0, Math.min(4, bytes.length), (byte) 0);
            }
            try {
                decoders.get(random.nextInt(decoders.size())).accept(ByteBuffer.wrap(bytes));
            } catch (ProxyException e) {
                assertEquals(expected, e.result());
                refused++;
            }
        }
        return refused;
    }

    private static <T extends Request<?>> void assertRoundTrip(T request, Function<ByteBuffer, T> decoder) {
        assertEquals(request, decoder.apply(request.encode()));
    }
}
