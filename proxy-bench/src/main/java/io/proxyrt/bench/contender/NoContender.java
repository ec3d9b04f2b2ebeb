/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

/** Carries nothing: what is measured of it is the harness, the clock and the machine. */
final class NoContender implements OpsContender {
    private volatile boolean isStopped;

    @Override
    public Poster poster(int producer) {
        return (template, count) -> count;
    }

    @Override
    public int poll(OpSink sink) {
        return 0;
    }

    @Override
    public void await() {
        while (!isStopped) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void wakeup() {
        isStopped = true;
    }
}
