/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What a step of a training asks of a communicator. */
final class TrainingStep {
    private final Communicator comm;
    private final List<MemorySegment> gradients;
    private final MemorySegment tokens;
    private final MemorySegment routed;
    private final MemorySegment loss;

    TrainingStep(Communicator comm, List<MemorySegment> gradients, MemorySegment tokens) {
        this.comm = comm;
        this.gradients = gradients;
        this.tokens = tokens;
        this.routed = comm.allocate(tokens.byteSize()).segment();
        this.loss = comm.allocate(Float.BYTES).segment();
    }

    /** Each rank has tokens for the expert at each rank. */
    MemorySegment route() {
        long count = tokens.byteSize() / Float.BYTES / comm.nRanks();
        comm.allToAll(tokens, routed, count, DataType.FLOAT32);
        comm.synchronize();
        return routed;
    }

    /** The average of all ranks' gradients, while the caller does something else. */
    CompletableFuture<Void> average() {
        return comm.groupAsync(calls -> {
            for (MemorySegment gradient : gradients) {
                calls.allReduce(gradient, gradient, gradient.byteSize() / Float.BYTES, DataType.FLOAT32, RedOp.AVG);
            }
        });
    }

    /** The sum of all ranks' losses, at rank 0. */
    float loss(float own) {
        loss.set(ValueLayout.JAVA_FLOAT, 0, own);
        comm.reduce(loss, loss, 1, DataType.FLOAT32, RedOp.SUM, 0);
        comm.synchronize();
        return loss.get(ValueLayout.JAVA_FLOAT, 0);
    }
}
