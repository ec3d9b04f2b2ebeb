/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future.State;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;

/** A call that is made again and again, until it gives a comm: connect or accept. Service thread. */
final class SetUpCall {
    /** Calls that do not block are over long before. */
    private static final Duration PATIENCE = Duration.ofMillis(20);

    private final SetUpThread thread;
    private final Callable<Long> call;
    /** Null between calls. */
    private FutureTask<Long> underWay;
    private boolean isBlocking;

    SetUpCall(SetUpThread thread, Callable<Long> call) {
        this.thread = thread;
        this.call = call;
    }

    /**
     * Makes the call, or looks after the one that is under way.
     *
     * @return the comm; 0 to ask again
     * @throws ProxyException that the call threw
     */
    long ask() {
        if (underWay == null) {
            underWay = new FutureTask<>(call);
            thread.execute(underWay);
        }
        try {
            long comm = Uninterruptibly.get(underWay, isBlocking ? Duration.ZERO : PATIENCE);
            underWay = null;
            isBlocking = false;
            return comm;
        } catch (TimeoutException e) {
            isBlocking = true;
            return 0;
        } catch (ExecutionException e) {
            underWay = null;
            throw e.getCause() instanceof ProxyException failure ? failure
                    : new ProxyException(ProxyResult.INTERNAL_ERROR, "a plug-in's call failed: " + e.getCause(), e);
        }
    }

    /**
     * Ends it, once.
     *
     * @param unwanted gets the comm of a call that was under way, 0 if it gave none, or none was: at once, or on the
     *                 call's thread when it returns
     */
    void end(LongConsumer unwanted) {
        FutureTask<Long> left = underWay;
        if (left == null) {
            unwanted.accept(0);
        } else {
            thread.abandon(left, () -> unwanted.accept(left.state() == State.SUCCESS ? left.resultNow() : 0));
        }
    }
}
