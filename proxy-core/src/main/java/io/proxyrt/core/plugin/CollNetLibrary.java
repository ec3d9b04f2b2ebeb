/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/**
 * The {@code ncclCollNet} of a library: collectives that the network carries out. Calls are those of version 12.
 */
public interface CollNetLibrary extends PluginLibrary {
    /**
     * {@code connect}: all ranks together. May block until all are there.
     *
     * @param handles    of all ranks, one behind the other
     * @param nRanks     how many
     * @param rank       this one
     * @param listenComm of {@link #listen}
     * @return the comm of the collectives
     */
    long connect(MemorySegment handles, int nRanks, int rank, long listenComm);

    /**
     * {@code reduceSupport}.
     *
     * @param type of the elements
     * @param op   the reduction
     * @return whether the network reduces so
     */
    boolean reduces(DataType type, RedOp op);

    /**
     * Whether there are {@code iallgather} and {@code ireducescatter}: not before version 8. After {@link #init}.
     *
     * @return false if there is all-reduce alone
     */
    boolean hasWindows();

    /**
     * {@code closeColl}.
     *
     * @param comm of {@link #connect}
     */
    void closeColl(long comm);

    /**
     * {@code iallreduce}.
     *
     * @param comm  of {@link #connect}
     * @param send  what goes in
     * @param recv  where the result goes
     * @param count of elements, at most {@link Integer#MAX_VALUE} before version 9
     * @param type  of the elements
     * @param op    the reduction
     * @param words {@link NetWords#request()} gets the request, 0 if there is no room for it now
     * @return NCCL's code; {@link ProxyResult#INVALID_ARGUMENT} for more elements than the version can be told
     */
    int iallreduce(long comm, CollNetBuffer send, CollNetBuffer recv, long count, DataType type, RedOp op,
            NetWords words);

    /**
     * {@code iallgather}, from version 8 on.
     *
     * @param comm   of {@link #connect}
     * @param send   this rank's
     * @param recv   where all ranks' go
     * @param window what is carried
     * @param words  gets the request
     * @return NCCL's code; {@link ProxyResult#INVALID_USAGE} if the plug-in has no such function
     */
    int iallgather(long comm, CollNetBuffer send, CollNetParts recv, CollNetWindow window, NetWords words);

    /**
     * {@code ireducescatter}, from version 8 on.
     *
     * @param comm   of {@link #connect}
     * @param send   for all ranks
     * @param recv   this rank's
     * @param window what is carried
     * @param type   of the elements
     * @param op     the reduction
     * @param words  gets the request
     * @return NCCL's code; {@link ProxyResult#INVALID_USAGE} if the plug-in has no such function
     */
    int ireducescatter(long comm, CollNetParts send, CollNetBuffer recv, CollNetWindow window, DataType type,
            RedOp op, NetWords words);

    /**
     * {@code iflush}.
     *
     * @param comm   of {@link #connect}
     * @param buffer what was received
     * @param bytes  of it
     * @param words  gets the request, 0 if there is nothing to wait for
     * @return NCCL's code
     */
    int iflush(long comm, CollNetBuffer buffer, int bytes, NetWords words);
}
