/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

/** Describes a counter in the mapped file. Implemented by enums: the ordinal is its place among all of a file. */
public interface CounterLabel {
    /**
     * Its place.
     *
     * @return from 0 on
     */
    int ordinal();

    /**
     * For people; stands in the mapped file too.
     *
     * @return at most 24 ASCII characters
     */
    String label();

    /**
     * How it moves.
     *
     * @return the kind
     */
    Counter.Kind kind();
}
