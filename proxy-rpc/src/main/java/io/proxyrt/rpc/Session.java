/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.spi.MessageType;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The service's end of a session: a hello, then requests, until the peer closes or breaks the rules. Its identity is
 * what {@link io.proxyrt.core.spi.RpcCall#peer()} gives. Confined to the loop.
 */
final class Session extends FrameHandler {
    /** Counted for each outstanding call on top of its frame: what it costs here. */
    private static final int CALL_OVERHEAD_BYTES = 128;

    private final RpcService service;
    private final RpcSettings settings;
    private Channel channel;
    private String name = "a peer that is gone";
    private boolean isAccepted;
    private boolean isReading;
    private long outstandingBytes;

    Session(RpcService service) {
        super(service.settings().helloTimeoutNs());
        this.service = service;
        this.settings = service.settings();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        if (channel.remoteAddress() instanceof InetSocketAddress remote) {
            name = Addresses.text(remote);
        }
        startDeadline(context);
    }

    @Override
    void onDeadline(ChannelHandlerContext context) {
        service.refusals().add(this, "no hello within " + settings.helloTimeout().toMillis() + " ms");
        endWith(context, RpcFrames.ack(ProxyResult.TIMEOUT, settings.rank(), "no hello within "
                + settings.helloTimeout().toMillis() + " ms"));
    }

    @Override
    void onClosed() {
        if (isAccepted) {
            isAccepted = false;
            service.onDisconnect(this);
        }
    }

    /** A peer that does not read its answers is not listened to until it does. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(context.channel().isWritable());
    }

    /** What was answered while reading goes out at once. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        isReading = false;
        context.flush();
    }

    @Override
    boolean decode(ChannelHandlerContext context, ByteBuf in) {
        isReading = true;
        return isAccepted ? decodeRequest(context, in) : decodeHello(context, in);
    }

    private boolean decodeHello(ChannelHandlerContext context, ByteBuf in) {
        if (!RpcFrameDescriptor.canBeMagic(in)) {
            service.refusals().add(this, "does not speak this protocol, it sent " + sample(in));
            end(context);
            return false;
        }
        if (in.readableBytes() < RpcFrameDescriptor.HELLO_BYTES) {
            return false;
        }
        int start = in.readerIndex();
        int rank = in.getInt(start + RpcFrameDescriptor.HELLO_RANK_OFFSET);
        String refusal = refusal(in, start, rank);
        if (refusal != null) {
            service.refusals().add(this, refusal);
            endWith(context, RpcFrames.ack(ProxyResult.INVALID_USAGE, settings.rank(), refusal));
            return false;
        }
        in.skipBytes(RpcFrameDescriptor.HELLO_BYTES);
        accept(context, rank);
        return in.isReadable();
    }

    private String refusal(ByteBuf in, int start, int rank) {
        int version = in.getUnsignedShort(start + RpcFrameDescriptor.VERSION_OFFSET);
        if (version != RpcFrameDescriptor.VERSION) {
            return "the caller speaks version " + version + " of the protocol, the service version "
                    + RpcFrameDescriptor.VERSION + "; use the same release";
        }
        if (in.getShort(start + RpcFrameDescriptor.HELLO_RESERVED_OFFSET) != 0 || rank < 0) {
            return "the hello is malformed";
        }
        return in.getLong(start + RpcFrameDescriptor.HELLO_JOB_ID_OFFSET) == settings.jobId()
                ? null : "rank " + rank + " is of another job";
    }

    private void accept(ChannelHandlerContext context, int rank) {
        stopDeadline();
        isAccepted = true;
        name = "rank " + rank + " at " + name;
        service.onAccepted();
        context.writeAndFlush(RpcFrames.ack(ProxyResult.SUCCESS, settings.rank(), ""));
    }

    private boolean decodeRequest(ChannelHandlerContext context, ByteBuf in) {
        if (in.readableBytes() < RpcFrameDescriptor.LENGTH_BYTES) {
            return false;
        }
        int start = in.readerIndex();
        long frameBytes = (long) in.getInt(start + RpcFrameDescriptor.LENGTH_OFFSET) + RpcFrameDescriptor.LENGTH_BYTES;
        if (frameBytes < RpcFrameDescriptor.REQUEST_BYTES) {
            breakOff(context, in, "a frame of " + frameBytes + " bytes", 0);
            return false;
        }
        if (in.readableBytes() < RpcFrameDescriptor.REQUEST_BYTES) {
            return false;
        }
        MessageType type = MessageType.of(in.getUnsignedByte(start + RpcFrameDescriptor.KIND_OFFSET));
        String fault = fault(in, start, frameBytes, type);
        if (fault != null) {
            breakOff(context, in, fault, in.getLong(start + RpcFrameDescriptor.CALL_ID_OFFSET));
            return false;
        }
        if (in.readableBytes() < frameBytes) {
            return false;
        }
        onRequest(in, type, (int) frameBytes);
        return in.isReadable();
    }

    private String fault(ByteBuf in, int start, long frameBytes, MessageType type) {
        if (frameBytes > settings.maxFrameBytes()) {
            return "a frame of " + frameBytes + " bytes, more than " + settings.maxFrameBytes() + "; see "
                    + RpcOptions.MAX_FRAME_BYTES;
        }
        if (type == null) {
            return "a request of unknown type " + in.getUnsignedByte(start + RpcFrameDescriptor.KIND_OFFSET);
        }
        return in.getByte(start + RpcFrameDescriptor.FLAGS_OFFSET) != 0
                || in.getShort(start + RpcFrameDescriptor.REQUEST_RESERVED_OFFSET) != 0
                ? "a request with reserved bits set" : null;
    }

    private void onRequest(ByteBuf in, MessageType type, int frameBytes) {
        int start = in.readerIndex();
        byte[] body = new byte[frameBytes - RpcFrameDescriptor.REQUEST_BYTES];
        in.getBytes(start + RpcFrameDescriptor.REQUEST_BYTES, body);
        SessionCall call = new SessionCall(this, type, in.getLong(start + RpcFrameDescriptor.CALL_ID_OFFSET),
                in.getLong(start + RpcFrameDescriptor.REQUEST_CONNECTION_ID_OFFSET), ByteBuffer.wrap(body));
        in.skipBytes(frameBytes);
        long others = outstandingBytes;
        outstandingBytes += cost(body.length);
        if (others > 0 && outstandingBytes > settings.maxOutstandingBytes()) {
            call.reply(ProxyResult.INVALID_USAGE, others + " bytes of requests wait for their answers already; see "
                    + RpcOptions.MAX_OUTSTANDING_BYTES, ByteBuffer.allocate(0));
        } else {
            service.onCall(call);
        }
    }

    /** Answers a call; dropped if the session is over. */
    void answer(long callId, int requestBytes, ProxyResult result, String detail, ByteBuffer response) {
        outstandingBytes -= cost(requestBytes);
        assert outstandingBytes >= 0 : outstandingBytes;
        if (!isDeaf()) {
            channel.write(RpcFrames.response(callId, result, detail, response, settings.maxFrameBytes()),
                    channel.voidPromise());
            if (!isReading) {
                channel.flush();
            }
        }
    }

    /** The peer broke the rules: tells it why, by the call's id if there is one to tell, and closes. */
    private void breakOff(ChannelHandlerContext context, ByteBuf in, String fault, long callId) {
        service.refusals().add(this, "sent " + fault + ": " + sample(in));
        String detail = "the service refused " + fault;
        endWith(context, callId == 0 ? RpcFrames.farewell(ProxyResult.INVALID_ARGUMENT, detail)
                : RpcFrames.response(callId, ProxyResult.INVALID_ARGUMENT, detail, ByteBuffer.allocate(0),
                        settings.maxFrameBytes()));
    }

    private static long cost(int bodyBytes) {
        return (long) CALL_OVERHEAD_BYTES + RpcFrameDescriptor.REQUEST_BYTES + bodyBytes;
    }

    @Override
    public String toString() {
        return name;
    }
}
