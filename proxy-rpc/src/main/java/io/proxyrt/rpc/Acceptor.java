/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.proxyrt.core.ProxyResult;
import java.util.concurrent.TimeUnit;

/** Makes a session of each connection, up to the cap. Confined to the loop. */
final class Acceptor extends ChannelInboundHandlerAdapter {
    private static final long PAUSE_MS = 100;

    private final RpcService service;
    private final ByteBufAllocator allocator;
    private int connections;

    Acceptor(RpcService service, ByteBufAllocator allocator) {
        this.service = service;
        this.allocator = allocator;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel child = (Channel) message;
        child.config().setAllocator(allocator);
        if (connections < service.settings().maxConnections()) {
            connections++;
            child.closeFuture().addListener(closed -> connections--);
            child.pipeline().addLast(new Session(service));
        } else {
            service.refusals().add(child.remoteAddress(), "the service has " + connections
                    + " connections already; see " + RpcOptions.MAX_CONNECTIONS);
            child.pipeline().addLast(new TurnAway());
        }
        context.channel().eventLoop().register(child).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }

    /** Out of file descriptors, most likely: the connection stays in the backlog until there are some again. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        service.refusals().add("the operating system", "accepting pauses for " + PAUSE_MS + " ms: " + cause);
        context.channel().config().setAutoRead(false);
        context.executor().schedule(
                () -> context.channel().config().setAutoRead(true), PAUSE_MS, TimeUnit.MILLISECONDS);
    }

    /** Tells a caller above the cap why it has to go. */
    private final class TurnAway extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(RpcFrames.ack(ProxyResult.SYSTEM_ERROR, service.settings().rank(),
                    "it has " + connections + " connections already; see " + RpcOptions.MAX_CONNECTIONS))
                    .addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
