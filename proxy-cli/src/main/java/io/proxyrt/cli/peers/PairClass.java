/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.peers;

import io.proxyrt.core.runtime.TransportVerdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Pairs of ranks for which the same was said.
 *
 * @param pairs  the smaller rank first
 * @param first  what the smaller rank of each says, with "this rank" and "the other" in place of numbers
 * @param second what the greater one says
 */
record PairClass(List<Pair> pairs, List<TransportVerdict> first, List<TransportVerdict> second) {
    /** Two ranks, the smaller first. */
    record Pair(int first, int second) {
        @Override
        public String toString() {
            return first + "-" + second;
        }
    }

    /** All pairs of these ranks, in classes. */
    static List<PairClass> of(List<RankView> views) {
        Map<List<List<TransportVerdict>>, PairClass> classes = new LinkedHashMap<>();
        for (int i = 0; i < views.size(); i++) {
            for (int j = i + 1; j < views.size(); j++) {
                List<TransportVerdict> first = anonymous(views.get(i).verdicts().get(j), i, j);
                List<TransportVerdict> second = anonymous(views.get(j).verdicts().get(i), j, i);
                classes.computeIfAbsent(List.of(first, second), any -> new PairClass(new ArrayList<>(), first, second))
                        .pairs().add(new Pair(i, j));
            }
        }
        return List.copyOf(classes.values());
    }

    String chosenByFirst() {
        return chosen(first);
    }

    String chosenBySecond() {
        return chosen(second);
    }

    /** Whether both chose one transport, and the same. */
    boolean canConnect() {
        return !chosenByFirst().isEmpty() && chosenByFirst().equals(chosenBySecond());
    }

    private static String chosen(List<TransportVerdict> verdicts) {
        return verdicts.stream().filter(TransportVerdict::isChosen).map(TransportVerdict::name).findFirst().orElse("");
    }

    private static List<TransportVerdict> anonymous(List<TransportVerdict> verdicts, int self, int peer) {
        return verdicts.stream().map(verdict -> new TransportVerdict(verdict.name(),
                verdict.whyNot().replaceAll("\\brank " + peer + "\\b", "the other rank")
                        .replaceAll("\\brank " + self + "\\b", "this rank"), verdict.isChosen(), verdict.how()))
                .toList();
    }
}
