/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;

/** The wire side of a client: says hello, then reads answers. The service is trusted no more than a caller is. */
final class ClientHandler extends FrameHandler {
    private final RpcClient client;
    private final RpcSettings settings;
    private boolean isAccepted;

    ClientHandler(RpcClient client, RpcSettings settings) {
        super(settings.helloTimeoutNs());
        this.client = client;
        this.settings = settings;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        startDeadline(context);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.writeAndFlush(RpcFrames.hello(settings.rank(), settings.jobId()));
    }

    @Override
    void onDeadline(ChannelHandlerContext context) {
        client.end(ProxyResult.TIMEOUT, client.service() + " did not accept a session within "
                + settings.helloTimeout().toMillis() + " ms");
        end(context);
    }

    @Override
    void onClosed() {
        client.end(ProxyResult.REMOTE_ERROR, client.service()
                + (isAccepted ? " went away" : " closed the connection instead of accepting a session"));
    }

    @Override
    boolean decode(ChannelHandlerContext context, ByteBuf in) {
        return isAccepted ? decodeResponse(context, in) : decodeAck(context, in);
    }

    private boolean decodeAck(ChannelHandlerContext context, ByteBuf in) {
        if (!RpcFrameDescriptor.canBeMagic(in)) {
            return distrust(context, in, "does not speak this protocol");
        }
        if (in.readableBytes() < RpcFrameDescriptor.ACK_BYTES) {
            return false;
        }
        int start = in.readerIndex();
        int detailBytes = in.getUnsignedShort(start + RpcFrameDescriptor.ACK_DETAIL_LENGTH_OFFSET);
        if (detailBytes > RpcFrameDescriptor.MAX_DETAIL_BYTES) {
            return distrust(context, in, "sent a malformed hello-ack");
        }
        if (in.readableBytes() < RpcFrameDescriptor.ACK_BYTES + detailBytes) {
            return false;
        }
        ProxyResult status = ProxyResult.of(in.getInt(start + RpcFrameDescriptor.ACK_STATUS_OFFSET));
        if (status == ProxyResult.SUCCESS) {
            return accept(context, in, RpcFrameDescriptor.ACK_BYTES + detailBytes);
        }
        client.end(status.isError() ? status : ProxyResult.REMOTE_ERROR, client.service() + " refused the session: "
                + detail(in, start + RpcFrameDescriptor.ACK_BYTES, detailBytes));
        end(context);
        return false;
    }

    private boolean accept(ChannelHandlerContext context, ByteBuf in, int frameBytes) {
        int start = in.readerIndex();
        int version = in.getUnsignedShort(start + RpcFrameDescriptor.VERSION_OFFSET);
        if (version != RpcFrameDescriptor.VERSION) {
            return distrust(context, in, "speaks version " + version + " of the protocol, not "
                    + RpcFrameDescriptor.VERSION);
        }
        if (in.getInt(start + RpcFrameDescriptor.ACK_RESERVED_OFFSET) != 0) {
            return distrust(context, in, "sent a malformed hello-ack");
        }
        stopDeadline();
        isAccepted = true;
        int rank = in.getInt(start + RpcFrameDescriptor.ACK_RANK_OFFSET);
        in.skipBytes(frameBytes);
        client.onAccepted(rank);
        return in.isReadable();
    }

    private boolean decodeResponse(ChannelHandlerContext context, ByteBuf in) {
        if (in.readableBytes() < RpcFrameDescriptor.RESPONSE_BYTES) {
            return false;
        }
        int start = in.readerIndex();
        long frameBytes = (long) in.getInt(start + RpcFrameDescriptor.LENGTH_OFFSET) + RpcFrameDescriptor.LENGTH_BYTES;
        if (frameBytes > settings.maxFrameBytes()) {
            return distrust(context, in, "sent a frame of " + frameBytes + " bytes, more than "
                    + settings.maxFrameBytes() + " (see " + RpcOptions.MAX_FRAME_BYTES + ")");
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
