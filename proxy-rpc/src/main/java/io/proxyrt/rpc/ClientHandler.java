/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/** The wire side of a client: shakes hands, then reads answers. The service is trusted no more than a caller is. */
final class ClientHandler extends FrameHandler {
    private final RpcClient client;
    private final RpcSettings settings;
    private Transcript transcript;
    private Step step = Step.CHALLENGE;
    private int serviceRank;
    private boolean isRepeated;

    private enum Step {
        CHALLENGE, ACK, OPEN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    ClientHandler(RpcClient client, RpcSettings settings, long patienceNs) {
        super(patienceNs);
        this.client = client;
        this.settings = settings;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        startDeadline(context);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        ByteBuf hello = RpcFrames.hello(settings.self(), Transcript.nonce());
        transcript = new Transcript(settings.secret()).add(Addresses.dialled(context.channel().remoteAddress()))
                .add(hello.nioBuffer());
        context.writeAndFlush(hello);
    }

    /** It is this runtime that asked. */
    @Override
    boolean isProven() {
        return true;
    }

    @Override
    void onDeadline(ChannelHandlerContext context) {
        client.endLate();
        end(context);
    }

    @Override
    void onTlsFailure(String reason) {
        client.end(ProxyResult.REMOTE_ERROR, client.service() + " and this side do not agree on TLS: " + reason);
    }

    /** A service that closes in a flood may reset the connection, and its last word is lost. */
    @Override
    void onReset(ChannelHandlerContext context, IOException cause) {
        if (step != Step.OPEN) {
            comeAgain(context, "the connection was reset");
        }
    }

    private void comeAgain(ChannelHandlerContext context, String why) {
        isRepeated = true;
        end(context);
        client.comeAgain(why);
    }

    @Override
    void onClosed() {
        if (isRepeated) {
            return;
        }
        client.end(ProxyResult.REMOTE_ERROR, client.service()
                + (step == Step.OPEN ? " went away" : " closed the connection instead of accepting a session"
                        + (step == Step.CHALLENGE && settings.tls().isOn()
                                ? "; perhaps it speaks no TLS, which is on here" : "")));
    }

    @Override
    boolean decode(ChannelHandlerContext context, ByteBuf in) {
        return step == Step.OPEN ? decodeResponse(context, in) : decodeAnswer(context, in);
    }

    /** A challenge, an ack, or a refusal instead of either. */
    private boolean decodeAnswer(ChannelHandlerContext context, ByteBuf in) {
        if (!RpcFrameDescriptor.canBeMagic(in)) {
            return distrust(context, in, "does not speak this protocol");
        }
        if (in.readableBytes() < RpcFrameDescriptor.ANSWER_HEADER_BYTES) {
            return false;
        }
        ProxyResult status = ProxyResult.of(in.getInt(in.readerIndex() + RpcFrameDescriptor.ANSWER_STATUS_OFFSET));
        if (status != ProxyResult.SUCCESS) {
            return decodeRefusal(context, in, status);
        }
        if (!isSoundAnswer(context, in) || in.readableBytes() < RpcFrameDescriptor.ANSWER_BYTES) {
            return false;
        }
        return step == Step.CHALLENGE ? prove(context, in) : accept(context, in);
    }

    private boolean decodeRefusal(ChannelHandlerContext context, ByteBuf in, ProxyResult status) {
        int start = in.readerIndex();
        int detailBytes = in.getUnsignedShort(start + RpcFrameDescriptor.ANSWER_DETAIL_LENGTH_OFFSET);
        if (detailBytes > RpcFrameDescriptor.MAX_DETAIL_BYTES) {
            return distrust(context, in, "sent a malformed refusal");
        }
        if (in.readableBytes() < RpcFrameDescriptor.ANSWER_HEADER_BYTES + detailBytes) {
            return false;
        }
        if (status == ProxyResult.IN_PROGRESS || status == ProxyResult.TIMEOUT) {
            comeAgain(context, detail(in, start + RpcFrameDescriptor.ANSWER_HEADER_BYTES, detailBytes));
        } else {
            client.end(status.isError() ? status : ProxyResult.REMOTE_ERROR, client.service() + " refused the session: "
                    + detail(in, start + RpcFrameDescriptor.ANSWER_HEADER_BYTES, detailBytes));
            end(context);
        }
        return false;
    }

    private boolean isSoundAnswer(ChannelHandlerContext context, ByteBuf in) {
        int start = in.readerIndex();
        int version = in.getUnsignedShort(start + RpcFrameDescriptor.VERSION_OFFSET);
        if (version != RpcFrameDescriptor.VERSION) {
            return distrust(context, in, "speaks version " + version + " of the protocol, not "
                    + RpcFrameDescriptor.VERSION);
        }
        int rank = in.getInt(start + RpcFrameDescriptor.ANSWER_RANK_OFFSET);
        if (in.getShort(start + RpcFrameDescriptor.ANSWER_DETAIL_LENGTH_OFFSET) != 0
                || in.getInt(start + RpcFrameDescriptor.ANSWER_RESERVED_OFFSET) != 0 || rank < 0
                || step == Step.ACK && rank != serviceRank) {
            return distrust(context, in, "sent a malformed " + step);
        }
        serviceRank = rank;
        return true;
    }

    private boolean prove(ChannelHandlerContext context, ByteBuf in) {
        transcript.add(in.nioBuffer(in.readerIndex(), RpcFrameDescriptor.ANSWER_BYTES))
                .add(ByteBuffer.wrap(RpcTls.binding(context.pipeline())));
        in.skipBytes(RpcFrameDescriptor.ANSWER_BYTES);
        step = Step.ACK;
        context.writeAndFlush(Unpooled.wrappedBuffer(transcript.proof(RpcFrameDescriptor.CALLER)));
        return in.isReadable();
    }

    private boolean accept(ChannelHandlerContext context, ByteBuf in) {
        ByteBuffer proof = in.nioBuffer(in.readerIndex() + RpcFrameDescriptor.ANSWER_HEADER_BYTES,
                RpcFrameDescriptor.PROOF_BYTES);
        if (!transcript.isProof(RpcFrameDescriptor.SERVICE, proof)) {
            client.end(ProxyResult.REMOTE_ERROR, client.service() + " did not prove that it knows the job secret: it "
                    + "is of another job, another process took its address, or one in between forwards to it");
            end(context);
            return false;
        }
        stopDeadline();
        transcript = null;
        step = Step.OPEN;
        in.skipBytes(RpcFrameDescriptor.ANSWER_BYTES);
        client.onAccepted(serviceRank);
        return in.isReadable();
    }

    private boolean decodeResponse(ChannelHandlerContext context, ByteBuf in) {
        if (in.readableBytes() < RpcFrameDescriptor.RESPONSE_BYTES) {
            return false;
        }
        int start = in.readerIndex();
        long frameBytes = (long) in.getInt(start + RpcFrameDescriptor.LENGTH_OFFSET) + RpcFrameDescriptor.LENGTH_BYTES;
        if (frameBytes > settings.limits().maxFrameBytes()) {
            return distrust(context, in, "sent a frame of " + frameBytes + " bytes, more than "
                    + settings.limits().maxFrameBytes() + " (see " + RpcOptions.MAX_FRAME_BYTES + ")");
        }
        int detailBytes = in.getUnsignedShort(start + RpcFrameDescriptor.RESPONSE_DETAIL_LENGTH_OFFSET);
        if (!isSound(in, start) || detailBytes > frameBytes - RpcFrameDescriptor.RESPONSE_BYTES) {
            return distrust(context, in, "sent a malformed response");
        }
        if (in.readableBytes() < frameBytes) {
            return false;
        }
        onFrame(context, in, detailBytes, (int) frameBytes);
        return in.isReadable();
    }

    private static boolean isSound(ByteBuf in, int start) {
        byte kind = in.getByte(start + RpcFrameDescriptor.KIND_OFFSET);
        return (kind == RpcFrameDescriptor.RESPONSE || kind == RpcFrameDescriptor.FAREWELL)
                && in.getByte(start + RpcFrameDescriptor.FLAGS_OFFSET) == 0
                && in.getUnsignedShort(start + RpcFrameDescriptor.RESPONSE_DETAIL_LENGTH_OFFSET)
                        <= RpcFrameDescriptor.MAX_DETAIL_BYTES
                && in.getInt(start + RpcFrameDescriptor.RESPONSE_RESERVED_OFFSET) == 0;
    }

    private void onFrame(ChannelHandlerContext context, ByteBuf in, int detailBytes, int frameBytes) {
        int start = in.readerIndex();
        ProxyResult result = ProxyResult.of(in.getInt(start + RpcFrameDescriptor.RESPONSE_RESULT_OFFSET));
        String detail = detail(in, start + RpcFrameDescriptor.RESPONSE_BYTES, detailBytes);
        byte[] body = new byte[frameBytes - RpcFrameDescriptor.RESPONSE_BYTES - detailBytes];
        in.getBytes(start + RpcFrameDescriptor.RESPONSE_BYTES + detailBytes, body);
        long callId = in.getLong(start + RpcFrameDescriptor.CALL_ID_OFFSET);
        byte kind = in.getByte(start + RpcFrameDescriptor.KIND_OFFSET);
        in.skipBytes(frameBytes);
        if (kind == RpcFrameDescriptor.FAREWELL) {
            client.end(result.isError() ? result : ProxyResult.REMOTE_ERROR,
                    client.service() + " ended the session: " + detail);
            end(context);
        } else {
            client.onResponse(callId, result, detail, ByteBuffer.wrap(body));
        }
    }

    private boolean distrust(ChannelHandlerContext context, ByteBuf in, String fault) {
        client.end(ProxyResult.REMOTE_ERROR, client.service() + " " + fault + ": " + sample(in));
        end(context);
        return false;
    }

    @Override
    public String toString() {
        return client.toString();
    }
}
