/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import java.util.ArrayList;
import java.util.List;

/**
 * The sizes to go through.
 *
 * @param minBytes first
 * @param maxBytes no size is larger
 * @param factor   from size to size; 0 if they grow by an increment
 * @param step     increment in bytes, if there is no factor
 */
public record Sizes(long minBytes, long maxBytes, long factor, long step) {
    /** More rows come of a mistyped increment. */
    public static final int MAX_ROWS = 100_000;

    /** How many sizes there are, or one more than allowed. */
    public int rows() {
        int rows = 0;
        for (long size = minBytes; size <= maxBytes && rows <= MAX_ROWS; size = next(size)) {
            rows++;
        }
        return rows;
    }

    /** All of them, in order. */
    public List<Long> all() {
        List<Long> sizes = new ArrayList<>();
        for (long size = minBytes; size <= maxBytes; size = next(size)) {
            sizes.add(size);
        }
        return sizes;
    }

    String stepText() {
        return factor > 1 ? factor + "(factor)" : step + "(bytes)";
    }

    private long next(long size) {
        long next = factor > 1 ? Math.multiplyHigh(size, factor) == 0 ? size * factor : -1 : size + step;
        return next < size ? Long.MAX_VALUE : next;
    }
}
