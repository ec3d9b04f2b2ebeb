/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.external;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.plugin.TunerLibrary;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.TimeTable;
import io.proxyrt.tuner.TunerConstants;
import io.proxyrt.tuner.Way;
import io.proxyrt.tuner.spi.Tuner;
import io.proxyrt.tuner.spi.TunerRequest;
import org.slf4j.Logger;

/** A plug-in's tuner for one communicator. */
final class ExternalTuner implements Tuner {
    private static final Logger LOG = Subsystem.TUNING.logger();

    private final TunerLibrary library;
    private final long context;
    private final TunerConstants constants;
    private boolean isClosed;

    private ExternalTuner(TunerLibrary library, long context, TunerConstants constants) {
        this.library = library;
        this.context = context;
        this.constants = constants;
    }

    /** Initializes it; what it makes of the constants must be numbers. */
    static ExternalTuner open(TunerLibrary library, TunerRequest request) {
        double[] numbers = request.constants().values();
        // Each node is a domain of its own: nothing here links GPUs of several.
        int ranksOfNode = request.ranks() / request.nodes();
        int[] domains = {request.nodes(), ranksOfNode, Math.ceilDiv(request.ranks(), request.nodes())};
        long context = library.init(request.commId(), request.ranks(), request.nodes(), domains, numbers);
        try {
            return new ExternalTuner(library, context, TunerConstants.of(numbers));
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
            table[index(way)] = (float) times.timeUs(way);
        }
        int channels = library.collInfo(context, function.ordinal(), call.bytes(), call.pipeOps(), false, table);
        for (Way way : Way.all()) {
            float timeUs = table[index(way)];
            // As it was: rounding is no change.
            if (timeUs != (float) times.timeUs(way)) {
                times.set(way, Float.isNaN(timeUs) ? TimeTable.IGNORED : timeUs);
            }
        }
        return channels;
    }

    @Override
    public long chunkBytes(CollFunction function, CollInfo call, Way way, int channels, long chunkBytes) {
        long chunk = library.chunkSize(context, function.ordinal(), call.bytes(), way.algorithm().ordinal(),
                way.protocol().ordinal(), channels, chunkBytes);
        return chunk > 0 ? chunk : chunkBytes;
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            finish(library, context);
        }
    }

    private static void finish(TunerLibrary library, long context) {
        try {
            library.finish(context);
        } catch (ProxyException e) {
            LOG.warn("{}; the tuner is let go of nevertheless", e.getMessage());
        }
    }

    private static int index(Way way) {
        return way.algorithm().ordinal() * Protocol.values().length + way.protocol().ordinal();
    }
}
