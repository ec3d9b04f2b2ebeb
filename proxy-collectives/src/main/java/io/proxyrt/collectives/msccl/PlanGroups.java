/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import java.util.List;

/** Thread blocks that share a chunk: each takes a part of it, and MSCCL++ says which at each op. */
final class PlanGroups {
    private static final int MAX_BLOCKS = 512;
    private static final int MAX_SIZE = 512;
    /** Into which a chunk is cut at most. */
    private static final int MAX_PARTS = 512;

    private PlanGroups() {
    }

    /** Into how many parts chunks are cut: as many as every group of thread blocks can share. */
    static int parts(List<PlanValue> gpus) {
        long parts = 1;
        for (PlanValue gpu : gpus) {
            for (PlanValue block : gpu.items("threadblocks", MAX_BLOCKS)) {
                parts = parts(block.items("ops", PlanOps.MAX_OPS), parts);
            }
        }
        return (int) parts;
    }

    private static long parts(List<PlanValue> ops, long before) {
        long parts = before;
        for (PlanValue op : ops) {
            parts = parts(op.itemsIfAny("ops", PlanOps.MAX_OPS), parts);
            long size = size(op);
            parts *= size / gcd(parts, size);
            if (parts > MAX_PARTS) {
                throw op.refused("is of a group of " + size + " thread blocks; with other groups of the plan, chunks "
                        + "would be cut into " + parts + " parts, and " + MAX_PARTS + " are taken");
            }
        }
        return parts;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    /** Thread blocks of an op's group; 1 if it is of none. */
    static int size(PlanValue op) {
        return op.has("tbg_info") ? op.needed("tbg_info").number("tbg_size", 1, MAX_SIZE) : 1;
    }

    /** Which of its group's an op's thread block is. */
    static int member(PlanValue op) {
        return op.has("tbg_info") ? op.needed("tbg_info").number("tb_id", 0, size(op) - 1) : 0;
    }
}
