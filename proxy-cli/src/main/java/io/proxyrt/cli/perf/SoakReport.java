/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What rank 0 prints while it soaks: a line now and then, and all there is to know about the first thing wrong. */
final class SoakReport {
    private static final double NANOS = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double GIGA = 1e9;

    private final PrintStream out;
    private final Optional<Destination> json;
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
    private List<String> devices = List.of();
    private Optional<SoakView.Wrong> wrong = Optional.empty();

    /** Prints nothing if {@code out} is null. */
    SoakReport(PrintStream out, Optional<Destination> json) {
        this.out = out;
        this.json = json;
    }

    void begin(long agreedSeed, SoakPlan soakPlan, List<String> rankDevices) {
        plan = soakPlan;
        devices = rankDevices;
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
        update();
    }

    /** Whether the time is up, or what is printed goes nowhere any more. */
    boolean isEnough() {
        return System.nanoTime() - startNs >= plan.duration().toNanos() || out != null && out.checkError();
    }

    void done(SoakRound round, long ns, int nRanks) {
        rounds++;
        ops += round.ops().size();
        for (SoakOp op : round.ops()) {
            bytes += op.receivedCount(nRanks) * op.type().sizeBytes();
        }
        if (ns > longestNs) {
            longestNs = ns;
            longestRound = round.number();
        }
        long nowNs = System.nanoTime();
        if (nowNs - nextLineNs >= 0) {
            line(nowNs);
            update();
            nextLineNs = nowNs + plan.interval().toNanos();
        }
    }

    /** The first thing wrong: what each rank says about it, empty if it has seen nothing wrong. */
    void wrong(SoakRound round, List<String> ranks) {
        wrong = Optional.of(new SoakView.Wrong(round.number(), round.ops().stream().map(SoakOp::toString).toList(),
                ranks));
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
                seconds(), longestNs / NANOS_PER_MILLI, longestRound, seed);
        json.ifPresent(document -> document.write(text(isRight ? "ok" : "wrong data", Optional.empty())));
    }

    void failed(String reason) {
        print("# Failed after %d rounds, %.1f s: %s", rounds, seconds(), reason);
        json.ifPresent(document -> document.write(text("failed", Optional.of(reason))));
    }

    private double seconds() {
        return (System.nanoTime() - startNs) / NANOS;
    }

    private void update() {
        json.ifPresent(document -> document.update(() -> text("running", Optional.empty())));
    }

    private String text(String status, Optional<String> error) {
        return Json.text(new SoakView(status, error, seed, plan == null ? 0 : plan.firstRound(), devices, rounds, ops,
                bytes, seconds(), longestNs / NANOS_PER_MILLI, longestRound, wrong));
    }

    private void line(long nowNs) {
        print("%10.1f %12d %12d %12.3f %12.3f %14.1f %12d", (nowNs - startNs) / NANOS, rounds, ops, bytes / GIGA,
                (bytes - bytesAtLine) / GIGA / Math.max(1e-9, (nowNs - lineNs) / NANOS), longestNs / NANOS_PER_MILLI,
                longestRound);
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
