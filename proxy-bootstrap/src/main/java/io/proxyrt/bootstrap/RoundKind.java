/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

/** What ranks do together, each kind counted by itself. */
enum RoundKind {
    ALL_GATHER(1, "allGather"),
    BARRIER(2, "barrier");

    private final int code;
    private final String text;

    RoundKind(int code, String text) {
        this.code = code;
        this.text = text;
    }

    int code() {
        return code;
    }

    @Override
    public String toString() {
        return text;
    }
}
