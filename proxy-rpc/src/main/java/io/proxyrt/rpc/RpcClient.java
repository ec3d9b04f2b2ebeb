/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The caller's end of a session. Calls may come from any thread; the loop writes each, and finds it again by its id
 * when the answer is there. A future completes on the thread that drives the loop: what is chained to it must not
 * block.
 */
final class RpcClient implements ProxyClient {
    private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final TurnLoop loop;
    private final RpcSettings settings;
    private final ByteBufAllocator allocator;
    private final SocketAddress address;
    private final Consumer<RpcClient> onEnded;
    private final CompletableFuture<ProxyClient> opened = new CompletableFuture<>();
    private final ConcurrentHashMap<Long, Outstanding> outstanding = new ConcurrentHashMap<>();
    private final AtomicLong lastCallId = new AtomicLong();
    private volatile String service;
    private final AtomicReference<ProxyException> ended = new AtomicReference<>();
    private final long openUntilNs;
    private long pauseNs = FIRST_PAUSE_NS;
    private int tries;
    private String refusal = "";
    private Channel channel;
    private boolean isFlushDue;

    RpcClient(TurnLoop loop, RpcSettings settings, ByteBufAllocator allocator, SocketAddress address,
              Consumer<RpcClient> onEnded) {
        this.loop = loop;
        this.settings = settings;
        this.allocator = allocator;
        this.address = address;
        this.onEnded = onEnded;
        this.service = "the service at " + PeerText.address(address);
        this.openUntilNs = System.nanoTime() + settings.openTimeout().toNanos();
    }

    private record Outstanding(MessageType type, CompletableFuture<ByteBuffer> answer) {
    }

    /** Completes when the service accepted the session, or did not. */
    CompletableFuture<ProxyClient> opened() {
        return opened;
    }

    /** Begins to open the session. Any thread, once. */
    void open() {
        execute(this::connect);
    }

    @Override
    public CompletableFuture<ByteBuffer> call(MessageType type, long connectionId, ByteBuffer request) {
        long frameBytes = (long) RpcFrameDescriptor.REQUEST_BYTES + request.remaining();
        if (frameBytes > settings.limits().maxFrameBytes()) {
            return CompletableFuture.failedFuture(new ProxyException(ProxyResult.INVALID_ARGUMENT, type
                    + ": a request of " + frameBytes + " bytes is too long; see " + RpcOptions.MAX_FRAME_BYTES));
        }
        ProxyException reason = ended.get();
        if (reason != null) {
            return CompletableFuture.failedFuture(new ProxyException(
                    reason.result(), type + " was not sent: " + reason.getMessage(), reason));
        }
        long callId = lastCallId.incrementAndGet();
        ByteBuf frame = RpcFrames.request(type, callId, connectionId, request);
        CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
        outstanding.put(callId, new Outstanding(type, answer));
        answer.whenComplete((body, failure) -> outstanding.remove(callId));
        // Put first, look afterwards; end() does it the other way round: one of the two fails the call.
        if (ended.get() != null) {
            failOutstanding();
        } else {
            execute(() -> write(frame));
        }
        return answer;
    }

    @Override
    public boolean isOpen() {
        return ended.get() == null;
    }

    @Override
    public void close() {
        end(ProxyResult.INVALID_USAGE, "this side closed its session with " + service);
    }

    /** Ends the session; the first reason given stays. Any thread. */
    void end(ProxyResult result, String reason) {
        end(new ProxyException(result, reason));
    }

    private void end(ProxyException reason) {
        if (!ended.compareAndSet(null, reason)) {
            return;
        }
        opened.completeExceptionally(ended.get());
        failOutstanding();
        onEnded.accept(this);
        execute(() -> {
            if (channel != null) {
                channel.close();
            }
        });
    }

    /** The time for opening the session is over. Loop only. */
    void endLate() {
        end(ProxyResult.TIMEOUT, service + " did not accept a session within " + settings.openTimeout().toMillis()
                + " ms" + (refusal.isEmpty() ? "" : ", in " + tries + " tries: " + refusal));
    }

    /** The service gave the connection up before it became a session; another one may fare better. Loop only. */
    void comeAgain(String why) {
        if (ended.get() != null) {
            return;
        }
        refusal = why;
        long nextNs = ThreadLocalRandom.current().nextLong(pauseNs / 2, pauseNs);
        if (openUntilNs - System.nanoTime() < nextNs) {
            endLate();
        } else {
            loop.schedule(this::connect, nextNs, TimeUnit.NANOSECONDS);
            pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
        }
    }

    String service() {
        return service;
    }

    /** The service accepted. Loop only. */
    void onAccepted(int rank) {
        service = "the service of rank " + rank + " at " + PeerText.address(address);
        if (!opened.complete(this)) {
            close();
        }
    }

    /** An answer arrived. Loop only. */
    void onResponse(long callId, ProxyResult result, String detail, ByteBuffer body) {
        Outstanding call = outstanding.remove(callId);
        if (call == null) {
            if (callId <= 0 || callId > lastCallId.get()) {
                end(ProxyResult.REMOTE_ERROR, service + " answered a call that was not made, number " + callId);
            }
        } else if (result == ProxyResult.SUCCESS) {
            call.answer().complete(body);
        } else {
            call.answer().completeExceptionally(new ProxyException(
                    result.isError() ? result : ProxyResult.REMOTE_ERROR,
                    call.type() + " failed at " + service + ": " + (detail.isEmpty() ? result : detail)));
        }
    }

    /** The flush waits behind the calls that wait already: many calls at once are one packet. */
    private void write(ByteBuf frame) {
        channel.write(frame, channel.voidPromise());
        if (!isFlushDue) {
            isFlushDue = true;
            execute(this::flush);
        }
    }

    private void flush() {
        isFlushDue = false;
        channel.flush();
    }

    private void connect() {
        if (ended.get() != null) {
            return;
        }
        tries++;
        try {
            channel = address instanceof UnixDomainSocketAddress
                    ? new NioDomainSocketChannel() : new NioSocketChannel();
        } catch (RuntimeException e) {
            end(ProxyResult.SYSTEM_ERROR, "no socket for a session with " + service + ": " + e);
            return;
        }
        channel.config().setAllocator(allocator).setConnectTimeoutMillis(0);
        settings.tls().secure(channel);
        channel.pipeline().addLast(new ClientHandler(this, settings, openUntilNs - System.nanoTime()));
        loop.register(channel);
        channel.connect(address).addListener(connected -> {
            if (!connected.isSuccess()) {
                channel.close();
                end(new ProxyException(ProxyResult.REMOTE_ERROR, "cannot reach " + service + ": "
                        + connected.cause().getMessage(), connected.cause()));
            }
        });
    }

    private void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            end(ProxyResult.INVALID_USAGE, "this runtime is closed, and its session with " + service);
        }
    }

    private void failOutstanding() {
        ProxyException reason = ended.get();
        for (Long callId : outstanding.keySet()) {
            Outstanding call = outstanding.remove(callId);
            if (call != null) {
                call.answer().completeExceptionally(new ProxyException(
                        reason.result(), reason.getMessage() + " while " + call.type() + " was outstanding", reason));
            }
        }
    }

    @Override
    public String toString() {
        return "session with " + service + ", " + outstanding.size() + " calls outstanding";
    }
}
