/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.function.DoubleSupplier;

/**
 * How fast a thread of CollNet's switch reduces: its CPU time for all-reduces of floats, without what it spends in the
 * system, which is what sockets cost, beside one thread's sum of two inputs in cache.
 */
final class SwitchRig {
    static final int CALL_BYTES = 1 << 20;
    /** As much as the switch reads at a time. */
    private static final int CHUNK_BYTES = 128 << 10;
    private static final int SUMS = 256;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RigArguments arguments;
    private final float[] left = new float[CHUNK_BYTES / Float.BYTES];
    private final float[] right = new float[CHUNK_BYTES / Float.BYTES];
    private final float[] sum = new float[CHUNK_BYTES / Float.BYTES];

    private SwitchRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    static Measurements measure(RigArguments arguments) {
        Measurements found = new Measurements();
        for (String participants : arguments.text("participants").split(",")) {
            new SwitchRig(arguments).measure(Integer.parseInt(participants), found);
        }
        return found;
    }

    private void measure(int participants, Measurements found) {
        double sumNs = settled(this::sumNs);
        try (SwitchFan fan = SwitchFan.start(arguments, participants)) {
            WarmUp.run(arguments.nanos("warmup"), () -> fan.run(nanos()).ownNs());
            Share share = fan.run(nanos());
            String scenario = Integer.toString(participants);
            found.add(scenario, "sum_gbs", 1 / sumNs);
            found.add(scenario, "reduce_gbs", (participants - 1) / share.ownNs());
            found.add(scenario, "of_sum", (participants - 1) * sumNs / share.ownNs());
            found.add(scenario, "switch_gbs", participants / share.cpuNs());
            found.add(scenario, "system", 100 * (1 - share.ownNs() / share.cpuNs()));
        }
    }

    /** CPU time of the switch's thread for each byte of a result: all of it, and what is not the system's. */
    record Share(double cpuNs, double ownNs) {
        static Share of(Thread thread) {
            return new Share(THREADS.getThreadCpuTime(thread.threadId()), THREADS.getThreadUserTime(thread.threadId()));
        }

        Share since(Share before, long bytes) {
            return new Share((cpuNs - before.cpuNs) / bytes, (ownNs - before.ownNs) / bytes);
        }
    }

    private long nanos() {
        return arguments.nanos("seconds");
    }

    private double settled(DoubleSupplier figure) {
        WarmUp.run(arguments.nanos("warmup"), figure);
        return figure.getAsDouble();
    }

    /** CPU time of the calling thread for each byte of an input. */
    private double sumNs() {
        Arrays.fill(left, 1);
        Arrays.fill(right, 2);
        long begin = THREADS.getCurrentThreadCpuTime();
        long sums = 0;
        for (long end = begin + nanos(); THREADS.getCurrentThreadCpuTime() < end;) {
            for (int i = 0; i < SUMS; i++) {
                sum();
            }
            sums += SUMS;
        }
        return (double) (THREADS.getCurrentThreadCpuTime() - begin) / (sums * CHUNK_BYTES);
    }

    private void sum() {
        for (int i = 0; i < sum.length; i++) {
            sum[i] = left[i] + right[i];
        }
    }
}
