/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.service.BlockingClient;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.Request;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Calls to the service of one proxy: RCCL's {@code ncclProxyCallBlocking}, {@code ncclProxyCallAsync} and {@code
 * ncclPollProxyResponse}. Any thread, many at a time; responses come in any order. What one client made, the other
 * clients of this runtime may use: the service knows the runtime, not the socket. A session that ends is opened anew by
 * the next call.
 *
 * <p>A blocking call writes and reads on the calling thread, over a session of its own, so it is the fastest; futures
 * and polled calls go by way of this runtime's service thread. In {@link ThreadingMode#INVOKER} the caller drives both.
 */
public final class ServiceClient implements AutoCloseable {
    private final ProxyState proxy;
    private final SocketAddress address;
    private final SharedSession<BlockingClient> blocking;
    private CompletableFuture<ProxyClient> session;
    private boolean isClosed;

    ServiceClient(ProxyState proxy, SocketAddress address) {
        this.proxy = proxy;
        this.address = address;
        this.blocking = new SharedSession<>(toString(), timeout -> proxy.connectBlocking(address, timeout),
                BlockingClient::isOpen, BlockingClient::close);
    }

    /**
     * Calls without waiting.
     *
     * @param <R>          what the service answers
     * @param connectionId which connection it is about; 0 for none
     * @param request      what to ask; encoded before this returns
     * @return what the service answered, or a {@link ProxyException} with its reason; completed by the service thread,
     *         so what is chained to it must not block
     */
    public <R> CompletableFuture<R> callAsync(long connectionId, Request<R> request) {
        ByteBuffer body = request.encode();
        return session().thenCompose(client -> {
            CompletableFuture<ByteBuffer> response = client.call(request.type(), connectionId, body);
            proxy.wakeupService();
            return response;
        }).thenApply(request::response);
    }

    /**
     * Calls without waiting, for callers that look again and again.
     *
     * @param <R>          what the service answers
     * @param connectionId which connection it is about; 0 for none
     * @param request      what to ask; encoded before this returns
     * @return to be polled
     */
    public <R> PolledCall<R> callPolled(long connectionId, Request<R> request) {
        return new PolledCall<>(callAsync(connectionId, request));
    }

    /**
     * Calls and blocks until the service has answered.
     *
     * @param <R>          what the service answers
     * @param connectionId which connection it is about; 0 for none
     * @param request      what to ask
     * @param timeout      for opening a session, if there is none yet, and for the answer
     * @return what the service answered
     * @throws ProxyException the service's, or {@link ProxyResult#TIMEOUT}, or {@link ProxyResult#INVALID_USAGE} if
     *                        the thread was interrupted
     */
    public <R> R callBlocking(long connectionId, Request<R> request, Duration timeout) {
        if (proxy.isInvoker()) {
            return proxy.await(callAsync(connectionId, request), timeout, request.type().toString());
        }
        long deadline = System.nanoTime() + Timeouts.nanos(timeout);
        BlockingClient client = blocking.get(timeout);
        return request.response(client.call(request.type(), connectionId, request.encode(), Timeouts.until(deadline)));
    }

    /** Ends the sessions of this client; its connections live on as long as this runtime has another. Idempotent. */
    @Override
    public void close() {
        blocking.close();
        CompletableFuture<ProxyClient> last;
        synchronized (this) {
            isClosed = true;
            last = session;
        }
        if (last != null) {
            last.thenAccept(ProxyClient::close);
        }
    }

    /** One that lives: what could not be opened, or has ended, is replaced. */
    private synchronized CompletableFuture<ProxyClient> session() {
        if (isClosed) {
            return CompletableFuture.failedFuture(
                    new ProxyException(ProxyResult.INVALID_USAGE, this + " is closed"));
        }
        if (session == null || session.isDone()
                && (session.isCompletedExceptionally() || !session.resultNow().isOpen())) {
            session = proxy.connect(address);
        }
        return session;
    }

    @Override
    public String toString() {
        return "client of the service at " + address;
    }
}
