/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What a runtime worked on at one moment.
 *
 * @param time     of the moment
 * @param ops      by group, as the agent advances them
 * @param unlisted ops for which the file has no room
 * @param waits    what else did not move, such as kernels
 */
public record ActiveSnapshot(Instant time, List<ActiveOp> ops, int unlisted, List<Wait> waits) {
    /** Copies. */
    public ActiveSnapshot {
        ops = List.copyOf(ops);
        waits = List.copyOf(waits);
    }

    /** Of the groups that wait for one to end. */
    private static final int SHOWN_BEHIND = 3;

    /**
     * The form of RCCL's dump, with whom each op waits for: heads, and behind each the first of those that wait for it
     * to end.
     *
     * @return for people
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("ACTIVE OPS");
        for (int i = 0; i < ops.size(); i++) {
            ActiveOp op = ops.get(i);
            boolean isOfGroup = i > 0 && ops.get(i - 1).group() == op.group();
            if (op.depth() <= SHOWN_BEHIND) {
                lines.add((isOfGroup ? "| + " : op.depth() == 0 ? "" : "| `-> ") + op.line());
            }
            if (i + 1 == ops.size() || ops.get(i + 1).depth() == 0 && ops.get(i + 1).group() != op.group()) {
                if (op.depth() == 0) {
                    lines.add("|");
                } else if (op.depth() > SHOWN_BEHIND) {
                    lines.add("| `-> and " + (op.depth() - SHOWN_BEHIND) + " more groups");
                }
                lines.add("v");
            }
        }
        lines.add("[" + (ops.size() + unlisted) + "]");
        if (unlisted > 0) {
            lines.add("and " + unlisted + " ops for which the file has no room");
        }
        for (Wait wait : waits) {
            lines.add("KERNEL " + wait.what() + ", still for " + ActiveOp.seconds(wait.still()));
        }
        return lines;
    }

    /**
     * Something that is no op and waits.
     *
     * @param still since it last moved, until the snapshot; to a tenth of a second
     * @param what  printable, for people
     */
    public record Wait(Duration still, String what) {
    }
}
