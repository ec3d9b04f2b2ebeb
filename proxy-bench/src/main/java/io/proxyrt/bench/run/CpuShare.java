/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much of the machine's CPU time other programs use meanwhile, from /proc. */
final class CpuShare {
    private static final Path MACHINE = Path.of("/proc/stat");
    private static final Path SELF = Path.of("/proc/self/stat");
    private static final double TICK_NS = 1e7;

    private final long startNs = System.nanoTime();
    private final long startTicks = ticksOfOthers();

    /** Per cent of one CPU since this was made; NaN where there is no /proc. */
    double percent() {
        long now = ticksOfOthers();
        if (now < 0 || startTicks < 0) {
            return Double.NaN;
        }
        return Math.max(0, 100 * (now - startTicks) * TICK_NS / (System.nanoTime() - startNs));
    }

    /** All busy ticks, less those of this process and of the children it has waited for. */
    private static long ticksOfOthers() {
        try {
            String[] all = Files.readAllLines(MACHINE).getFirst().split("\\s+");
            String self = Files.readString(SELF);
            String[] own = self.substring(self.lastIndexOf(')') + 2).split(" ");
            return sum(all, 1, 3) + sum(all, 6, 7) - sum(own, 11, 14);
        } catch (IOException e) {
            return -1;
        }
    }

    private static long sum(String[] words, int first, int last) {
        long sum = 0;
        for (int i = first; i <= last; i++) {
            sum += Long.parseLong(words[i]);
        }
        return sum;
    }
}
