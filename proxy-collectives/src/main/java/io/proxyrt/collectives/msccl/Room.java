/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import java.util.Arrays;
import java.util.Optional;

/** Where chunks are. */
public enum Room {
    /** The user's input. */
    INPUT("i"),
    /** The user's output. */
    OUTPUT("o"),
    /** Memory of the rank that holds nothing between two calls. */
    SCRATCH("s");

    private final String word;

    Room(String word) {
        this.word = word;
    }

    static Optional<Room> of(String word) {
        return Arrays.stream(values()).filter(room -> room.word.equals(word)).findFirst();
    }

    /** {@return as in a file} */
    public String word() {
        return word;
    }
}
