/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.auth.UserFilter;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;

/**
 * The service's end of a session: a handshake, then requests, until the peer closes or breaks the rules. Confined to
 * the loop.
 */
final class Session extends FrameHandler {
    /** Counted for each outstanding call on top of its frame: what it costs here. */
    private static final int CALL_OVERHEAD_BYTES = 128;

    private static final byte TLS_HANDSHAKE = 0x16;

    private final RpcService service;
    private final RpcSettings settings;
    private final Channel channel;
    private String name = "a peer that is gone";
    private Step step = Step.HELLO;
    private PeerId peer;
    private Transcript transcript;
    private boolean isReading;
    private Peers.Account account;

    private enum Step { HELLO, PROOF, OPEN, GONE }

    Session(RpcService service, Channel channel) {
        super(service.settings().helloTimeoutNs());
        this.service = service;
        this.settings = service.settings();
        this.channel = channel;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (channel.remoteAddress() != null) {
            name = Addresses.ofCaller(channel.remoteAddress());
        }
        startDeadline(context);
    }

    @Override
    boolean isProven() {
        return step == Step.OPEN;
    }

    @Override
    void onDeadline(ChannelHandlerContext context) {
        refuse(ProxyResult.TIMEOUT, "no " + (step == Step.HELLO ? "hello" : "proof of the job secret") + " within "
                + settings.helloTimeout().toMillis() + " ms");
    }

    @Override
    void onTlsFailure(String reason) {
        service.refusals().add(this, "TLS failed: " + reason);
    }

    @Override
    void onClosed() {
        if (step == Step.OPEN) {
            step = Step.GONE;
            service.onDisconnect(peer);
        }
    }

    /** A peer that does not read its answers is not listened to until it does. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(context.channel().isWritable());
    }

    /**
     * What was answered while reading goes out at once. Beside unauthenticated connections, whom it woke on this CPU
     * may run before they are heard.
     */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        isReading = false;
        context.flush();
        if (step == Step.OPEN && !service.peers().unauthenticated().isEmpty()) {
            Thread.yield();
        }
    }

    @Override
    boolean decode(ChannelHandlerContext context, ByteBuf in) {
        isReading = true;
        return switch (step) {
            case HELLO -> decodeHello(context, in);
            case PROOF -> decodeProof(context, in);
            case OPEN -> decodeRequest(context, in);
            case GONE -> false;
        };
    }

    private boolean decodeHello(ChannelHandlerContext context, ByteBuf in) {
        if (!RpcFrameDescriptor.canBeMagic(in)) {
            service.refusals().add(this, "does not speak this protocol, it sent " + sample(in)
                    + (in.getByte(in.readerIndex()) == TLS_HANDSHAKE ? "; that may be TLS, which is off here, see "
                            + RpcOptions.TLS_CERTIFICATE : ""));
            end(context);
            return false;
        }
        if (in.readableBytes() < RpcFrameDescriptor.VERSION_OFFSET + Short.BYTES) {
            return false;
        }
        int start = in.readerIndex();
        int version = in.getUnsignedShort(start + RpcFrameDescriptor.VERSION_OFFSET);
        if (version != RpcFrameDescriptor.VERSION) {
            refuse(ProxyResult.INVALID_USAGE, "the caller speaks version " + version
                    + " of the protocol, the service version " + RpcFrameDescriptor.VERSION + "; use the same release");
            return false;
        }
        if (in.readableBytes() < RpcFrameDescriptor.HELLO_BYTES) {
            return false;
        }
        int rank = in.getInt(start + RpcFrameDescriptor.HELLO_RANK_OFFSET);
        if (in.getShort(start + RpcFrameDescriptor.HELLO_RESERVED_OFFSET) != 0 || rank < 0) {
            refuse(ProxyResult.INVALID_USAGE, "the hello is malformed");
            return false;
        }
        peer = new PeerId(rank, in.getLong(start + RpcFrameDescriptor.HELLO_CLIENT_ID_OFFSET));
        challenge(context, in);
        return in.isReadable();
    }

    private void challenge(ChannelHandlerContext context, ByteBuf in) {
        ByteBuf challenge = RpcFrames.answer(settings.rank(), Transcript.nonce());
        transcript = new Transcript(settings.secret()).add(Addresses.dialled(channel.localAddress()))
                .add(in.nioBuffer(in.readerIndex(), RpcFrameDescriptor.HELLO_BYTES)).add(challenge.nioBuffer())
                .add(ByteBuffer.wrap(RpcTls.binding(context.pipeline())));
        in.skipBytes(RpcFrameDescriptor.HELLO_BYTES);
        step = Step.PROOF;
        context.writeAndFlush(challenge);
    }

    private boolean decodeProof(ChannelHandlerContext context, ByteBuf in) {
        if (in.readableBytes() < RpcFrameDescriptor.PROOF_BYTES) {
            return false;
        }
        ByteBuffer proof = in.nioBuffer(in.readerIndex(), RpcFrameDescriptor.PROOF_BYTES);
        in.skipBytes(RpcFrameDescriptor.PROOF_BYTES);
        if (!transcript.isProof(RpcFrameDescriptor.CALLER, proof)) {
            refuse(ProxyResult.INVALID_USAGE, "the caller, rank " + peer.rank() + " by its own account, has another "
                    + "job secret, or dialled another address than " + Addresses.dialled(channel.localAddress())
                    + ", where it arrived; give all ranks of a job the same secret, see " + CoreOptions.SECRET_FILE
                    + ", and let nothing between them forward ports or translate addresses");
            return false;
        }
        UserFilter.Verdict verdict = settings.users().judge(channel.localAddress(), channel.remoteAddress());
        if (verdict.isRefusal()) {
            refuse(ProxyResult.INVALID_USAGE, "the caller, rank " + peer.rank() + " by its own account: "
                    + verdict.refusal());
            return false;
        }
        String fault = service.peers().fullFor(peer);
        if (fault != null) {
            refuse(ProxyResult.SYSTEM_ERROR, fault);
            return false;
        }
        accept(context);
        return in.isReadable();
    }

    private void accept(ChannelHandlerContext context) {
        stopDeadline();
        step = Step.OPEN;
        name = "rank " + peer.rank() + " at " + name;
        context.writeAndFlush(RpcFrames.answer(settings.rank(), transcript.proof(RpcFrameDescriptor.SERVICE)));
        transcript = null;
        account = service.onAccepted(this, peer);
    }

    /** Tells a caller that is not accepted yet why it has to go. */
    private void refuse(ProxyResult status, String reason) {
        service.refusals().add(this, reason);
        endWith(channel.pipeline().context(this), RpcFrames.refusal(status, settings.rank(), reason));
    }

    /** Makes room for a new connection; who is in earnest comes again. */
    void driveOut() {
        if (isDeaf()) {
            channel.close();
            return;
        }
        refuse(ProxyResult.IN_PROGRESS, service.peers().unauthenticated().flood(System.nanoTime())
                + ", and this one was the oldest; see " + RpcOptions.MAX_UNAUTHENTICATED);
    }

    /** Closes at once and says nothing, for even a class to say it with may take a descriptor. */
    void giveDescriptor() {
        channel.close();
        service.refusals().add(this, "gave its descriptor to the next one: "
                + service.peers().unauthenticated().flood(System.nanoTime()));
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
        if (frameBytes > settings.limits().maxFrameBytes()) {
            return "a frame of " + frameBytes + " bytes, more than " + settings.limits().maxFrameBytes() + "; see "
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
        long others = account.outstandingBytes();
        account.add(cost(body.length));
        if (others > 0 && account.outstandingBytes() > settings.limits().maxOutstandingBytes()) {
            call.reply(ProxyResult.INVALID_USAGE, others + " bytes of requests wait for their answers already; see "
                    + RpcOptions.MAX_OUTSTANDING_BYTES, ByteBuffer.allocate(0));
        } else {
            service.onCall(call);
        }
    }

    /** Answers a call; dropped if the session is over. */
    void answer(long callId, int requestBytes, ProxyResult result, String detail, ByteBuffer response) {
        account.add(-cost(requestBytes));
        if (!isDeaf()) {
            channel.write(RpcFrames.response(callId, result, detail, response, settings.limits().maxFrameBytes()),
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
                        settings.limits().maxFrameBytes()));
    }

    private static long cost(int bodyBytes) {
        return (long) CALL_OVERHEAD_BYTES + RpcFrameDescriptor.REQUEST_BYTES + bodyBytes;
    }

    /** Who has proven to be there. */
    PeerId peer() {
        return peer;
    }

    @Override
    public String toString() {
        return name;
    }
}
