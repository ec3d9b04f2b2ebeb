/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.fuzz.Script;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The caller's end of a session, with a service that says what the fuzzer likes: before the handshake, within it, or
 * behind it, as the first byte has it. It is never trusted without a proof, and nothing is left.
 */
public final class ClientFuzz {
    private static final JobSecret SECRET = JobSecret.of("known to both of the sides".getBytes(StandardCharsets.UTF_8));
    /** No time to come again: a client that was displaced gives up at once. */
    private static final RpcSettings SETTINGS = RpcSettings.of(ProxyConfig.builder().properties(Map.of())
            .environment(Map.of()).set("rpc.max.frame.bytes", "4k").build(), new PeerId(3, 4), SECRET)
            .withOpenTimeout(Duration.ZERO);
    private static final InetSocketAddress NOWHERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final int SERVICE_RANK = 1;
    private static final TurnLoop LOOP = new TurnLoop();

    private ClientFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        Script script = new Script(input);
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false);
        RpcClient client = new RpcClient(LOOP, SETTINGS, memory, NOWHERE, ended -> { });
        EmbeddedChannel channel = new EmbeddedChannel(new ClientHandler(client, SETTINGS, SETTINGS.helloTimeoutNs()));
        int steps = script.nextByte() % 3;
        shakeHands(channel, memory, steps);
        while (!script.isOver()) {
            ByteBuf piece = memory.heapBuffer().writeBytes(script.next(1 + script.nextByte()));
            if (channel.isOpen()) {
                channel.writeInbound(piece);
            } else {
                piece.release();
            }
        }
        channel.checkException();
        channel.finishAndReleaseAll();
        LOOP.turn();
        require(client.opened().isDone(), "a session is neither open nor refused");
        require(steps == 2 || client.opened().isCompletedExceptionally(), "a service was trusted without a proof");
        require(memory.metric().usedHeapMemory() == 0, "a buffer is left");
    }

    /** Inputs to begin with. */
    public static List<byte[]> seeds() {
        byte[] challenge = ByteBufUtil.getBytes(RpcFrames.answer(1, new byte[RpcFrameDescriptor.NONCE_BYTES]));
        byte[] refusal = ByteBufUtil.getBytes(RpcFrames.refusal(ProxyResult.TIMEOUT, 1, "too late"));
        byte[] response = ByteBufUtil.getBytes(
                RpcFrames.response(1, ProxyResult.SUCCESS, "", ByteBuffer.allocate(8), 4096));
        byte[] farewell = ByteBufUtil.getBytes(RpcFrames.farewell(ProxyResult.INVALID_USAGE, "goodbye"));
        return List.of(piece(0, challenge), piece(0, refusal), piece(1, challenge), piece(1, refusal),
                piece(2, response), piece(2, farewell));
    }

    private static byte[] piece(int first, byte[] frame) {
        return ByteBuffer.allocate(2 + frame.length).put((byte) first).put((byte) (frame.length - 1)).put(frame)
                .array();
    }

    private static void shakeHands(EmbeddedChannel channel, UnpooledByteBufAllocator memory, int steps) {
        ByteBuf hello = channel.readOutbound();
        Transcript transcript = new Transcript(SECRET).add(Addresses.dialled(channel.remoteAddress()))
                .add(hello.nioBuffer());
        ByteBuf challenge = RpcFrames.answer(SERVICE_RANK, new byte[RpcFrameDescriptor.NONCE_BYTES]);
        transcript.add(challenge.nioBuffer()).add(ByteBuffer.allocate(RpcTls.BINDING_BYTES));
        if (steps > 0) {
            channel.writeInbound(memory.heapBuffer().writeBytes(challenge));
        }
        if (steps > 1) {
            byte[] proof = transcript.proof(RpcFrameDescriptor.SERVICE);
            channel.writeInbound(memory.heapBuffer().writeBytes(RpcFrames.answer(SERVICE_RANK, proof)));
        }
    }

    private static void require(boolean isSo, String fault) {
        if (!isSo) {
            throw new IllegalStateException(fault);
        }
    }
}
