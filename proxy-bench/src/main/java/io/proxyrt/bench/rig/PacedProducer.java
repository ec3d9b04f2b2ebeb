/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.contender.OpTemplate;
import io.proxyrt.bench.contender.OpsContender;
import org.HdrHistogram.Histogram;

/**
 * Posts some ops, one by one, at the beats of a clock. Each post is measured twice: from the beat at which it was to
 * start, so that a post that is late because the one before it took long counts in full (no coordinated omission), and
 * from the moment it did start.
 */
final class PacedProducer extends Producer {
    private final long intervalNs;
    private final int burst;
    private final boolean catchesUp;
    private final Histogram response = Measurements.histogram();
    private final Histogram service = Measurements.histogram();

    /**
     * A producer.
     *
     * @param intervalNs between beats
     * @param burst      posts at each beat
     * @param catchesUp  whether beats that were missed are made up for, or the clock starts anew after each
     */
    PacedProducer(long intervalNs, int burst, boolean catchesUp) {
        super(0);
        this.intervalNs = intervalNs;
        this.burst = burst;
        this.catchesUp = catchesUp;
    }

    /** From the beat until the post was made. */
    Histogram response() {
        return response;
    }

    /** The post alone. */
    Histogram service() {
        return service;
    }

    @Override
    void produce(OpsRun run, OpsContender.Poster poster) {
        long beat = System.nanoTime() + intervalNs;
        while (!run.isStopped()) {
            long now = System.nanoTime();
            while (now < beat) {
                Thread.onSpinWait();
                now = System.nanoTime();
            }
            long end = post(run, poster, now);
            response.recordValue(end - beat);
            beat = (catchesUp ? beat : System.nanoTime()) + intervalNs;
        }
    }

    private long post(OpsRun run, OpsContender.Poster poster, long beganNs) {
        OpTemplate template = template();
        long start = beganNs;
        long end = beganNs;
        for (int i = 0; i < burst; i++) {
            template.time(start);
            while (poster.post(template, 1) == 0 && !run.isStopped()) {
                Thread.yield();
            }
            end = System.nanoTime();
            service.recordValue(end - start);
            start = end;
        }
        return end;
    }
}
