/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/**
 * Who calls a service: a process that has proven that it is of the job. It keeps its identity over several sessions, at
 * the same time or one after the other, and what it made there stays its own.
 *
 * @param rank     that it says it is
 * @param clientId 64 random bits that it chose at its start
 */
public record PeerId(int rank, long clientId) {
    @Override
    public String toString() {
        return "rank " + rank + " (client " + Long.toHexString(clientId) + ")";
    }
}
