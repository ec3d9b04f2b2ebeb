/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;

import io.proxyrt.natives.CFunction;
import java.util.List;
import java.util.stream.Stream;

/**
 * Graphs of a driver, and functions of the host on its streams. Numbers of streams, graphs and events are the driver's;
 * what returns an int returns its code.
 */
final class GpuGraphs {
    /** Of a driver that has none. */
    static final GpuGraphs NONE = new GpuGraphs(false, new GpuLibrary.Symbols());

    /** {@code cudaStreamCaptureModeRelaxed}: other threads allocate memory and ask events meanwhile. */
    static final int RELAXED = 2;
    /** {@code cudaEventRecordExternal}, {@code cudaEventWaitExternal}: each launch of the graph does it. */
    private static final int EXTERNAL = 1;
    /** {@code cudaUserObjectNoDestructorSync}, {@code cudaGraphUserObjectMove}. */
    private static final int NO_DESTRUCTOR_SYNC = 1;
    private static final int MOVE = 1;

    private final CFunction launchHostFunc;
    private final CFunction streamIsCapturing;
    private final CFunction streamBeginCapture;
    private final CFunction streamEndCapture;
    private final CFunction eventRecordWithFlags;
    private final CFunction streamWaitEvent;
    private final CFunction graphInstantiate;
    private final CFunction graphLaunch;
    private final CFunction graphDestroy;
    private final CFunction graphExecDestroy;
    private final CFunction captureInfo;
    private final CFunction userObjectCreate;
    private final CFunction retainUserObject;
    private final CFunction exchangeMode;
    private final String whyNot;

    private GpuGraphs(boolean cuda, GpuLibrary.Symbols symbols) {
        Names names = name -> symbols.find((cuda ? "cuda" : "hip") + name);
        launchHostFunc = names.of("LaunchHostFunc");
        streamIsCapturing = names.of("StreamIsCapturing");
        streamBeginCapture = names.of("StreamBeginCapture");
        streamEndCapture = names.of("StreamEndCapture");
        eventRecordWithFlags = names.of("EventRecordWithFlags");
        streamWaitEvent = names.of("StreamWaitEvent");
        graphInstantiate = names.of("GraphInstantiateWithFlags");
        graphLaunch = names.of("GraphLaunch");
        graphDestroy = names.of("GraphDestroy");
        graphExecDestroy = names.of("GraphExecDestroy");
        userObjectCreate = names.of("UserObjectCreate");
        retainUserObject = names.of("GraphRetainUserObject");
        exchangeMode = names.of("ThreadExchangeStreamCaptureMode");
        captureInfo = symbols.find(cuda ? "cuStreamGetCaptureInfo_v2" : "hipStreamGetCaptureInfo_v2");
        List<String> missing = Stream.of(launchHostFunc, streamIsCapturing, streamBeginCapture, streamEndCapture,
                        eventRecordWithFlags, streamWaitEvent, graphInstantiate, graphLaunch, graphDestroy,
                        graphExecDestroy, captureInfo, userObjectCreate, retainUserObject, exchangeMode)
                .filter(function -> !function.exists()).map(CFunction::name).toList();
        whyNot = missing.isEmpty() ? "" : "the driver has no " + String.join(", ", missing);
    }

    static GpuGraphs ofCuda(GpuLibrary.Symbols symbols) {
        return new GpuGraphs(true, symbols);
    }

    static GpuGraphs ofHip(GpuLibrary.Symbols symbols) {
        return new GpuGraphs(false, symbols);
    }

    @FunctionalInterface
    private interface Names {
        CFunction of(String name);
    }

    /** Why nothing can be captured; empty if it can. */
    String whyNot() {
        return whyNot;
    }

    /** By which a thread changes how it takes part in captures; of older drivers it does not exist. */
    CFunction exchangeMode() {
        return exchangeMode;
    }

    /** Whether what is given to a stream is captured, as it seems from what the driver has. */
    boolean isCapturing(long stream, GpuScratch scratch) {
        return streamIsCapturing.exists()
                && call(streamIsCapturing, stream, scratch.out(0)) == GpuApi.SUCCESS && scratch.asInt() != 0;
    }

    int begin(long stream) {
        return call(streamBeginCapture, stream, RELAXED);
    }

    /** The graph is where the scratch says, or 0. */
    int end(long stream, GpuScratch scratch) {
        return call(streamEndCapture, stream, scratch.out(0));
    }

    /** What can be launched is where the scratch says; the graph stays. */
    int instantiate(long graph, GpuScratch scratch) {
        return new RelaxedCalls(exchangeMode, () -> scratch)
                .call(() -> call(graphInstantiate, scratch.out(0), graph, 0));
    }

    int launch(long executable, long stream) {
        return call(graphLaunch, executable, stream);
    }

    void destroy(long graph) {
        call(graphDestroy, graph);
    }

    void destroyExecutable(long executable) {
        call(graphExecDestroy, executable);
    }

    /** Each launch of what is captured records it. */
    int record(long event, long stream) {
        return call(eventRecordWithFlags, event, stream, EXTERNAL);
    }

    /** Each launch of what is captured waits for it. */
    int await(long stream, long event) {
        return call(streamWaitEvent, stream, event, EXTERNAL);
    }

    /** Has a stream call one of {@link HostTasks}' functions. */
    int launchHost(long stream, long function, long task) {
        return call(launchHostFunc, stream, function, task);
    }

    /** Has a task forgotten when what a stream captures is gone, with all that was made of it. */
    int keep(long stream, long task, GpuScratch scratch) {
        int code = call(captureInfo, stream, scratch.more(), 0, scratch.out(0), 0, 0);
        long graph = scratch.asLong();
        if (code == GpuApi.SUCCESS) {
            code = call(userObjectCreate, scratch.out(0), task, HostTasks.FORGET, 1, NO_DESTRUCTOR_SYNC);
        }
        return code != GpuApi.SUCCESS ? code : call(retainUserObject, graph, scratch.asLong(), 1, MOVE);
    }
}
