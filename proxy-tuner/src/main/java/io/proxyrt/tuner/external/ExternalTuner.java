/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.external;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.plugin.ClosingThread;
import io.proxyrt.core.plugin.TunerLibrary;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.TimeTable;
import io.proxyrt.tuner.TunerConstants;
import io.proxyrt.tuner.Way;
import io.proxyrt.tuner.spi.Tuner;
import io.proxyrt.tuner.spi.TunerRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A plug-in's tuner for one communicator. Its calls run on the caller's thread, as NCCL's do: a thread that could be
 * left would cost each choice two switches, and a rank that went on without the answer would choose otherwise than the
 * others. So a call that does not return is told, and not ended.
 */
final class ExternalTuner implements Tuner {
    /** A choice takes microseconds. */
    static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final TunerLibrary library;
    private final long context;
    private final TunerConstants constants;
    private final Duration patience;
    private final Consumer<String> warning;
    /** Who is in a call; null if no thread is. */
    private Thread caller;
    private boolean isClosed;

    private ExternalTuner(TunerLibrary library, long context, TunerConstants constants, Duration patience,
            Consumer<String> warning) {
        this.library = library;
        this.context = context;
        this.constants = constants;
        this.patience = patience;
        this.warning = warning;
    }

    /**
     * Initializes it; what it makes of the constants must be numbers.
     *
     * @param library  of the plug-in
     * @param request  what it is told
     * @param patience how long a call may take that nothing is said of
     * @param warning  gets what is to be said of one that takes longer, once for each, on another thread
     */
    static ExternalTuner open(TunerLibrary library, TunerRequest request, Duration patience,
            Consumer<String> warning) {
        double[] numbers = request.constants().values();
        // Each node is a domain of its own: nothing here links GPUs of several.
        int ranksOfNode = request.ranks() / request.nodes();
        int[] domains = {request.nodes(), ranksOfNode, Math.ceilDiv(request.ranks(), request.nodes())};
        long context = library.init(request.commId(), request.ranks(), request.nodes(), domains, numbers);
        try {
            return new ExternalTuner(library, context, TunerConstants.of(numbers), patience, warning);
        } catch (ProxyException e) {
            finish(library, context);
            throw new ProxyException(e.result(), "init of " + library.name() + " (" + library.file()
                    + ") changed what no model computes with: " + e.getMessage(), e);
        }
    }

    @Override
    public String name() {
        return library.name();
    }

    @Override
    public TunerConstants constants() {
        return constants;
    }

    @Override
    public int adjust(CollFunction function, CollInfo call, TimeTable times) {
        float[] table = new float[Way.all().size()];
        for (Way way : Way.all()) {
            table[way.index()] = (float) times.timeUs(way);
        }
        int channels = (int) watched("getCollInfo", function, call, () -> library.collInfo(context,
                function.ordinal(), call.bytes(), call.pipeOps(), false, table));
        for (Way way : Way.all()) {
            float timeUs = table[way.index()];
            // As it was: rounding is no change.
            if (timeUs != (float) times.timeUs(way)) {
                times.set(way, Float.isNaN(timeUs) ? TimeTable.IGNORED : timeUs);
            }
        }
        return channels;
    }

    @Override
    public long chunkBytes(CollFunction function, CollInfo call, Way way, int channels, long chunkBytes) {
        long chunk = watched("getChunkSize", function, call, () -> library.chunkSize(context, function.ordinal(),
                call.bytes(), way.algorithm().ordinal(), way.protocol().ordinal(), channels, chunkBytes));
        return chunk > 0 ? chunk : chunkBytes;
    }

    private long watched(String name, CollFunction function, CollInfo call, LongSupplier body) {
        begin(name);
        CompletableFuture<Void> over = new CompletableFuture<>();
        String thread = Thread.currentThread().getName();
        over.orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS).exceptionally(late -> {
            warning.accept(name + " of " + describe() + " has not returned in " + patience.toMillis() + " ms; thread "
                    + thread + " waits for it, with " + function + " of " + call.bytes() + " bytes; see "
                    + TunerOptions.PLUGIN);
            return null;
        });
        try {
            return body.getAsLong();
        } finally {
            over.complete(null);
            end();
        }
    }

    /** The plug-in would use what was freed, and ends the process by that. */
    private synchronized void begin(String name) {
        if (isClosed || caller != null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + " of " + describe() + " is not called: the "
                    + (isClosed ? "tuner is closed" : "tuner is for one thread at a time, and " + caller.getName()
                    + " is in a call"));
        }
        caller = Thread.currentThread();
    }

    private void end() {
        boolean isLast;
        synchronized (this) {
            caller = null;
            isLast = isClosed;
        }
        if (isLast) {
            finish(library, context);
        }
    }

    /** Waits some seconds at most for the plug-in, and not for a call that is under way: that one finishes it. */
    @Override
    public void close() {
        boolean isUnused;
        synchronized (this) {
            isUnused = !isClosed && caller == null;
            isClosed = true;
        }
        if (isUnused) {
            finish(library, context);
        }
    }

    private static void finish(TunerLibrary library, long context) {
        ClosingThread closer = new ClosingThread(Subsystem.TUNING, library.file(), CLOSE_LIMIT);
        closer.end("the tuner", () -> library.finish(context), closer::close);
    }

    private String describe() {
        return library.name() + " (" + library.file() + ")";
    }
}
