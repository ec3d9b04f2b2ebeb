/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

class FrameHandlerTest {
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(2);

    private final Probe probe = new Probe();

    /** Frames of one byte; a zero ends the session. */
    private static final class Probe extends FrameHandler {
        private int frames;
        private final List<String> failures = new ArrayList<>();
        private int deadlines;
        private int closed;

        Probe() {
            super(PATIENCE_NS);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            startDeadline(context);
        }

        @Override
        boolean decode(ChannelHandlerContext context, ByteBuf in) {
            frames++;
            if (in.readByte() == 0) {
                endWith(context, Unpooled.copyInt(0));
            }
            return in.isReadable();
        }

        @Override
        boolean isProven() {
            return true;
        }

        @Override
        void onDeadline(ChannelHandlerContext context) {
            deadlines++;
        }

        @Override
        void onTlsFailure(String reason) {
            failures.add(reason);
        }

        @Override
        void onClosed() {
            closed++;
        }
    }

    /** A peer that reads nothing: writes are never done. */
    private static final class Clogged extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
        }
    }

    @Test
    void shouldCloseOnAPeerThatDoesNotTakeTheLastWord() {
        EmbeddedChannel channel = new EmbeddedChannel(new Clogged(), probe);
        channel.freezeTime();

        channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {1, 0, 1}));
        assertTrue(channel.isOpen());
        channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {1}));
        channel.advanceTimeBy(PATIENCE_NS, TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();

        assertFalse(channel.isOpen());
        assertEquals(2, probe.frames);
        assertEquals(0, probe.deadlines);
        assertEquals(1, probe.closed);
    }

    @Test
    void shouldLeaveNoTimerBehind() {
        EmbeddedChannel channel = new EmbeddedChannel(probe);

        assertTrue(channel.runScheduledPendingTasks() > 0);
        channel.pipeline().remove(probe);

        assertEquals(-1, channel.runScheduledPendingTasks());
        channel.close();
    }

    @Test
    void shouldCloseOnABugOfItsOwn() {
        EmbeddedChannel channel = new EmbeddedChannel(probe);

        channel.pipeline().fireExceptionCaught(new IllegalStateException("a bug"));
        channel.runPendingTasks();

        assertFalse(channel.isOpen());
        assertTrue(probe.isDeaf());
    }

    @Test
    void shouldTellOfATlsFailureOnce() {
        EmbeddedChannel channel = new EmbeddedChannel(probe);

        channel.pipeline().fireExceptionCaught(new IllegalStateException("no TLS", new SSLException("not a record")));
        channel.pipeline().fireExceptionCaught(new SSLException("closed"));
        channel.runPendingTasks();

        assertEquals(List.of("no TLS (not a record)"), probe.failures);
        assertFalse(channel.isOpen());
    }

    @Test
    void shouldRenderADetailOnOneLine() {
        ByteBuf frame = Unpooled.wrappedBuffer("..no\r\n\tway\u001b.".getBytes(US_ASCII));

        assertEquals("no way ", FrameHandler.detail(frame, 2, 9));
        assertEquals("", FrameHandler.detail(frame, 2, 0));
    }

    @Test
    void shouldRenderASampleOnOneLine() {
        assertEquals("\"\"", FrameHandler.sample(Unpooled.EMPTY_BUFFER));
        assertEquals("\"" + "x".repeat(32) + "\"",
                FrameHandler.sample(Unpooled.wrappedBuffer("x".repeat(32).getBytes(US_ASCII))));
        assertEquals("\"" + "x".repeat(32) + "\u2026\"",
                FrameHandler.sample(Unpooled.wrappedBuffer("x".repeat(33).getBytes(US_ASCII))));
    }
}
