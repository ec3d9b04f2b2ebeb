/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.function.DoubleSupplier;

/**
 * How fast a thread of CollNet's switch reduces: its CPU time for all-reduces of floats, without what the same bytes
 * take through sockets alone, beside one thread's sum of two inputs in cache.
 */
final class SwitchRig {
    static final int CALL_BYTES = 1 << 20;
    /** As much as the switch reads at a time. */
    static final int CHUNK_BYTES = 128 << 10;
    private static final int SUMS = 256;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RigArguments arguments;
    private final float[] left = new float[CHUNK_BYTES / Float.BYTES];
    private final float[] right = new float[CHUNK_BYTES / Float.BYTES];
    private final float[] sum = new float[CHUNK_BYTES / Float.BYTES];

    private SwitchRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    static Measurements measure(RigArguments arguments) throws IOException {
        Measurements found = new Measurements();
        for (String participants : arguments.text("participants").split(",")) {
            new SwitchRig(arguments).measure(Integer.parseInt(participants), found);
        }
        return found;
    }

    private void measure(int participants, Measurements found) throws IOException {
        double sumNs = settled(this::sumNs);
        double socketsNs;
        try (SocketFan fan = SocketFan.start(arguments, participants)) {
            socketsNs = settled(() -> fan.cpuNs(nanos()));
        }
        double switchNs;
        try (SwitchFan fan = SwitchFan.start(arguments, participants)) {
            switchNs = settled(() -> fan.cpuNs(nanos()));
        }
        String scenario = Integer.toString(participants);
        double reduced = participants - 1;
        found.add(scenario, "sum_gbs", 1 / sumNs);
        found.add(scenario, "sockets_gbs", participants / socketsNs);
        found.add(scenario, "switch_gbs", participants / switchNs);
        found.add(scenario, "reduce_gbs", reduced / (switchNs - socketsNs));
        found.add(scenario, "of_sum", reduced * sumNs / (switchNs - socketsNs));
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

    /** Of a thread that lives, in nanoseconds. */
    static long cpuNs(Thread thread) {
        return THREADS.getThreadCpuTime(thread.threadId());
    }
}
