/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.op.ProxyOpEncoder;
import java.util.ArrayList;
import java.util.List;

/**
 * Ops that are not posted when a kernel is launched, but by the device's stream right before it runs: by each launch of
 * a graph that it was captured in, and then by any launch, which would else overtake those of graphs. RCCL's host
 * stream callback.
 */
final class DeferredOps implements OpSink {
    private final LanePoster poster;
    private final FirstFailure failure;
    private final int capacity;
    private List<Deferred> ops = new ArrayList<>();

    private record Deferred(long opCount, ProxyOpEncoder op) {
    }

    DeferredOps(LanePoster poster, FirstFailure failure) {
        this.poster = poster;
        this.failure = failure;
        this.capacity = poster.capacity();
    }

    @Override
    public ProxyOpEncoder append(long opCount) {
        ProxyOpEncoder op = new ProxyOpEncoder();
        ops.add(new Deferred(opCount, op));
        return op;
    }

    @Override
    public void post() {
        // The stream does.
    }

    @Override
    public int room() {
        return capacity - ops.size();
    }

    /** What posts all that was appended since the last one, as often as it is run; null if that is nothing. */
    Runnable take() {
        if (ops.isEmpty()) {
            return null;
        }
        List<Deferred> taken = ops;
        ops = new ArrayList<>();
        return () -> post(taken);
    }

    /**
     * A thread of the driver. It has the poster to itself: the stream puts the launches of a communicator in order, and
     * its user's thread posts nothing any more.
     */
    private void post(List<Deferred> taken) {
        if (failure.isKnown()) {
            return;
        }
        try {
            for (Deferred each : taken) {
                poster.append(each.opCount, each.op);
            }
            poster.post();
        } catch (RuntimeException | Error e) {
            failure.end(new ProxyException(e instanceof ProxyException known ? known.result()
                    : ProxyResult.INTERNAL_ERROR, failure.group().self()
                    + ": ops could not be posted by the device's stream: " + e, e));
        }
    }
}
