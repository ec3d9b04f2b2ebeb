/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.text;

/** How far a misspelt word is from a known one. */
public final class EditDistance {
    private EditDistance() {
    }

    /**
     * How many letters to put in, leave out, replace or swap with the next until one word is the other: Levenshtein's
     * distance, in which a swap is one edit. Takes time and memory by the product of their lengths.
     *
     * @param word  in the same case as the other
     * @param other word
     * @return 0 if they are equal
     */
    public static int between(String word, String other) {
        int[][] edits = new int[word.length() + 1][other.length() + 1];
        for (int i = 0; i <= word.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                edits[i][j] = i == 0 || j == 0 ? i + j : Math.min(Math.min(edits[i - 1][j], edits[i][j - 1]) + 1,
                        edits[i - 1][j - 1] + (word.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1));
                if (i > 1 && j > 1 && word.charAt(i - 1) == other.charAt(j - 2)
                        && word.charAt(i - 2) == other.charAt(j - 1)) {
                    edits[i][j] = Math.min(edits[i][j], edits[i - 2][j - 2] + 1);
                }
            }
        }
        return edits[word.length()][other.length()];
    }
}
