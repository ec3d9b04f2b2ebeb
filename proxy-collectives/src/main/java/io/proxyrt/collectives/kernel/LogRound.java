/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

/**
 * One round of an all-gather or a reduce-scatter in log₂ n rounds. A rank numbers parts from its own on: part i is
 * that of rank + i. Parts of a round follow each other.
 *
 * @param send      to whom
 * @param recv      from whom
 * @param firstSent of the parts that are sent
 * @param firstRecv of the parts that are received
 * @param parts     sent, and received
 */
public record LogRound(Port send, Port recv, int firstSent, int firstRecv, int parts) {
    /**
     * How many parts a round moves.
     *
     * @param distance of the ranks that exchange data: 2ᵏ, less than nRanks
     * @param nRanks   in all
     * @return as many as there are already, or are missing
     */
    public static int parts(int distance, int nRanks) {
        return Math.min(distance, nRanks - distance);
    }
}
