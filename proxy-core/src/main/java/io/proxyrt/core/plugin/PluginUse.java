/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import java.time.Duration;

/**
 * A plug-in that a runtime has initialized, and what of it is open. It is finished when it was closed and nothing is
 * open any more, so that what is closed too late finds it as it was. Any thread.
 */
public final class PluginUse implements AutoCloseable {
    /** How long the service thread waits for what a plug-in closes or finishes. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final PluginLibrary library;
    private final long context;
    private final Runnable onFinish;
    private final ClosingThread closer;
    /** Comms, listeners and attempts that are open. */
    private int open;
    private boolean isClosed;

    /**
     * Initializes the plug-in. Takes as long as the plug-in does.
     *
     * @param library  of the plug-in
     * @param onFinish runs before it is finished
     * @throws ProxyException if the plug-in fails
     */
    public PluginUse(PluginLibrary library, Runnable onFinish) {
        this.library = library;
        this.onFinish = onFinish;
        this.context = library.init();
        this.closer = new ClosingThread(Subsystem.NET, library.file(), CLOSE_LIMIT);
    }

    /**
     * The plug-in's context.
     *
     * @return of {@link PluginLibrary#init}
     */
    public long context() {
        return context;
    }

    /** Something of the plug-in was opened. */
    public synchronized void opened() {
        open++;
    }

    /** Something that was opened is closed. */
    public void closed() {
        boolean isLast;
        synchronized (this) {
            open--;
            isLast = isClosed && open == 0;
        }
        if (isLast) {
            finish();
        }
    }

    /**
     * Ends something that was opened, which counts as open until that is done. Waits for that some seconds at most.
     *
     * @param what it is, for messages
     * @param call of the plug-in
     */
    public void end(String what, Runnable call) {
        closer.end(what, call, this::closed);
    }

    /** Finishes the plug-in, now or when all is closed. Idempotent. */
    @Override
    public void close() {
        boolean isUnused;
        synchronized (this) {
            isUnused = !isClosed && open == 0;
            isClosed = true;
        }
        if (isUnused) {
            finish();
        }
    }

    private void finish() {
        onFinish.run();
        closer.end("the plug-in", () -> library.finish(context), closer::close);
    }

    /**
     * Plug-ins keep state by thread, which a virtual one changes with its carrier.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} on a virtual thread
     */
    public void requirePlatformThread() {
        if (Thread.currentThread().isVirtual()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the plug-in " + library.file() + " is called by "
                    + Thread.currentThread() + ", and C libraries keep state by thread; drive the runtime from a "
                    + "platform thread");
        }
    }
}
