/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.collectives.msccl.AlgorithmFile;
import io.proxyrt.collectives.msccl.ProgramBlock;
import io.proxyrt.collectives.msccl.RankProgram;
import io.proxyrt.core.device.DeviceConnection;
import java.util.List;

/** A rank's program of a file, with the connections of its blocks, which kernels use that take turns. */
public final class ProgramLinks {
    private final String file;
    private final RankProgram program;
    /** By block; null for one that neither sends nor receives. */
    private final SimplePrimitives[] links;

    /**
     * Over connections that are there.
     *
     * @param algorithm of a file
     * @param rank      whose program it is
     * @param recv      by block, from its peer; null where nothing is received
     * @param send      by block, to its peer; null where nothing is sent
     */
    public ProgramLinks(AlgorithmFile algorithm, int rank, DeviceConnection[] recv, DeviceConnection[] send) {
        this.file = algorithm.file();
        this.program = algorithm.programs().get(rank);
        this.links = new SimplePrimitives[recv.length];
        for (int i = 0; i < links.length; i++) {
            links[i] = recv[i] == null && send[i] == null ? null : new SimplePrimitives(recv[i], send[i]);
        }
    }

    BlockRun[] runs() {
        List<ProgramBlock> blocks = program.blocks();
        BlockRun[] runs = new BlockRun[links.length];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new BlockRun(blocks.get(i), links[i], runs);
        }
        return runs;
    }

    int scratchChunks() {
        return program.scratchChunks();
    }

    @Override
    public String toString() {
        return file;
    }
}
