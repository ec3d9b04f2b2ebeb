/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import java.util.List;

/**
 * What a rank does.
 *
 * @param place         in the file, for people
 * @param inputChunks   chunks of the input that it may use
 * @param outputChunks  chunks of the output that it may use
 * @param scratchChunks chunks of memory that it needs besides
 * @param blocks        by id
 */
public record RankProgram(String place, int inputChunks, int outputChunks, int scratchChunks,
        List<ProgramBlock> blocks) {
    /** Copies the blocks. */
    public RankProgram {
        blocks = List.copyOf(blocks);
    }

    /** Chunks of a room. */
    int chunks(Room room) {
        return switch (room) {
            case INPUT -> inputChunks;
            case OUTPUT -> outputChunks;
            case SCRATCH -> scratchChunks;
        };
    }
}
