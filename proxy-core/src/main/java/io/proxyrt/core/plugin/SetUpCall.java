/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.concurrent.Callable;
import java.util.concurrent.Future.State;
import java.util.function.LongConsumer;

/** A call that is made again and again, until it gives a comm: connect or accept. Service thread. */
public final class SetUpCall {
    private final SetUpThread thread;
    private final Callable<Long> call;
    /** Null between calls. */
    private PluginCall underWay;

    /**
     * A call that was not made yet.
     *
     * @param thread that makes it
     * @param call   a plug-in's, which gives a comm, or 0 to be made again
     */
    public SetUpCall(SetUpThread thread, Callable<Long> call) {
        this.thread = thread;
        this.call = call;
    }

    /**
     * Makes the call, or looks after the one that is under way.
     *
     * @return the comm; 0 to ask again
     * @throws ProxyException that the call threw
     */
    public long ask() {
        if (underWay == null) {
            underWay = new PluginCall(call);
            thread.execute(underWay);
        }
        if (!thread.isOver(underWay)) {
            return 0;
        }
        PluginCall over = underWay;
        underWay = null;
        return comm(over);
    }

    private static long comm(PluginCall over) {
        if (over.state() == State.SUCCESS) {
            return over.resultNow();
        }
        Throwable cause = over.exceptionNow();
        throw cause instanceof ProxyException failure ? failure
                : new ProxyException(ProxyResult.INTERNAL_ERROR, "a plug-in's call failed: " + cause, cause);
    }

    /**
     * Ends it, once.
     *
     * @param unwanted gets the comm of a call that was under way, 0 if it gave none, or none was: at once, or on the
     *                 call's thread when it returns
     */
    public void end(LongConsumer unwanted) {
        PluginCall left = underWay;
        if (left == null) {
            unwanted.accept(0);
        } else {
            thread.abandon(left, () -> unwanted.accept(left.state() == State.SUCCESS ? left.resultNow() : 0));
        }
    }
}
