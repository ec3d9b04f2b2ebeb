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
import io.proxyrt.core.service.RpcCall;
import io.proxyrt.core.service.RpcHandler;
import io.proxyrt.core.service.message.MessageType;
import io.proxyrt.fuzz.Script;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The service's end of a session. The first byte says whether the fuzzer's peer knows the secret; then come pieces,
 * each behind its length. Whatever it says: no exception, and no buffer and no peer is left.
 */
public final class SessionFuzz {
    private static final JobSecret SECRET = JobSecret.of("known to both of the sides".getBytes(StandardCharsets.UTF_8));
    private static final RpcSettings SETTINGS = RpcSettings.of(ProxyConfig.builder().properties(Map.of())
            .environment(Map.of()).set("rpc.max.frame.bytes", "4k").build(), new PeerId(0, 1), SECRET);
    private static final PeerId INSIDER = new PeerId(3, 4);

    private SessionFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        Script script = new Script(input);
        Echo echo = new Echo();
        RpcService service = new RpcService(SETTINGS, echo);
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false);
        EmbeddedChannel channel = new EmbeddedChannel();
        Session session = new Session(service, channel);
        service.peers().unauthenticated().add(session, "fuzz", System.nanoTime());
        channel.pipeline().addLast(session);
        channel.pipeline().fireChannelActive();
        if ((script.nextByte() & 1) == 1) {
            shakeHands(channel, memory);
        }
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
        service.rethrowBug();
        require(echo.come == echo.gone, echo.come + " came, " + echo.gone + " went");
        require(service.peers().count() == 0, "a peer is left");
        require(memory.metric().usedHeapMemory() == 0, "a buffer is left");
    }

    /** Inputs to begin with. */
    public static List<byte[]> seeds() {
        byte[] hello = ByteBufUtil.getBytes(RpcFrames.hello(INSIDER, new byte[RpcFrameDescriptor.NONCE_BYTES]));
        byte[] requests = new byte[0];
        for (MessageType type : MessageType.values()) {
            byte[] frame = ByteBufUtil.getBytes(RpcFrames.request(type, type.code(), 7, ByteBuffer.allocate(9)));
            requests = joined(requests, new byte[] {(byte) (frame.length - 1)}, frame);
        }
        return List.of(joined(new byte[] {0, (byte) (hello.length - 1)}, hello, new byte[] {31}, new byte[32]),
                joined(new byte[] {1}, requests));
    }

    private static byte[] joined(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(java.util.Arrays.stream(parts).mapToInt(part -> part.length).sum());
        java.util.Arrays.stream(parts).forEach(all::put);
        return all.array();
    }

    private static void shakeHands(EmbeddedChannel channel, UnpooledByteBufAllocator memory) {
        ByteBuf hello = RpcFrames.hello(INSIDER, new byte[RpcFrameDescriptor.NONCE_BYTES]);
        Transcript transcript = new Transcript(SECRET).add(Addresses.dialled(channel.localAddress()))
                .add(hello.nioBuffer());
        channel.writeInbound(hello);
        ByteBuf challenge = channel.readOutbound();
        transcript.add(challenge.nioBuffer()).add(ByteBuffer.allocate(RpcTls.BINDING_BYTES));
        channel.writeInbound(memory.heapBuffer().writeBytes(transcript.proof(RpcFrameDescriptor.CALLER)));
        ByteBuf ack = channel.readOutbound();
        require(ack.getInt(RpcFrameDescriptor.ANSWER_STATUS_OFFSET) == 0, "a good handshake was refused");
    }

    private static void require(boolean isSo, String fault) {
        if (!isSo) {
            throw new IllegalStateException(fault);
        }
    }

    private static final class Echo implements RpcHandler {
        private int come;
        private int gone;

        @Override
        public void onCall(RpcCall call) {
            call.reply(ProxyResult.SUCCESS, "", call.request());
        }

        @Override
        public void onConnect(PeerId peer) {
            come++;
        }

        @Override
        public void onDisconnect(PeerId peer) {
            gone++;
        }
    }
}
