/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionTest {
    @ParameterizedTest
    @CsvSource({"--rnaks, --ranks", "--rank, --ranks", "--interva, --interval", "--interavl, --interval",
        "--ALL, --all", "--trans, --transport"})
    void shouldFindWhatWasMeant(String word, String name) {
        assertEquals("; did you mean " + name + "?",
                Suggestion.of(word, List.of("-n", "--ranks", "--transport", "--interval", "--all")));
    }

    @ParameterizedTest
    @CsvSource({"--bogus", "-x", "''", "dance", "sums and more"})
    void shouldSuggestNothingThatIsFarAway(String word) {
        assertEquals("", Suggestion.of(word, List.of("-n", "--ranks", "--transport", "sum", "perf")));
    }
}
