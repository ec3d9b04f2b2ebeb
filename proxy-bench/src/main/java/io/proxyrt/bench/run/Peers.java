/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

/** Which of the programs that are not ours can run. */
@FunctionalInterface
public interface Peers {
    /**
     * Where a program is.
     *
     * @param program of a peer
     * @return its file; null if it cannot run
     */
    String path(Job.Program program);

    /**
     * Whether a program can run.
     *
     * @param program of a peer
     * @return false if it could not be compiled, or is not there
     */
    default boolean has(Job.Program program) {
        return path(program) != null;
    }
}
