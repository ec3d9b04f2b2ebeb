/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.auth.PeerText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;

/**
 * One end of a session: puts the pieces of frames together, and keeps the time. It holds no more of a frame than has
 * arrived, whatever length the frame claims. Confined to the loop.
 */
abstract class FrameHandler extends ChannelInboundHandlerAdapter {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    private static final int SAMPLE_BYTES = 32;

    private final long patienceNs;
    private ByteBuf held;
    private ScheduledFuture<?> deadline;
    private boolean isDeaf;

    FrameHandler(long patienceNs) {
        this.patienceNs = patienceNs;
    }

    /**
     * Takes one frame.
     *
     * @param in from the frame's first byte on
     * @return false if there is no complete frame yet
     */
    abstract boolean decode(ChannelHandlerContext context, ByteBuf in);

    /** Whether the other side has proven who it is, so that what it sends is work. */
    abstract boolean isProven();

    /** The time for opening the session is over. */
    abstract void onDeadline(ChannelHandlerContext context);

    /** The two sides do not agree on TLS. */
    abstract void onTlsFailure(String reason);

    /** The connection broke. */
    void onReset(ChannelHandlerContext context, IOException cause) {
        LOGGER.debug("{}: {}", this, cause.getMessage());
    }

    /** The channel is closed. */
    abstract void onClosed();

    /** Whether the session is over, even if its last frame is not written yet. */
    final boolean isDeaf() {
        return isDeaf;
    }

    /** Starts the clock. */
    final void startDeadline(ChannelHandlerContext context) {
        deadline = context.executor().schedule(() -> onDeadline(context), patienceNs, TimeUnit.NANOSECONDS);
    }

    /** Stops the clock. */
    final void stopDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    /** Says a last word and closes; soon, even if the peer does not listen. What still arrives is dropped. */
    final void endWith(ChannelHandlerContext context, ByteBuf lastWord) {
        if (!RpcTls.isReady(context.pipeline())) {
            end(context);
            return;
        }
        isDeaf = true;
        stopDeadline();
        deadline = context.executor().schedule(() -> context.close(), patienceNs, TimeUnit.NANOSECONDS);
        context.writeAndFlush(lastWord).addListener(ChannelFutureListener.CLOSE);
    }

    /** Closes without a word. */
    final void end(ChannelHandlerContext context) {
        isDeaf = true;
        context.close();
    }

    @Override
    public final void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (isDeaf) {
            in.release();
            return;
        }
        held = held == null ? in : joined(held, in);
        while (!isDeaf && decode(context, held)) {
            assert held.readerIndex() <= held.writerIndex() : held;
        }
        noteWork(context);
        if (isDeaf || !held.isReadable()) {
            release();
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext context) {
        noteWork(context);
        isDeaf = true;
        onClosed();
    }

    @Override
    public final void handlerRemoved(ChannelHandlerContext context) {
        stopDeadline();
        release();
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof SSLException || cause.getCause() instanceof SSLException) {
            if (!isDeaf) {
                isDeaf = true;
                onTlsFailure(RpcTls.reason(cause));
            }
        } else if (cause instanceof IOException broken) {
            onReset(context, broken);
        } else {
            LOGGER.error("{} is closed for a bug of ours", this, cause);
        }
        end(context);
    }

    /** The next bytes as a short text: what is not printable shows as a dot. */
    static String sample(ByteBuf in) {
        int length = Math.min(in.readableBytes(), SAMPLE_BYTES);
        StringBuilder text = new StringBuilder(length + 3).append('"');
        for (byte b : in.toString(in.readerIndex(), length, StandardCharsets.ISO_8859_1)
                .getBytes(StandardCharsets.ISO_8859_1)) {
            text.append(b >= ' ' && b < 0x7f ? (char) b : '.');
        }
        return text.append(in.readableBytes() > length ? "\u2026\"" : "\"").toString();
    }

    /** What the other side says went wrong, on one line, whatever it put in. */
    static String detail(ByteBuf in, int index, int length) {
        return length == 0 ? "" : PeerText.line(in.toString(index, length, StandardCharsets.UTF_8));
    }

    private void noteWork(ChannelHandlerContext context) {
        if (isProven() && context.executor() instanceof TurnLoop loop) {
            loop.worked();
        }
    }

    private static ByteBuf joined(ByteBuf held, ByteBuf in) {
        held.discardReadBytes();
        held.writeBytes(in);
        in.release();
        return held;
    }

    private void release() {
        if (held != null) {
            held.release();
            held = null;
        }
    }
}
