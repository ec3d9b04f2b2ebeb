/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.config.ProxyConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the small all-reduces of a group that can be carried out as one: those of one type and op. All ranks find the
 * same, if they group their calls alike. Reused; the communicator's thread only.
 */
final class Fusion {
    /** What is carried out as one holds no more. */
    static final long ROOM_BYTES = 512 << 10;
    private static final int OPS = ReduceOp.CODES;

    private final long mostBytes;
    private final Batch[] open = new Batch[DataType.values().length * OPS];
    private final List<Batch> batches = new ArrayList<>();
    private int size;

    Fusion(ProxyConfig config, int nRanks) {
        this.mostBytes = nRanks == 1 ? -1 : config.get(CollectivesOptions.FUSE_BYTES);
    }

    /** What is carried out as one: a collective, or several all-reduces. */
    static final class Batch {
        private final List<CollectiveWork> pieces = new ArrayList<>();
        private long bytes;

        int size() {
            return pieces.size();
        }

        CollectiveWork piece(int index) {
            return pieces.get(index);
        }

        CollFunction function() {
            return pieces.getFirst().function();
        }

        long bytes() {
            return bytes;
        }

        private void add(CollectiveWork piece) {
            pieces.add(piece);
            bytes += piece.bytes();
        }
    }

    void begin() {
        for (int i = 0; i < size; i++) {
            batches.get(i).pieces.clear();
            batches.get(i).bytes = 0;
        }
        Arrays.fill(open, null);
        size = 0;
    }

    void add(CollectiveWork work) {
        if (work.function() != CollFunction.ALL_REDUCE || work.bytes() > mostBytes || work.file() > 0
                || !(work.op() instanceof RedOp)) {
            next().add(work);
            return;
        }
        int kind = work.type().ordinal() * OPS + work.op().code();
        if (open[kind] == null || open[kind].bytes + work.bytes() > ROOM_BYTES) {
            open[kind] = next();
        }
        open[kind].add(work);
    }

    private Batch next() {
        if (size == batches.size()) {
            batches.add(new Batch());
        }
        return batches.get(size++);
    }

    /** Of what is carried out as one with a piece of the last group, or itself. */
    long bytes(CollectiveWork piece) {
        for (int i = 0; i < size; i++) {
            if (batches.get(i).pieces.contains(piece)) {
                return batches.get(i).bytes;
            }
        }
        return piece.bytes();
    }

    int batches() {
        return size;
    }

    Batch batch(int index) {
        return batches.get(index);
    }
}
