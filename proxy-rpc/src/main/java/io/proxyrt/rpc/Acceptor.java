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
import io.proxyrt.core.auth.Unauthenticated;
import java.util.concurrent.TimeUnit;

/** Makes a session of each connection. Confined to the loop. */
final class Acceptor extends ChannelInboundHandlerAdapter {
    private static final long PAUSE_MS = 100;

    private final RpcService service;
    private final ByteBufAllocator allocator;

    Acceptor(RpcService service, ByteBufAllocator allocator) {
        this.service = service;
        this.allocator = allocator;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel child = (Channel) message;
        child.config().setAllocator(allocator);
        Session session = new Session(service, child);
        service.settings().tls().guard(child, service);
        child.pipeline().addLast(session);
        child.closeFuture().addListener(closed -> service.peers().unauthenticated().remove(session));
        context.channel().eventLoop().register(child).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        Session oldest = service.peers().unauthenticated().add(session, Unauthenticated.source(child.remoteAddress()),
                System.nanoTime());
        if (oldest != null) {
            oldest.driveOut();
        }
    }

    /**
     * Out of file descriptors, most likely: a connection that has not authenticated gives its own to the next one. If
     * there is none, that one stays in the backlog until there are descriptors again.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Session oldest = service.peers().unauthenticated().displace(System.nanoTime());
        if (oldest != null) {
            oldest.giveDescriptor();
            return;
        }
        service.refusals().add("the operating system", "accepting pauses for " + PAUSE_MS + " ms: " + cause);
        context.channel().config().setAutoRead(false);
        context.executor().schedule(
                () -> context.channel().config().setAutoRead(true), PAUSE_MS, TimeUnit.MILLISECONDS);
    }
}
