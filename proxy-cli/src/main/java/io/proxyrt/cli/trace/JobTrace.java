/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import io.proxyrt.cli.dump.CountersFile;
import io.proxyrt.cli.stat.RuntimeChoice;
import io.proxyrt.cli.trace.Clocks.Aligned;
import io.proxyrt.cli.trace.Clocks.Clock;
import io.proxyrt.cli.trace.OpSpan.State;
import io.proxyrt.cli.trace.Pairing.Joined;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What ranks did, by one clock, and what they sent each other.
 *
 * @param ranks    by job and rank
 * @param pairs    the two ends of what was sent
 * @param clocks   that the ranks had
 * @param problems why something is missing
 */
public record JobTrace(List<RankTrace> ranks, List<Pair> pairs, List<Clock> clocks, List<String> problems) {
    private static final long NS_PER_S = 1_000_000_000;

    /** Copies. */
    public JobTrace {
        ranks = List.copyOf(ranks);
        pairs = List.copyOf(pairs);
        clocks = List.copyOf(clocks);
        problems = List.copyOf(problems);
    }

    /**
     * Something that was sent.
     *
     * @param from the rank that sent it, as a place in the list of ranks
     * @param send the op that did, as a place in its list
     * @param to   the rank that received it
     * @param recv the op that did
     */
    public record Pair(int from, int send, int to, int recv) {
        OpSpan sendOf(List<RankTrace> ranks) {
            return ranks.get(from).ops().get(send);
        }

        OpSpan recvOf(List<RankTrace> ranks) {
            return ranks.get(to).ops().get(recv);
        }
    }

    /** By what a rank is known when it is read again. */
    private record Member(String job, int rank, long pid) {
    }

    /**
     * Reads what is wanted.
     *
     * @param config        says where runtimes are
     * @param wanted        counters files or their folders, which have a slash in their path; processes; jobs. None for
     *                      all runtimes
     * @param isAcrossHosts whether clocks of different hosts are to be compared by what was sent between them
     * @return of those that are still there
     * @throws ProxyException if a file cannot be read, there is no such process or job, or none at all, or a rank is
     *                        there twice
     */
    public static JobTrace read(ProxyConfig config, List<String> wanted, boolean isAcrossHosts) {
        List<String> problems = new ArrayList<>();
        Map<Path, RankTrace> found = new LinkedHashMap<>();
        for (String one : wanted) {
            if (one.contains("/")) {
                CountersFile file = file(config, Path.of(one));
                found.put(file.path().toAbsolutePath().normalize(), BlackBoxTrace.read(file));
            }
        }
        wanted.stream().filter(one -> !one.contains("/")).forEach(one -> read(new RuntimeChoice(config, one), found,
                problems));
        if (wanted.isEmpty()) {
            read(new RuntimeChoice(config, null), found, problems);
        }
        if (found.isEmpty()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "no running runtime found under "
                    + RuntimeDirectory.place(config) + problems.stream().map(problem -> "; " + problem)
                            .collect(Collectors.joining()));
        }
        refuseTwice(found);
        List<RankTrace> ranks = found.values().stream().sorted(Comparator.comparing(RankTrace::job)
                .thenComparingInt(RankTrace::rank).thenComparingLong(RankTrace::pid)).toList();
        Joined joined = Pairing.of(ranks);
        Aligned aligned = Clocks.align(ranks, isAcrossHosts ? joined.pairs() : List.of());
        problems.addAll(joined.problems());
        return new JobTrace(aligned.ranks(), joined.pairs(), aligned.clocks(), problems);
    }

    /**
     * What is there later, or this if ranks of it have ended meanwhile: what they did is gone with them.
     *
     * @param later reads again
     * @return of these ranks, and of others that are there by then
     */
    public JobTrace orLater(Supplier<JobTrace> later) {
        try {
            JobTrace found = later.get();
            List<Member> gone = new ArrayList<>(members());
            found.members().forEach(gone::remove);
            return gone.isEmpty() ? found
                    : with("only " + (ranks.size() - gone.size()) + " of " + ranks.size() + " ranks are left");
        } catch (ProxyException e) {
            return with("it has ended meanwhile: " + e.getMessage());
        }
    }

    private List<Member> members() {
        return ranks.stream().map(rank -> new Member(rank.job(), rank.rank(), rank.pid())).toList();
    }

    private JobTrace with(String problem) {
        return new JobTrace(ranks, pairs, clocks, Stream.concat(problems.stream(),
                Stream.of(problem + "; this is what they had done before counters were looked at")).toList());
    }

    /** Only where runtimes are can one be at work: a folder's name may be that of another host's process. */
    private static CountersFile file(ProxyConfig config, Path path) {
        CountersFile file = CountersFile.at(path);
        return file.entry().filter(entry -> RuntimeDirectory.bases(config).stream()
                .anyMatch(base -> isSame(base, entry.path().getParent()))).isPresent() ? file
                : new CountersFile(file.path(), Optional.empty());
    }

    private static boolean isSame(Path one, Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException e) {
            return false;
        }
    }

    private static void read(RuntimeChoice choice, Map<Path, RankTrace> found, List<String> problems) {
        for (RuntimeDirectory.Entry entry : choice.entries()) {
            try {
                found.put(entry.counters().toAbsolutePath().normalize(),
                        BlackBoxTrace.read(new CountersFile(entry.counters(), Optional.of(entry))));
            } catch (ProxyException e) {
                // One that was closed meanwhile is not worth a word.
                if (Files.exists(entry.path())) {
                    problems.add("rank " + entry.rank() + ", pid " + entry.pid() + ": " + e.getMessage());
                }
            }
        }
    }

    /** Such as a copy of a file beside the file. */
    private static void refuseTwice(Map<Path, RankTrace> found) {
        Map<String, Path> known = new HashMap<>();
        found.forEach((path, rank) -> {
            Path other = known.put(rank.pid() + " " + rank.rank() + " " + rank.originNs() + " " + rank.job(),
                    path);
            if (other != null) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank.rank() + " of job '" + rank.job()
                        + "' is there twice, in " + other + " and " + path + "; name only one of them");
            }
        });
    }

    /**
     * When it begins.
     *
     * @return nanoseconds since the epoch
     */
    public long fromNs() {
        return ranks.stream().mapToLong(RankTrace::fromNs).min().orElse(0);
    }

    /**
     * When it begins.
     *
     * @return the same
     */
    public Instant begins() {
        return Instant.ofEpochSecond(Math.floorDiv(fromNs(), NS_PER_S), Math.floorMod(fromNs(), NS_PER_S));
    }

    /**
     * The op that sent something.
     *
     * @param pair one of these
     * @return the very one of its rank
     */
    public OpSpan send(Pair pair) {
        return pair.sendOf(ranks);
    }

    /**
     * The op that received something.
     *
     * @param pair one of these
     * @return the very one of its rank
     */
    public OpSpan recv(Pair pair) {
        return pair.recvOf(ranks);
    }

    /**
     * What there is of it, and how good its times are.
     *
     * @return lines for people
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(ranks.size() + " ranks, " + count(RankTrace::ops) + " ops, " + pairs.size() + " arrows from send to "
                + "receive, " + count(RankTrace::calls) + " calls, " + count(RankTrace::marks) + " waits and errors");
        addCount(lines, OpSpan::isCut, "the black box does not have the beginning any more: they begin where it does");
        addCount(lines, op -> op.state() == State.QUEUED, "the op before on their connection had not ended: they are "
                + "left out");
        addCount(lines, op -> op.way().direction().isEmpty(), "it is not known whether they send or receive: their "
                + "connection has no row in the counters file");
        clocks.stream().skip(1).forEach(clock -> lines.add("the clock of " + names(clock.ranks()) + " was "
                + tell(clock)));
        lines.addAll(problems);
        return lines;
    }

    private int count(Function<RankTrace, List<?>> what) {
        return ranks.stream().mapToInt(rank -> what.apply(rank).size()).sum();
    }

    private void addCount(List<String> lines, Predicate<OpSpan> which, String what) {
        long count = ranks.stream().flatMap(rank -> rank.ops().stream()).filter(which).count();
        if (count > 0) {
            lines.add("of " + count + " ops " + what);
        }
    }

    private String names(List<Integer> indices) {
        boolean isOne = ranks.stream().map(RankTrace::job).distinct().count() == 1;
        return (indices.size() == 1 ? "rank " : "ranks ") + indices.stream().map(ranks::get)
                .map(rank -> rank.rank() + (isOne || rank.job().isEmpty() ? "" : " of job " + rank.job()))
                .collect(Collectors.joining(", "));
    }

    private String tell(Clock clock) {
        String reference = names(clocks.get(clock.reference()).ranks().subList(0, 1));
        String ahead = String.format(Locale.ROOT, "%.6f s %s that of %s", Math.abs(clock.aheadNs()) / 1e9,
                clock.aheadNs() < 0 ? "behind" : "ahead of", reference);
        return switch (clock.knowledge()) {
            case REFERENCE -> "left by its time of day: nothing joins it to that of " + names(clocks.getFirst().ranks()
                    .subList(0, 1));
            case SPAN -> ahead + ", give or take " + seconds(clock.errorNs());
            case TOO_LITTLE -> "taken to be " + ahead + ": too little was sent to and fro to tell";
            case CONTRADICTION -> "taken to be " + ahead + ": what was sent contradicts itself by "
                    + seconds(clock.errorNs());
        };
    }

    private static String seconds(long ns) {
        return String.format(Locale.ROOT, "%.6f s", ns / 1e9);
    }
}
