/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.collectives.msccl.PlanStrand.Draft;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Packets of the protocol LL carry flags, so that a reader finds by itself that they have come. Here it waits for the
 * step that brings them, of which there is one for each chunk of scratch memory.
 */
final class PlanPackets {
    private final String file;
    /** By rank and chunk of its scratch memory: what brings packets there. */
    private final Draft[][] writers;
    /** Of ops that write packets: those steps; of puts one for each port. */
    private final Map<Plan.Op, List<Draft>> steps = new IdentityHashMap<>();

    PlanPackets(String file, Plan plan) {
        this.file = file;
        this.writers = plan.ranks().stream().map(rank -> new Draft[rank.rooms().scratchChunks()])
                .toArray(Draft[][]::new);
        for (int rank = 0; rank < writers.length; rank++) {
            for (Plan.Block block : plan.ranks().get(rank).blocks()) {
                for (Plan.Op op : block.ops()) {
                    add(rank, op);
                }
            }
        }
    }

    private void add(int rank, Plan.Op op) {
        if (op.kind().isPacketPut()) {
            steps.put(op, op.targets().stream().map(target -> new Draft(op.place(), StepKind.RECV, null, target, null))
                    .toList());
            for (int i = 0; i < op.ports().size(); i++) {
                add(op.ports().get(i).peer(), op, steps.get(op).get(i));
            }
        } else if (op.kind().isPacketWrite()) {
            Plan.Chunks from = op.kind() == Plan.Kind.CPKT ? op.sources().getFirst() : op.targets().getFirst();
            steps.put(op, List.of(new Draft(op.place(), StepKind.COPY, from, op.targets().getLast(), null)));
            add(rank, op, steps.get(op).getFirst());
        }
    }

    private void add(int rank, Plan.Op op, Draft step) {
        Plan.Chunks to = step.target();
        for (int i = to.offset(); i < to.offset() + to.count(); i++) {
            if (writers[rank][i] != null) {
                throw AlgorithmFile.refused(file, op.place(), "packets come into chunk " + i + " of s of rank " + rank
                        + " twice, also by " + writers[rank][i].place);
            }
            writers[rank][i] = step;
        }
    }

    /** What a write of packets becomes at their end, for a port or by itself. */
    Draft step(Plan.Op op, int port) {
        return steps.get(op).get(port);
    }

    /** What brings the packets that an op reads. */
    Set<Draft> before(int rank, Plan.Op op, Plan.Chunks packets) {
        Set<Draft> before = new LinkedHashSet<>();
        for (int i = packets.offset(); i < packets.offset() + packets.count(); i++) {
            if (writers[rank][i] == null) {
                throw AlgorithmFile.refused(file, op.place(), "packets are read from chunk " + i + " of s of rank "
                        + rank + ", and none come there");
            }
            before.add(writers[rank][i]);
        }
        return before;
    }
}
