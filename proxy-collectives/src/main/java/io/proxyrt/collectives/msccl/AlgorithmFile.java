/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import java.util.List;
import java.util.stream.IntStream;

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
 * @param mostPieces how many pieces of its chunks a step may move one after the other: as many slots as it needs then
 */
public record AlgorithmFile(String file, String digest, CollFunction function, int nChunks, int nChannels,
        long minBytes, long maxBytes, boolean inPlace, boolean outOfPlace, List<RankProgram> programs,
        int mostPieces) {
    /** Copies the programs. */
    public AlgorithmFile {
        programs = List.copyOf(programs);
    }

    /** Something is wrong at a place of a file. */
    static ProxyException refused(String file, String place, String why) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, file + ", " + place + ": " + why);
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

    /** The same with more pieces, or fewer. */
    AlgorithmFile inPieces(int pieces) {
        return new AlgorithmFile(file, digest, function, nChunks, nChannels, minBytes, maxBytes, inPlace, outOfPlace,
                programs, pieces);
    }

    /**
     * How many pieces a step moves one after the other: while the next rank has the first, this one has the second.
     *
     * @param chunk      bytes of a chunk
     * @param pieceBytes that go at once
     * @param wholeBytes of chunks that are not worth cutting
     * @return a power of two
     */
    public int pieces(long chunk, long pieceBytes, long wholeBytes) {
        int pieces = 1;
        while (pieces < mostPieces && chunk > pieces * Math.min(pieceBytes, wholeBytes)) {
            pieces *= 2;
        }
        return pieces;
    }

    /**
     * What a call by it posts at most.
     *
     * @param rank whose program it is
     * @return ops
     */
    public int mostOps(int rank) {
        return (int) programs.get(rank).blocks().stream()
                .flatMapToInt(block -> IntStream.of(block.sends(), block.recvs())).filter(steps -> steps > 0).count();
    }

    /**
     * This file for connections that are there.
     *
     * @param slotBytes of a slot
     * @param lane      ops that can be posted at once
     * @return without calls that would take more steps than an op counts
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if no call would have room
     */
    AlgorithmFile within(long slotBytes, int lane) {
        int mostOps = IntStream.range(0, nRanks()).map(this::mostOps).max().orElse(0);
        if (mostOps > lane) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, file + ": a collective would have " + mostOps
                    + " ops at a rank, and " + lane + " can be posted at once; raise " + CoreOptions.LANE_CAPACITY
                    + ", or leave the file out");
        }
        long steps = programs.stream().flatMap(program -> program.blocks().stream())
                .mapToLong(block -> Math.max(block.sends(), block.recvs())).max().orElse(0);
        double most = (double) pieceBytes(slotBytes) * (Integer.MAX_VALUE / Math.max(1, steps)) * nChunks;
        return new AlgorithmFile(file, digest, function, nChunks, nChannels, minBytes,
                (long) Math.min(most, maxBytes == 0 ? Long.MAX_VALUE : maxBytes), inPlace, outOfPlace, programs,
                mostPieces);
    }

    /**
     * What goes at once of a chunk.
     *
     * @param slotBytes of a slot, which takes a piece of as many chunks as the largest step moves
     * @return whole elements of any type
     */
    public long pieceBytes(long slotBytes) {
        return slotBytes / Math.max(1, mostCount()) & -Long.BYTES;
    }

    /** {@return the most chunks that a step moves at once} */
    public int mostCount() {
        return programs.stream().flatMap(program -> program.blocks().stream())
                .flatMap(block -> block.steps().stream()).mapToInt(ProgramStep::count).max().orElse(0);
    }
}
