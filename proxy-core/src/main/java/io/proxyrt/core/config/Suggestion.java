/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The name that was probably meant. */
final class Suggestion {
    private static final String BETWEEN_WORDS = "[._]";
    /** So many letters of a name may have one that is wrong. */
    private static final int LETTERS_PER_SLIP = 4;

    private Suggestion() {
    }

    /** A known name that has all words of this one, or that a few slips make this one of. */
    static Optional<String> of(String name, Collection<String> known) {
        String upper = name.toUpperCase(Locale.ROOT);
        Set<String> words = Set.copyOf(Arrays.asList(upper.split(BETWEEN_WORDS)));
        return known.stream().filter(one -> Arrays.asList(one.toUpperCase(Locale.ROOT).split(BETWEEN_WORDS))
                .containsAll(words)).min(Comparator.comparing(String::length).thenComparing(one -> one))
                .or(() -> known.stream().filter(one -> slips(upper, one) <= name.length() / LETTERS_PER_SLIP)
                        .min(Comparator.<String>comparingInt(one -> slips(upper, one)).thenComparing(one -> one)));
    }

    /** The name, with what was probably meant. */
    static String name(String name, Collection<String> known) {
        return name + of(name, known).map(one -> " (did you mean " + one + "?)").orElse("");
    }

    /** Letters to change, add or leave out until one is the other: Levenshtein's distance. */
    private static int slips(String name, String other) {
        String known = other.toUpperCase(Locale.ROOT);
        int[] above = new int[known.length() + 1];
        Arrays.setAll(above, i -> i);
        for (int row = 1; row <= name.length(); row++) {
            int diagonal = above[0];
            above[0] = row;
            for (int i = 1; i <= known.length(); i++) {
                int change = diagonal + (name.charAt(row - 1) == known.charAt(i - 1) ? 0 : 1);
                diagonal = above[i];
                above[i] = Math.min(change, 1 + Math.min(above[i], above[i - 1]));
            }
        }
        return above[known.length()];
    }
}
