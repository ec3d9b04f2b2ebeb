/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A session that many threads share. The first that needs it opens it, while the others wait; once it has ended, or
 * could not be opened, the next one opens another. No lock is held meanwhile, so that closing does not wait.
 */
final class SharedSession<S> {
    private final String name;
    private final Function<Duration, S> opener;
    private final Predicate<S> isOpen;
    private final Consumer<S> closer;
    private CompletableFuture<S> current;
    private boolean isClosed;

    SharedSession(String name, Function<Duration, S> opener, Predicate<S> isOpen, Consumer<S> closer) {
        this.name = name;
        this.opener = opener;
        this.isOpen = isOpen;
        this.closer = closer;
    }

    S get(Duration timeout) {
        CompletableFuture<S> session;
        boolean isMine = false;
        synchronized (this) {
            if (isClosed) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, name + " is closed");
            }
            if (current == null || isOver(current)) {
                current = new CompletableFuture<>();
                isMine = true;
            }
            session = current;
        }
        if (isMine) {
            open(session, timeout);
        }
        return await(session, timeout);
    }

    /** Ends the session, or sees to it that the one being opened ends at once. Idempotent. */
    void close() {
        CompletableFuture<S> last;
        synchronized (this) {
            isClosed = true;
            last = current;
        }
        if (last != null && last.isDone() && !last.isCompletedExceptionally()) {
            closer.accept(last.resultNow());
        }
    }

    private boolean isOver(CompletableFuture<S> session) {
        return session.isDone() && (session.isCompletedExceptionally() || !isOpen.test(session.resultNow()));
    }

    private void open(CompletableFuture<S> session, Duration timeout) {
        try {
            S opened = opener.apply(timeout);
            session.complete(opened);
            // Completed first, looked afterwards; close() does it the other way round: one of the two closes it.
            if (isClosed()) {
                closer.accept(opened);
            }
        } catch (RuntimeException | Error e) {
            session.completeExceptionally(e);
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    private S await(CompletableFuture<S> session, Duration timeout) {
        try {
            return session.get(Timeouts.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + ": interrupted while it is opened", e);
        } catch (TimeoutException e) {
            throw new ProxyException(ProxyResult.TIMEOUT,
                    name + ": not opened within " + timeout.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ProxyException failure
                    ? new ProxyException(failure.result(), failure.getMessage(), failure)
                    : new ProxyException(ProxyResult.INTERNAL_ERROR, name + ": " + e.getCause(), e.getCause());
        }
    }
}
