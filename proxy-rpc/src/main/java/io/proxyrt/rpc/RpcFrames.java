/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;

/** Writes frames, each into an array of its own, so that nothing has to be released. Any thread. */
final class RpcFrames {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private RpcFrames() {
    }

    static ByteBuf hello(PeerId self, byte[] nonce) {
        return Unpooled.wrappedBuffer(ByteBuffer.allocate(RpcFrameDescriptor.HELLO_BYTES)
                .putLong(RpcFrameDescriptor.MAGIC_OFFSET, RpcFrameDescriptor.MAGIC)
                .putShort(RpcFrameDescriptor.VERSION_OFFSET, (short) RpcFrameDescriptor.VERSION)
                .putInt(RpcFrameDescriptor.HELLO_RANK_OFFSET, self.rank())
                .putLong(RpcFrameDescriptor.HELLO_CLIENT_ID_OFFSET, self.clientId())
                .put(RpcFrameDescriptor.HELLO_NONCE_OFFSET, nonce));
    }

    /** A challenge or an ack. */
    static ByteBuf answer(int rank, byte[] nonceOrProof) {
        return Unpooled.wrappedBuffer(answer(ProxyResult.SUCCESS, rank, nonceOrProof.length)
                .put(RpcFrameDescriptor.ANSWER_HEADER_BYTES, nonceOrProof));
    }

    static ByteBuf refusal(ProxyResult status, int rank, String detail) {
        ByteBuffer text = utf8(detail);
        return Unpooled.wrappedBuffer(answer(status, rank, text.remaining())
                .putShort(RpcFrameDescriptor.ANSWER_DETAIL_LENGTH_OFFSET, (short) text.remaining())
                .put(RpcFrameDescriptor.ANSWER_HEADER_BYTES, text, 0, text.remaining()));
    }

    private static ByteBuffer answer(ProxyResult status, int rank, int bytes) {
        return ByteBuffer.allocate(RpcFrameDescriptor.ANSWER_HEADER_BYTES + bytes)
                .putLong(RpcFrameDescriptor.MAGIC_OFFSET, RpcFrameDescriptor.MAGIC)
                .putShort(RpcFrameDescriptor.VERSION_OFFSET, (short) RpcFrameDescriptor.VERSION)
                .putInt(RpcFrameDescriptor.ANSWER_STATUS_OFFSET, status.code())
                .putInt(RpcFrameDescriptor.ANSWER_RANK_OFFSET, rank);
    }

    static ByteBuf request(MessageType type, long callId, long connectionId, ByteBuffer body) {
        int frameBytes = RpcFrameDescriptor.REQUEST_BYTES + body.remaining();
        return Unpooled.wrappedBuffer(ByteBuffer.allocate(frameBytes)
                .putInt(RpcFrameDescriptor.LENGTH_OFFSET, frameBytes - RpcFrameDescriptor.LENGTH_BYTES)
                .put(RpcFrameDescriptor.KIND_OFFSET, (byte) type.code())
                .putLong(RpcFrameDescriptor.CALL_ID_OFFSET, callId)
                .putLong(RpcFrameDescriptor.REQUEST_CONNECTION_ID_OFFSET, connectionId)
                .put(RpcFrameDescriptor.REQUEST_BYTES, body, body.position(), body.remaining()));
    }

    /**
     * A response that respects the limit: a body that does not fit is replaced by an error that says so.
     */
    static ByteBuf response(long callId, ProxyResult result, String detail, ByteBuffer body, int maxFrameBytes) {
        ByteBuffer text = utf8(detail);
        long frameBytes = (long) RpcFrameDescriptor.RESPONSE_BYTES + text.remaining() + body.remaining();
        if (frameBytes > maxFrameBytes) {
            return frame(RpcFrameDescriptor.RESPONSE, callId, ProxyResult.INTERNAL_ERROR, utf8("the response, "
                    + body.remaining() + " bytes, is too long; see " + RpcOptions.MAX_FRAME_BYTES), NOTHING);
        }
        return frame(RpcFrameDescriptor.RESPONSE, callId, result, text, body);
    }

    static ByteBuf farewell(ProxyResult result, String detail) {
        return frame(RpcFrameDescriptor.FAREWELL, 0, result, utf8(detail), NOTHING);
    }

    private static ByteBuf frame(byte kind, long callId, ProxyResult result, ByteBuffer text, ByteBuffer body) {
        int frameBytes = RpcFrameDescriptor.RESPONSE_BYTES + text.remaining() + body.remaining();
        return Unpooled.wrappedBuffer(ByteBuffer.allocate(frameBytes)
                .putInt(RpcFrameDescriptor.LENGTH_OFFSET, frameBytes - RpcFrameDescriptor.LENGTH_BYTES)
                .put(RpcFrameDescriptor.KIND_OFFSET, kind)
                .putShort(RpcFrameDescriptor.RESPONSE_DETAIL_LENGTH_OFFSET, (short) text.remaining())
                .putLong(RpcFrameDescriptor.CALL_ID_OFFSET, callId)
                .putInt(RpcFrameDescriptor.RESPONSE_RESULT_OFFSET, result.code())
                .put(RpcFrameDescriptor.RESPONSE_BYTES, text, 0, text.remaining())
                .put(RpcFrameDescriptor.RESPONSE_BYTES + text.remaining(), body, body.position(), body.remaining()));
    }

    private static ByteBuffer utf8(String detail) {
        if (detail.isEmpty()) {
            return NOTHING;
        }
        ByteBuffer text = ByteBuffer.allocate(
                (int) Math.min(RpcFrameDescriptor.MAX_DETAIL_BYTES, 3L * detail.length()));
        UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPLACE).encode(CharBuffer.wrap(detail), text, true);
        return text.flip();
    }
}
