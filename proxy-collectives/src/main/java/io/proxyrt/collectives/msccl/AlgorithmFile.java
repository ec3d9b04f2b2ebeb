/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.CollFunction;
import java.util.List;

/**
 * An algorithm that was read, and can be carried out: RCCL's {@code mscclAlgo}, of all ranks. Immutable.
 *
 * @param file       where it comes from, for people
 * @param digest     of its content
 * @param function   which collective
 * @param nChunks    of a whole buffer of all ranks' data
 * @param nChannels  over which its blocks send
 * @param minBytes   least size of a whole buffer
 * @param maxBytes   greatest size of a whole buffer; 0 if there is none
 * @param inPlace    whether it is for calls in place
 * @param outOfPlace whether it is for calls out of place
 * @param programs   by rank
 */
public record AlgorithmFile(String file, String digest, CollFunction function, int nChunks, int nChannels,
        long minBytes, long maxBytes, boolean inPlace, boolean outOfPlace, List<RankProgram> programs) {
    /** Copies the programs. */
    public AlgorithmFile {
        programs = List.copyOf(programs);
    }

    /** {@return the ranks that it is for} */
    public int nRanks() {
        return programs.size();
    }

    /** Whether each rank has a part of the input, the output, or both. */
    private boolean hasParts() {
        return function != CollFunction.ALL_REDUCE;
    }

    /** Chunks of a rank's input. */
    int inputChunks() {
        return inputChunks(function, nChunks, nRanks());
    }

    static int inputChunks(CollFunction function, int nChunks, int nRanks) {
        return function == CollFunction.ALL_GATHER ? nChunks / nRanks : nChunks;
    }

    /** Chunks of a rank's output. */
    int outputChunks() {
        return outputChunks(function, nChunks, nRanks());
    }

    static int outputChunks(CollFunction function, int nChunks, int nRanks) {
        return function == CollFunction.REDUCE_SCATTER ? nChunks / nRanks : nChunks;
    }

    /**
     * The bytes of a chunk.
     *
     * @param bytes of the buffer, or of one rank's part
     * @return whole, of a call that it takes
     */
    public long chunkBytes(long bytes) {
        return (hasParts() ? bytes * nRanks() : bytes) / nChunks;
    }

    /**
     * Whether it is for calls of a size.
     *
     * @param asked        which collective
     * @param bytes        of the buffer, or of one rank's part
     * @param elementBytes of an element
     * @return false also if the elements do not fill all chunks alike
     */
    public boolean takes(CollFunction asked, long bytes, int elementBytes) {
        if (asked != function || bytes <= 0) {
            return false;
        }
        long whole = hasParts() ? bytes * nRanks() : bytes;
        return whole >= minBytes && (maxBytes == 0 || whole <= maxBytes)
                && whole % ((long) nChunks * elementBytes) == 0;
    }

    /**
     * Whether it is for calls of a kind.
     *
     * @param isInPlace whether the output is where the input is
     * @return what the file says
     */
    public boolean isFor(boolean isInPlace) {
        return isInPlace ? inPlace : outOfPlace;
    }

    /** {@return the most chunks that a step moves at once} */
    public int mostCount() {
        return programs.stream().flatMap(program -> program.blocks().stream())
                .flatMap(block -> block.steps().stream()).mapToInt(ProgramStep::count).max().orElse(0);
    }
}
