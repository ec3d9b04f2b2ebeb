/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;

/**
 * How much of what the driver was given for a stream is not done: the driver blocks a caller that gives it more than
 * its own queue holds, and does not say when. Now and then an event is recorded behind a command; those that are done
 * say how far the stream is. One thread at a time.
 */
final class GpuBacklog {
    /** Commands from one mark to the next. */
    private static final int INTERVAL = 16;
    /** More than can be under way at a time. */
    private static final int MARKS = 16;

    private final GpuApi api;
    private final long stream;
    private final long[] marks = new long[MARKS];
    private long posted;
    private long marked;
    private long passed;

    /** Of a stream of the calling thread's device. */
    GpuBacklog(GpuApi api, long stream) {
        this.api = api;
        this.stream = stream;
        try {
            for (int i = 0; i < MARKS; i++) {
                marks[i] = api.eventCreate();
            }
        } catch (ProxyException e) {
            destroy();
            throw e;
        }
    }

    /**
     * Whether less than a number of commands are under way.
     *
     * @param limit at most {@link #MARKS} - 1 times {@link #INTERVAL}
     * @return SUCCESS if they are, NOT_READY if they are not, or the code of what failed
     */
    int query(int limit) {
        int code = GpuApi.SUCCESS;
        while (code == GpuApi.SUCCESS && underWay() >= limit) {
            code = api.eventQuery(mark(passed));
            passed += code == GpuApi.SUCCESS ? 1 : 0;
        }
        return code;
    }

    /** An upper bound: what is done since the last mark counts as well. */
    long underWay() {
        return posted - passed * INTERVAL;
    }

    /** Counts a command that the driver has taken; returns the driver's code. */
    int add() {
        posted++;
        if (posted % INTERVAL != 0) {
            return GpuApi.SUCCESS;
        }
        int code = api.eventRecord(mark(marked), stream);
        marked++;
        return code;
    }

    private long mark(long number) {
        return marks[(int) (number % MARKS)];
    }

    void destroy() {
        for (long mark : marks) {
            if (mark != 0) {
                api.eventDestroy(mark);
            }
        }
    }
}
