/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** What rank 0 prints while it soaks: a line now and then, and all there is to know about the first thing wrong. */
final class SoakReport {
    private static final double NANOS = 1e9;
    private static final double GIGA = 1e9;

    private final PrintStream out;
    private SoakPlan plan;
    private long seed;
    private long nextLineNs;
    private long rounds;
    private long ops;
    private long bytes;
    private long bytesAtLine;
    private long startNs = System.nanoTime();
    private long lineNs;
    private long longestNs;
    private long longestRound;

    /** Prints nothing if {@code out} is null. */
    SoakReport(PrintStream out) {
        this.out = out;
    }

    void begin(long agreedSeed, SoakPlan soakPlan, List<String> devices) {
        plan = soakPlan;
        seed = agreedSeed;
        startNs = System.nanoTime();
        lineNs = startNs;
        nextLineNs = startNs + plan.interval().toNanos();
        print("# Soaking %d ranks with up to %d operations of up to %d bytes at a time, seed %d", devices.size(),
                SoakRound.MAX_OPS, plan.maxBytes(), seed);
        devices.forEach(device -> print("#  %s", device));
        print("#%9s %12s %12s %12s %12s %14s %12s", "time", "rounds", "operations", "checked", "rate", "longest round",
                "its number");
        print("#%9s %12s %12s %12s %12s %14s", "(s)", "", "", "(GB)", "(GB/s)", "(ms)");
    }

    boolean isTimeUp() {
        return System.nanoTime() - startNs >= plan.duration().toNanos();
    }

    void done(SoakRound round, long ns, int nRanks) {
        rounds++;
        ops += round.ops().size();
        for (SoakOp op : round.ops()) {
            bytes += op.shape(nRanks).recvCount() * op.type().sizeBytes() * nRanks;
        }
        if (ns > longestNs) {
            longestNs = ns;
            longestRound = round.number();
        }
        long nowNs = System.nanoTime();
        if (nowNs - nextLineNs >= 0) {
            line(nowNs);
            nextLineNs = nowNs + plan.interval().toNanos();
        }
    }

    /** The first thing wrong: what each rank says about it, empty if it has seen nothing wrong. */
    void wrong(SoakRound round, List<String> ranks) {
        print("# WRONG DATA in round %d, seed %d:", round.number(), seed);
        for (int i = 0; i < round.ops().size(); i++) {
            print("#   operation %d: %s", i, round.ops().get(i));
        }
        for (int rank = 0; rank < ranks.size(); rank++) {
            print("#   rank %d: %s", rank, ranks.get(rank).isEmpty() ? "nothing wrong" : ranks.get(rank));
        }
        print("# Once more: the same command with --seed %d --from %d --rounds 1", seed, round.number());
    }

    void end(boolean isRight) {
        line(System.nanoTime());
        print("# %s after %d rounds, %d operations, %.3f GB in %.1f s; longest round %.1f ms, number %d; seed %d",
                isRight ? "Nothing wrong" : "Wrong data", rounds, ops, bytes / GIGA,
                (System.nanoTime() - startNs) / NANOS, longestNs / 1e6, longestRound, seed);
    }

    void failed(String reason) {
        print("# Failed after %d rounds, %.1f s: %s", rounds, (System.nanoTime() - startNs) / NANOS, reason);
    }

    private void line(long nowNs) {
        print("%10.1f %12d %12d %12.3f %12.3f %14.1f %12d", (nowNs - startNs) / NANOS, rounds, ops, bytes / GIGA,
                (bytes - bytesAtLine) / GIGA / Math.max(1e-9, (nowNs - lineNs) / NANOS), longestNs / 1e6, longestRound);
        bytesAtLine = bytes;
        lineNs = nowNs;
    }

    private void print(String format, Object... values) {
        if (out != null) {
            out.println(String.format(Locale.ROOT, format, values));
            out.flush();
        }
    }
}
