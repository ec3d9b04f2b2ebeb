/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.op.OpsPoolAddress;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Bodies and what ranks say of themselves. Bytes are refused, or they mean something, and then that is written with the
 * same bytes.
 */
public final class MessagesFuzz {
    private static final InitRequest INIT = new InitRequest(1, Direction.SEND, 2);
    private static final int MOST_RESPONSE_BYTES = 1 << 16;
    /** Each undoes an encoding, and encodes again. */
    private static final List<Function<byte[], ByteBuffer>> DECODERS = List.of(
            bytes -> again(InitRequest.decode(ByteBuffer.wrap(bytes))),
            bytes -> again(SharedInitRequest.decode(ByteBuffer.wrap(bytes))),
            bytes -> again(StartRequest.decode(ByteBuffer.wrap(bytes))),
            bytes -> again(RegisterRequest.decode(ByteBuffer.wrap(bytes))),
            bytes -> again(DeregisterRequest.decode(ByteBuffer.wrap(bytes))),
            bytes -> again(INIT.response(ByteBuffer.wrap(bytes))),
            bytes -> again(new WatchRequest().response(ByteBuffer.wrap(bytes))),
            bytes -> again(new PingRequest().response(ByteBuffer.wrap(bytes))),
            bytes -> ByteBuffer.wrap(PeerInfo.decode(bytes).encode()));

    private MessagesFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        Function<byte[], ByteBuffer> decoder = DECODERS.get(Byte.toUnsignedInt(input[0]) % DECODERS.size());
        byte[] body = Arrays.copyOfRange(input, 1, input.length);
        ByteBuffer again;
        try {
            again = decoder.apply(body);
        } catch (ProxyException e) {
            return;
        }
        byte[] second = new byte[again.remaining()];
        again.get(second);
        if (!decoder.apply(second).equals(ByteBuffer.wrap(second))) {
            throw new IllegalStateException("what was understood is written in another way each time");
        }
    }

    /** Inputs to begin with. */
    public static List<byte[]> seeds() throws java.io.IOException {
        ByteBuffer made = ByteBuffer.allocate(MOST_RESPONSE_BYTES);
        new InitResponse(5, Optional.of(new OpsPoolAddress(Path.of("/dev/shm/ops"), 3, 4096,
                new ProcessIdentity(11, 12, 13)))).encode(made);
        ByteBuffer word = ByteBuffer.allocate(Farewell.MAX_BYTES);
        new Farewell(true, 3, "rank 3 died").encode(word);
        ByteBuffer presence = ByteBuffer.allocate(MOST_RESPONSE_BYTES);
        new PingResponse(1, 77, true).encode(presence);
        byte[] address = {127, 0, 0, 1};
        PeerProcess process = new PeerProcess(2, 3, 4, 5, 6, 7);
        List<byte[]> bodies = List.of(bytes(INIT.encode()), bytes(new SharedInitRequest(3).encode()),
                bytes(new StartRequest(7, List.of(new ProxyOpEncoder())).encode()),
                bytes(new RegisterRequest(RegisterRequest.Source.FD, 1, 2, 3).encode()),
                bytes(new DeregisterRequest(4).encode()), bytes(made.flip()),
                bytes(word.flip()), bytes(presence.flip()),
                new PeerInfo(1, process, new InetSocketAddress(InetAddress.getByAddress(address), 99), "@a").encode(),
                new PeerInfo(1, process, UnixDomainSocketAddress.of("/tmp/a"), "").encode());
        List<byte[]> seeds = new ArrayList<>();
        for (int i = 0; i < bodies.size(); i++) {
            byte[] body = bodies.get(i);
            seeds.add(ByteBuffer.allocate(1 + body.length).put((byte) Math.min(i, DECODERS.size() - 1)).put(body)
                    .array());
        }
        return seeds;
    }

    private static ByteBuffer again(Farewell word) {
        ByteBuffer out = ByteBuffer.allocate(MOST_RESPONSE_BYTES);
        word.encode(out);
        return out.flip();
    }

    private static ByteBuffer again(PingResponse presence) {
        ByteBuffer out = ByteBuffer.allocate(MOST_RESPONSE_BYTES);
        presence.encode(out);
        return out.flip();
    }

    private static byte[] bytes(ByteBuffer body) {
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        return bytes;
    }

    private static ByteBuffer again(Request<?> request) {
        return request.encode();
    }

    private static ByteBuffer again(InitResponse response) {
        ByteBuffer out = ByteBuffer.allocate(MOST_RESPONSE_BYTES);
        response.encode(out);
        return out.flip();
    }
}
