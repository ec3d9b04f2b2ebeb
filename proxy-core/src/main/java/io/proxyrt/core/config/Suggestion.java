/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import io.proxyrt.core.text.EditDistance;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The name that was probably meant. */
final class Suggestion {
    private static final String BETWEEN_WORDS = "[._]";
    /** Of a name's letters, one in so many may be wrong. */
    private static final int LETTERS_PER_EDIT = 4;

    private Suggestion() {
    }

    /** A known name that has all words of this one, or of which a few edits make this one. */
    static Optional<String> of(String name, Collection<String> known) {
        String upper = name.toUpperCase(Locale.ROOT);
        Set<String> words = Set.copyOf(Arrays.asList(upper.split(BETWEEN_WORDS)));
        return known.stream().filter(one -> Arrays.asList(one.toUpperCase(Locale.ROOT).split(BETWEEN_WORDS))
                .containsAll(words)).min(Comparator.comparing(String::length).thenComparing(one -> one))
                .or(() -> known.stream().filter(one -> edits(upper, one) <= name.length() / LETTERS_PER_EDIT)
                        .min(Comparator.<String>comparingInt(one -> edits(upper, one)).thenComparing(one -> one)));
    }

    /** The name, with what was probably meant. */
    static String name(String name, Collection<String> known) {
        return name + of(name, known).map(one -> " (did you mean " + one + "?)").orElse("");
    }

    private static int edits(String upper, String known) {
        return EditDistance.between(upper, known.toUpperCase(Locale.ROOT));
    }
}
