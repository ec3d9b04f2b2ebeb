/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import java.util.ArrayList;
import java.util.List;

/** Ops that an abort dropped: the first of them as they were, the rest as a number. Thread-safe. */
final class AbandonedOps {
    private static final int MOST = 64;

    private final List<String> lines = new ArrayList<>();
    private int others;

    /** Describes an op now, for it will be another one's soon. */
    synchronized void add(Object op) {
        if (lines.size() < MOST) {
            lines.add(op.toString());
        } else {
            others++;
        }
    }

    synchronized List<String> lines() {
        List<String> all = new ArrayList<>(lines);
        if (others > 0) {
            all.add("and " + others + " more ops");
        }
        return all;
    }
}
