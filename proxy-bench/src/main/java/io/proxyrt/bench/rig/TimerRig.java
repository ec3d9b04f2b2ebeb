/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

/** What {@link System#nanoTime()} itself costs, and its smallest step. */
final class TimerRig {
    private static final int CALLS = 2_000_000;

    private TimerRig() {
    }

    static Measurements measure() {
        loop();
        loop();
        long start = System.nanoTime();
        long step = loop();
        Measurements found = new Measurements();
        found.add("nanotime_ns", (double) (System.nanoTime() - start) / CALLS);
        found.add("step_ns", step);
        return found;
    }

    private static long loop() {
        long step = Long.MAX_VALUE;
        long last = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            long now = System.nanoTime();
            if (now != last) {
                step = Math.min(step, now - last);
            }
            last = now;
        }
        return step;
    }
}
