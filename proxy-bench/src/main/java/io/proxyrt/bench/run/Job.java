/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.List;

/**
 * One measurement, made by a program of its own.
 *
 * @param experiment such as {@code throughput}
 * @param scenario   the cell of the experiment, such as {@code 2 x 16}
 * @param contender  who is measured
 * @param program    what runs it
 * @param words      the program's arguments
 */
public record Job(String experiment, String scenario, String contender, Program program, List<String> words) {
    /** What measures. */
    public enum Program {
        /** A JVM with a rig. */
        JAVA(""),
        /** The ops pool in C. */
        OPSQUEUE("opsqueue"),
        /** Requests and answers in C. */
        ROUND_TRIP("roundtrip");

        private final String source;

        Program(String source) {
            this.source = source;
        }

        /**
         * Whether it is compiled from C.
         *
         * @return false for a JVM
         */
        public boolean isC() {
            return !source.isEmpty();
        }

        /** The name of the C source and of what is compiled from it. */
        String source() {
            return source;
        }
    }

    @Override
    public String toString() {
        return experiment + ' ' + scenario + ' ' + contender;
    }
}
