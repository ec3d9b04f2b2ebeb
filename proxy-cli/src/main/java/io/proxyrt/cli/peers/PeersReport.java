/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.peers;

import io.proxyrt.cli.view.Table;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.runtime.TransportVerdict;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Prints which transport each pair of ranks uses, and why. */
final class PeersReport {
    private static final int MOST_NAMED = 16;
    private static final int MOST_LISTED = 12;
    private static final List<String> ALL = List.of("P2P", "SHM", "NET", "COLLNET");
    private static final String NONE = "none";

    private final PrintStream out;
    private final String wanted;

    /** Of ranks that were asked to use a transport, or any if that is empty. */
    PeersReport(PrintStream out, String wanted) {
        this.out = out;
        this.wanted = wanted;
    }

    void print(List<RankView> views) {
        printRanks(views);
        if (views.size() > 1) {
            printMatrix(views);
            List<PairClass> classes = PairClass.of(views);
            classes.forEach(pairs -> printClass(pairs, classes.size() == 1));
            printAbsent(views.getFirst().verdicts().get(1));
        }
        out.flush();
    }

    private void printRanks(List<RankView> views) {
        line("Ranks, and what transports judge them by");
        line("  %4s  %-16s %8s %6s  %-16s  %9s  %10s  %s", "rank", "host", "pid", "user", "host id", "/dev/shm",
                "network", "UDS thread");
        for (PeersView.Rank rank : PeersView.of(views).ranks()) {
            line("  %4d  %-16s %8d %6s  %-16s  %9s  %10s  %s", rank.rank(), rank.host(), rank.pid(),
                    rank.uid() == PeerProcess.UNKNOWN ? "?" : Integer.toUnsignedString(rank.uid()), rank.hostId(),
                    rank.shmId() == 0 ? NONE : "device " + rank.shmId(),
                    rank.netId() == 0 ? "?" : Long.toString(rank.netId()), orNone(rank.uds()));
        }
    }

    private void printMatrix(List<RankView> views) {
        boolean isNamed = views.size() <= MOST_NAMED;
        int width = 2 + Math.max(NONE.length(), views.stream().flatMap(view -> view.verdicts().stream())
                .flatMap(List::stream).mapToInt(verdict -> verdict.name().length()).max().orElse(0));
        Table matrix = isNamed ? new Table(8, width) : new Table(7, 0);
        line("");
        line("Transport that a rank (row) chose for each other (column)%s%s", isNamed ? "" : ", by its first letter",
                wanted.isEmpty() ? "" : "; " + wanted + " is asked for by --transport or proxyrt.coll.transport");
        if (isNamed) {
            line("%s", matrix.row("", views.stream().map(view -> Integer.toString(view.info().rank())).toList()));
        }
        for (RankView view : views) {
            int rank = view.info().rank();
            List<String> chosen = IntStream.range(0, views.size())
                    .mapToObj(peer -> peer == rank ? "-" : orNone(view.chosen(peer))).toList();
            String letters = chosen.stream().map(name -> name.substring(0, 1)).collect(Collectors.joining());
            line("%s", matrix.row(String.format(Locale.ROOT, "  %4d", rank), isNamed ? chosen : List.of(letters)));
        }
    }

    private void printClass(PairClass pairs, boolean isOnlyOne) {
        line("");
        String who = isOnlyOne ? "all pairs" : list(pairs.pairs());
        if (pairs.canConnect()) {
            line("%s between %s", pairs.chosenByFirst(), who);
        } else {
            boolean isNone = pairs.chosenByFirst().isEmpty() && pairs.chosenBySecond().isEmpty();
            line("NO CONNECTION between %s: %s", who, isNone ? "no transport can" : "the first rank chose "
                    + orNone(pairs.chosenByFirst()) + ", the second " + orNone(pairs.chosenBySecond()));
        }
        if (pairs.first().equals(pairs.second())) {
            printVerdicts("  ", pairs.first());
        } else {
            line("  the first rank says");
            printVerdicts("    ", pairs.first());
            line("  the second rank says");
            printVerdicts("    ", pairs.second());
        }
        if (!pairs.canConnect()) {
            line("  Both ranks have to use the same transport: give them the same options, or put right what is "
                    + "refused above.");
        }
    }

    private void printVerdicts(String indent, List<TransportVerdict> verdicts) {
        String chosen = "";
        for (TransportVerdict verdict : verdicts) {
            String used = (wanted.isEmpty() ? "used, as the first that can" : "used, as asked for")
                    + (verdict.how().isEmpty() ? "" : ": " + verdict.how());
            String text = verdict.isChosen() ? used
                    : verdict.isRefused() ? "not used: " + verdict.whyNot()
                    : "not used: it could, but comes after " + chosen + "; --transport " + verdict.name()
                            + " asks for it";
            line("%s%-8s %s", indent, verdict.name(), text);
            chosen = verdict.isChosen() ? verdict.name() : chosen;
        }
    }

    private void printAbsent(List<TransportVerdict> verdicts) {
        List<String> present = verdicts.stream().map(TransportVerdict::name).toList();
        List<String> absent = ALL.stream().filter(name -> !present.contains(name)).toList();
        if (!absent.isEmpty()) {
            line("");
            line("Not part of this build: %s", String.join(", ", absent));
        }
    }

    private static String list(List<PairClass.Pair> pairs) {
        String some = pairs.stream().limit(MOST_LISTED).map(PairClass.Pair::toString).collect(Collectors.joining(", "));
        return pairs.size() > MOST_LISTED ? some + " and " + (pairs.size() - MOST_LISTED) + " more pairs" : some;
    }

    private static String orNone(String chosen) {
        return chosen.isEmpty() ? NONE : chosen;
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values).stripTrailing());
    }
}
