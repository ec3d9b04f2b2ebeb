/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;

/**
 * A platform thread that ends what is a plug-in's, one after the other. Callers wait until it is done, but not longer
 * than a few seconds, and not at all behind a call that has taken longer and has not returned. Any thread.
 */
public final class ClosingThread {
    private final Logger log;
    private final String file;
    private final Duration patience;
    private final ThreadPoolExecutor executor = SetUpThread.executor("proxyrt-plugin-close");
    /** The last that is not waited for any more; null if there is none. */
    private volatile PluginCall late;
    private volatile Thread runner;

    /**
     * For one network, or one tuner.
     *
     * @param subsystem whose logger says what did not end well, or in time
     * @param file      of the plug-in
     * @param patience  how long to wait at most
     */
    public ClosingThread(Subsystem subsystem, String file, Duration patience) {
        this.log = subsystem.logger("plugin");
        this.file = file;
        this.patience = patience;
    }

    /**
     * Makes a call, and waits for it.
     *
     * @param what   the call ends, for messages
     * @param call   a plug-in's; if it fails, that is logged, for nothing else could be done
     * @param sequel runs once the call has returned, which may be later, on its thread, or never
     */
    public void end(String what, Runnable call, Runnable sequel) {
        if (Thread.currentThread() == runner) {
            logged(what, call);
            sequel.run();
            return;
        }
        PluginCall closing = new PluginCall(() -> {
            runner = Thread.currentThread();
            logged(what, call);
            return 0L;
        });
        executor.execute(closing);
        if (isOver(what, closing)) {
            sequel.run();
        } else {
            closing.whenOver(sequel);
        }
    }

    private boolean isOver(String what, PluginCall closing) {
        if (late != null && !late.isDone()) {
            return false;
        }
        try {
            Uninterruptibly.get(closing, patience);
            return true;
        } catch (TimeoutException e) {
            late = closing;
            log.warn("{} has not closed {} within {} ms; it is not waited for any more, nor is what "
                    + "is to be closed behind it", file, what, patience.toMillis());
            return false;
        } catch (ExecutionException e) {
            log.warn("{} of {} was not closed well", what, file, e.getCause());
            return true;
        }
    }

    private void logged(String what, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            log.warn("{} was not closed well: {}", what, e.getMessage());
        }
    }

    /** Takes nothing more. */
    public void close() {
        executor.shutdown();
    }
}
