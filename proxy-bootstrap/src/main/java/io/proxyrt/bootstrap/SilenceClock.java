/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

/**
 * Time as its owner was awake to see it. Advances with the clock of the machine, but by no more than a step at a time:
 * a process that was itself stopped, or paused, does not blame its peers for a silence that it slept through.
 */
final class SilenceClock {
    private final long maxStepNs;
    private long lastNs;
    private long awakeNs;

    SilenceClock(long maxStepNs, long startNs) {
        this.maxStepNs = maxStepNs;
        this.lastNs = startNs;
    }

    void advance(long nowNs) {
        awakeNs += Math.min(nowNs - lastNs, maxStepNs);
        lastNs = nowNs;
    }

    long awakeNs() {
        return awakeNs;
    }
}
