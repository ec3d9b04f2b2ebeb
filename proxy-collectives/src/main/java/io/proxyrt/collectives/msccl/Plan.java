/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.CollFunction;
import java.util.List;

/**
 * An execution plan of MSCCL++ as it was read: its numbers make sense by themselves, and all its ops are of the port
 * subset. {@link PlanTranslation} makes steps of it.
 *
 * @param place      of its ranks
 * @param function   which collective
 * @param nChunks    of a whole buffer of all ranks' data, parts of thread block groups being chunks of their own
 * @param minBytes   least size of a whole buffer
 * @param maxBytes   greatest size of a whole buffer; 0 if there is none
 * @param isInPlace  whether it is for calls in place, or out of place
 * @param ranks      by rank
 */
record Plan(String place, CollFunction function, int nChunks, long minBytes, long maxBytes, boolean isInPlace,
        List<OfRank> ranks) {
    /**
     * What a rank has and does.
     *
     * @param rooms      its chunks, and no blocks
     * @param semaphores what each of them begins with
     * @param blocks     by id
     */
    record OfRank(RankProgram rooms, List<Integer> semaphores, List<Block> blocks) {
    }

    /** A thread block. */
    record Block(String place, List<Op> ops) {
    }

    /** Chunks that follow each other. */
    record Chunks(Room room, int offset, int count) {
    }

    /** An end of a channel: which of those that this rank has with a peer. */
    record Port(int peer, int number) {
    }

    /** What an op does, by MSCCL++'s words. */
    enum Kind {
        NOP, BARRIER, PUT, PWS, PWSF, SIGNAL, WAIT, FLUSH, COPY, RE, SEM_ACQUIRE, SEM_RELEASE, PPKT, RPPKT, CPKT, UPKT,
        REPKT, RECPKT;

        boolean isPut() {
            return this == PUT || this == PWS || this == PWSF || isPacketPut();
        }

        /** Whether it puts packets into a peer's scratch memory, which tell by themselves that they have come. */
        boolean isPacketPut() {
            return this == PPKT || this == RPPKT;
        }

        /** Whether its last target is packets of this rank's scratch memory. */
        boolean isPacketWrite() {
            return this == CPKT || this == RECPKT;
        }

        boolean usesPorts() {
            return isPut() || this == SIGNAL || this == WAIT || this == FLUSH;
        }
    }

    /**
     * A step of a thread block.
     *
     * @param place   in the file
     * @param kind    what it does
     * @param sources what it reads of this rank's, the same number of chunks each; of puts one for each port
     * @param targets what it writes; of puts, chunks of each port's peer
     * @param ports   over which it goes
     * @param ids     of its semaphores, or of its barrier
     */
    record Op(String place, Kind kind, List<Chunks> sources, List<Chunks> targets, List<Port> ports,
            List<Integer> ids) {
    }
}
