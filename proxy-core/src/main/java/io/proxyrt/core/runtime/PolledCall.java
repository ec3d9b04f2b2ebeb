/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A call to a service that is looked at again and again, as {@code ncclPollProxyResponse} does. Any thread.
 *
 * @param <R> what the service answers
 */
public final class PolledCall<R> {
    private final CompletableFuture<R> answer;

    PolledCall(CompletableFuture<R> answer) {
        this.answer = answer;
    }

    /**
     * How it stands. Does not block, allocates nothing.
     *
     * @return {@link ProxyResult#IN_PROGRESS} until there is an answer; then {@link ProxyResult#SUCCESS}, or what the
     *         service said, or what else went wrong
     */
    public ProxyResult poll() {
        if (!answer.isDone()) {
            return ProxyResult.IN_PROGRESS;
        }
        return answer.isCompletedExceptionally() ? failure().result() : ProxyResult.SUCCESS;
    }

    /**
     * The answer.
     *
     * @return what the service said
     * @throws ProxyException why there is none; {@link ProxyResult#INVALID_USAGE} while it is in progress
     */
    public R response() {
        if (!answer.isDone()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the call is in progress; poll until it is not");
        }
        if (answer.isCompletedExceptionally()) {
            throw failure();
        }
        return answer.join();
    }

    private ProxyException failure() {
        Throwable thrown = answer.exceptionNow();
        Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null
                ? thrown.getCause() : thrown;
        return cause instanceof ProxyException failure ? failure
                : new ProxyException(ProxyResult.INTERNAL_ERROR, "the call failed: " + cause, cause);
    }
}
