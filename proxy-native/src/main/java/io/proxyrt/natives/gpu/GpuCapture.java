/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/** Whether what is given to a stream becomes part of a graph, and what is asked of the driver in another way then. */
final class GpuCapture {
    private final GpuApi api;
    private final GpuGraphs graphs;
    private final long stream;
    /** As the driver said when it was asked last: another library may have ended it since. */
    private boolean wasOn;

    GpuCapture(GpuApi api, long stream) {
        this.api = api;
        this.graphs = api.graphs();
        this.stream = stream;
    }

    /** Whether it is, if it was when the driver was asked last. */
    boolean isOn() {
        return wasOn && ask();
    }

    /** Asks the driver: another library may have begun it. */
    boolean ask() {
        wasOn = graphs.isCapturing(stream, api.scratch());
        return wasOn;
    }

    /** Whether the stream is done, of any thread: a stream that is being captured must not be asked. */
    int query() {
        return graphs.isCapturing(stream, api.scratch()) ? GpuApi.NOT_READY : api.streamQuery(stream);
    }

    int record(long event) {
        return isOn() ? graphs.record(event, stream) : api.eventRecord(event, stream);
    }

    int await(long event) {
        return isOn() ? graphs.await(stream, event) : api.streamWaitEvent(stream, event);
    }

    /** The task is forgotten when it was run, or with the graph. */
    int launchHost(Runnable task) {
        boolean isCaptured = isOn();
        long number = HostTasks.add(task);
        int code = graphs.launchHost(stream, isCaptured ? HostTasks.RUN : HostTasks.RUN_ONCE, number);
        if (code == GpuApi.SUCCESS && isCaptured) {
            code = graphs.keep(stream, number, api.scratch());
        }
        if (code != GpuApi.SUCCESS) {
            HostTasks.forget(number);
        }
        return code;
    }

    void begin(String name) {
        if (!graphs.whyNot().isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + " cannot be captured: " + graphs.whyNot());
        }
        if (ask()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + " is being captured already");
        }
        require(graphs.begin(stream), name, "cannot be captured");
        wasOn = true;
    }

    /** Of the stream's device. */
    GpuGraph end(GpuDevice device, String name) {
        if (!ask()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + " is not being captured");
        }
        wasOn = false;
        GpuScratch scratch = api.scratch();
        require(graphs.end(stream, scratch), name, "was given what cannot be captured");
        long graph = scratch.asLong();
        try {
            require(graphs.instantiate(graph, scratch), name, "makes no graph of what was captured");
            return device.opened(new GpuGraph(device, scratch.asLong()));
        } finally {
            graphs.destroy(graph);
        }
    }

    private void require(int code, String name, String what) {
        if (code != GpuApi.SUCCESS) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + " " + what + ": " + api.errorName(code));
        }
    }
}
