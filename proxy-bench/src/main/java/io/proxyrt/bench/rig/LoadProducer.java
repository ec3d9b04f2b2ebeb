/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.contender.OpTemplate;
import io.proxyrt.bench.contender.OpsContender;
import org.HdrHistogram.Histogram;

/**
 * Posts as fast as it can, yielding where there is no room. One post in 64 is timed, waiting for room left out.
 */
final class LoadProducer extends Producer {
    private static final int SAMPLE = 64;

    private final int batch;
    private final Histogram cost;

    LoadProducer(int number, int batch, Histogram cost) {
        super(number);
        this.batch = batch;
        this.cost = cost;
    }

    @Override
    void produce(OpsRun run, OpsContender.Poster poster) {
        OpTemplate template = template();
        int posts = 0;
        while (!run.isStopped()) {
            if ((++posts & SAMPLE - 1) == 0) {
                timed(run, poster, template);
            } else {
                untimed(run, poster, template);
            }
        }
    }

    private void untimed(OpsRun run, OpsContender.Poster poster, OpTemplate template) {
        int left = batch - poster.post(template, batch);
        while (left > 0 && !run.isStopped()) {
            Thread.yield();
            left -= poster.post(template, left);
        }
    }

    private void timed(OpsRun run, OpsContender.Poster poster, OpTemplate template) {
        long waited = 0;
        long start = System.nanoTime();
        int left = batch - poster.post(template, batch);
        while (left > 0 && !run.isStopped()) {
            long full = System.nanoTime();
            Thread.yield();
            waited += System.nanoTime() - full;
            left -= poster.post(template, left);
        }
        cost.recordValue(Math.max(0, System.nanoTime() - start - waited));
    }
}
