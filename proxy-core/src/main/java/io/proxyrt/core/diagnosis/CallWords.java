/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

/** Knows what the words mean by which communicators say what they were asked for. */
public interface CallWords {
    /** Of ranks without communicators. */
    CallWords NONE = new CallWords() {
        @Override
        public String describe(long word, long bytes) {
            return "a call";
        }

        @Override
        public String difference(long word, long bytes, long otherWord, long otherBytes) {
            return "";
        }
    };

    /**
     * Says what a call is.
     *
     * @param word  as a file or a peer has it, so any number
     * @param bytes as well
     * @return such as {@code all_reduce of 1024 FLOAT32 SUM}
     */
    String describe(long word, long bytes);

    /**
     * Says in what two calls differ.
     *
     * @param word       of one
     * @param bytes      of it
     * @param otherWord  of the other
     * @param otherBytes of it
     * @return such as {@code count} or {@code type and root}; empty if they do not
     */
    String difference(long word, long bytes, long otherWord, long otherBytes);
}
