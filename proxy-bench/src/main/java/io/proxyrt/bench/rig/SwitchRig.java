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
    /** Of sockets and switch, so that what else goes on on the machine hits both. */
    private static final int TURNS = 15;
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
        double[] socketsNs = new double[TURNS];
        double[] switchNs = new double[TURNS];
        try (SocketFan sockets = SocketFan.start(arguments, participants);
                SwitchFan collNet = SwitchFan.start(arguments, participants)) {
            WarmUp.run(arguments.nanos("warmup"), () -> collNet.cpuNs(nanos()));
            WarmUp.run(arguments.nanos("warmup"), () -> sockets.cpuNs(nanos()));
            for (int turn = 0; turn < TURNS; turn++) {
                socketsNs[turn] = sockets.cpuNs(nanos() / TURNS);
                switchNs[turn] = collNet.cpuNs(nanos() / TURNS);
            }
        }
        report(Integer.toString(participants), sumNs, median(socketsNs), median(switchNs), found);
    }

    private static void report(String participants, double sumNs, double socketsNs, double switchNs,
            Measurements found) {
        int number = Integer.parseInt(participants);
        found.add(participants, "sum_gbs", 1 / sumNs);
        found.add(participants, "sockets_gbs", number / socketsNs);
        found.add(participants, "switch_gbs", number / switchNs);
        found.add(participants, "reduce_gbs", (number - 1) / (switchNs - socketsNs));
        found.add(participants, "of_sum", (number - 1) * sumNs / (switchNs - socketsNs));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
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
