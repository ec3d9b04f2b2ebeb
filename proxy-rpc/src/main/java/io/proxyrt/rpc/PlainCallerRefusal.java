/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.proxyrt.core.ProxyResult;

/** Stands in front of TLS and tells a caller that speaks without it why it has to go. */
final class PlainCallerRefusal extends ChannelInboundHandlerAdapter {
    private final RpcService service;
    private boolean isRefused;

    PlainCallerRefusal(RpcService service) {
        this.service = service;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (isRefused) {
            ReferenceCountUtil.release(message);
        } else if (RpcFrameDescriptor.canBeMagic((ByteBuf) message)) {
            isRefused = true;
            ReferenceCountUtil.release(message);
            String reason = "the service wants TLS, and the caller speaks without; see " + RpcOptions.TLS_CERTIFICATE;
            service.refusals().add(Addresses.ofCaller(context.channel().remoteAddress()), reason);
            context.writeAndFlush(RpcFrames.refusal(ProxyResult.INVALID_USAGE, service.settings().rank(), reason))
                    .addListener(ChannelFutureListener.CLOSE);
        } else {
            context.pipeline().remove(this);
            context.fireChannelRead(message);
        }
    }
}
