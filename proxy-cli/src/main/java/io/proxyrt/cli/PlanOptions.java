/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.perf.Collective;
import io.proxyrt.cli.perf.PerfOp;
import io.proxyrt.cli.perf.PerfPlan;
import io.proxyrt.cli.perf.PerfPlan.Average;
import io.proxyrt.cli.perf.PerfPlan.Loops;
import io.proxyrt.cli.perf.Sizes;
import io.proxyrt.core.DataType;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What to measure: nccl-tests' flags, with its meaning. */
final class PlanOptions {
    static final long MAX_BYTES = 1L << 40;
    private static final String ALL = "all";

    @Parameters(index = "0", paramLabel = "COLLECTIVE", arity = "0..1", completionCandidates = Names.Collectives.class,
            description = "One of ${COMPLETION-CANDIDATES}.")
    private String collective;

    @Option(names = {"-b", "--minbytes"}, paramLabel = "SIZE", defaultValue = "8", converter = ByteSize.class,
            description = "Smallest size; K, M and G are powers of 1024. Default: ${DEFAULT-VALUE}.")
    private long minBytes;

    @Option(names = {"-e", "--maxbytes"}, paramLabel = "SIZE", defaultValue = "16M", converter = ByteSize.class,
            description = "Largest size. Default: ${DEFAULT-VALUE}.")
    private long maxBytes;

    @Option(names = {"-f", "--stepfactor"}, paramLabel = "N",
            description = "From size to size, multiply by N. Default: 2, unless -i is given.")
    private Integer factor;

    @Option(names = {"-i", "--stepbytes"}, paramLabel = "SIZE", converter = ByteSize.class,
            description = "From size to size, add SIZE.")
    private Long step;

    @Option(names = {"-n", "--iters"}, paramLabel = "N", defaultValue = "20",
            description = "Timed iterations. Default: ${DEFAULT-VALUE}.")
    private int iterations;

    @Option(names = {"-w", "--warmup_iters"}, paramLabel = "N", defaultValue = "5",
            description = "Iterations before, not timed. Default: ${DEFAULT-VALUE}.")
    private int warmup;

    @Option(names = {"-m", "--agg_iters"}, paramLabel = "N", defaultValue = "1",
            description = "Operations launched in each iteration. Default: ${DEFAULT-VALUE}.")
    private int aggregate;

    @Option(names = {"-G", "--cudagraph"}, paramLabel = "N", defaultValue = "0",
            description = "Capture all iterations in a graph of the GPU, and time N launches of it; 0 for none. "
                    + "Default: ${DEFAULT-VALUE}.")
    private int graphs;

    @Option(names = {"-c", "--check"}, paramLabel = "N", defaultValue = "1",
            description = "Rounds of the data check: every element at every rank; 0 for none. "
                    + "Default: ${DEFAULT-VALUE}.")
    private int checks;

    @Option(names = {"-o", "--op"}, paramLabel = "OP", defaultValue = "sum",
            completionCandidates = Names.Reductions.class,
            description = "Reduction: one of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private String op;

    @Option(names = {"-d", "--datatype"}, paramLabel = "TYPE", defaultValue = "float",
            completionCandidates = Names.Types.class,
            description = "Elements: one of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private String type;

    @Option(names = {"-r", "--root"}, paramLabel = "RANK", defaultValue = "0",
            description = "Root of a broadcast, reduce, gather or scatter, or all. Default: ${DEFAULT-VALUE}.")
    private String root;

    @Option(names = {"-a", "--average"}, paramLabel = "N", defaultValue = "1",
            description = "Time to report: 0 rank 0's, 1 the average of all ranks, 2 the least, 3 the greatest. "
                    + "Default: ${DEFAULT-VALUE}.")
    private int average;

    @Option(names = "--jit-warmup", paramLabel = "MS", defaultValue = "3000",
            description = "Milliseconds of the same operations before the table, for the JVM's compilers, and more of "
                    + "them before each row until those are quiet; 0 for neither. Default: ${DEFAULT-VALUE}.")
    private int jitWarmupMs;

    /** For picocli. */
    PlanOptions() {
    }

    /** What the flags ask for; one that makes no sense is an {@link IllegalArgumentException}. */
    PerfPlan plan(int nRanks) {
        List<String> names = Arrays.stream(Collective.values()).map(Enum::name).toList();
        if (collective == null) {
            throw new IllegalArgumentException("say what to measure: " + list(names));
        }
        Collective what = Collective.of(collective).orElseThrow(() -> new IllegalArgumentException("'" + collective
                + "' is no collective: must be one of " + list(names)
                + Suggestion.of(collective, new Names.Collectives())));
        if (!what.isFor(nRanks)) {
            throw new IllegalArgumentException(what == Collective.SENDRECV
                    ? "sendrecv takes at least 2 ranks, there is 1"
                    : what.name().toLowerCase(Locale.ROOT) + " takes 2, 4, 8, ... ranks, there are " + nRanks);
        }
        require("--jit-warmup", jitWarmupMs, 0, 600_000);
        return new PerfPlan(what, sizes(), loops(), types(), ops(), roots(nRanks),
                Average.values()[require("-a", average, 0, Average.values().length - 1)],
                Duration.ofMillis(jitWarmupMs));
    }

    private Sizes sizes() {
        require("-b", minBytes, 1, MAX_BYTES);
        require("-e", maxBytes, 1, MAX_BYTES);
        if (minBytes > maxBytes) {
            throw new IllegalArgumentException("-b is " + minBytes + " and -e is " + maxBytes
                    + ": the smallest size must not be above the largest");
        }
        if (factor != null && step != null) {
            throw new IllegalArgumentException("-f and -i exclude each other: sizes grow either by a factor or "
                    + "by an increment");
        }
        require("-f", factor == null ? 2 : factor, 2, Integer.MAX_VALUE);
        require("-i", step == null ? 1 : step, 1, MAX_BYTES);
        Sizes sizes = new Sizes(minBytes, maxBytes, step != null ? 0 : factor == null ? 2 : factor,
                step == null ? 0 : step);
        if (sizes.rows() > Sizes.MAX_ROWS) {
            throw new IllegalArgumentException("-i is " + step + ": that makes more than " + Sizes.MAX_ROWS
                    + " sizes from " + minBytes + " to " + maxBytes);
        }
        return sizes;
    }

    private Loops loops() {
        require("-n", iterations, 1, Integer.MAX_VALUE);
        require("-w", warmup, 0, Integer.MAX_VALUE);
        require("-c", checks, 0, Integer.MAX_VALUE);
        require("-m", aggregate, 1, Integer.MAX_VALUE);
        require("-G", graphs, 0, Integer.MAX_VALUE);
        require("-n times -m", (long) iterations * aggregate * Math.max(1, graphs), 1, Integer.MAX_VALUE);
        return new Loops(iterations, warmup, checks, aggregate, graphs);
    }

    private List<DataType> types() {
        String name = type.toLowerCase(Locale.ROOT);
        List<DataType> types = Arrays.stream(DataType.values())
                .filter(t -> name.equals(ALL) || name.equals(t.label()) || name.equalsIgnoreCase(t.name())).toList();
        return some("-d", type, types, Arrays.stream(DataType.values()).map(DataType::label).toList());
    }

    private List<PerfOp> ops() {
        String name = op.toLowerCase(Locale.ROOT);
        List<PerfOp> ops = Arrays.stream(PerfOp.values()).filter(o -> name.equals(ALL) || name.equals(o.label()))
                .toList();
        return some("-o", op, ops, Arrays.stream(PerfOp.values()).map(PerfOp::label).toList());
    }

    private List<Integer> roots(int nRanks) {
        if (root.equalsIgnoreCase(ALL)) {
            return IntStream.range(0, nRanks).boxed().toList();
        }
        if (!root.matches("\\d{1,9}") || Integer.parseInt(root) >= nRanks) {
            throw new IllegalArgumentException("-r is '" + root + "': must be a rank, 0 to " + (nRanks - 1)
                    + ", or all");
        }
        return List.of(Integer.valueOf(root));
    }

    private static <T> List<T> some(String flag, String text, List<T> found, List<String> names) {
        if (found.isEmpty()) {
            throw new IllegalArgumentException(flag + " is '" + text + "': must be one of " + list(names) + " or "
                    + ALL + Suggestion.of(text, names));
        }
        return found;
    }

    private static int require(String flag, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(flag + " is " + value + ": must be "
                    + "within " + least + " to " + most);
        }
        return (int) value;
    }

    private static String list(List<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.joining(", "));
    }
}
