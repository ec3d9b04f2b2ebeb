/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/**
 * The {@code ncclCollNet} of a library: collectives that the network carries out. Calls are those of version 12; for
 * threads, blocking and failures the same holds as for {@link NetLibrary}.
 */
public interface CollNetLibrary {
    /**
     * The library.
     *
     * @return as it was opened
     */
    String file();

    /**
     * Of the interface.
     *
     * @return 6 to 12
     */
    int version();

    /**
     * What the plug-in calls itself.
     *
     * @return such as {@code SHARP}
     */
    String name();

    /**
     * The last warning that the plug-in logged.
     *
     * @return empty if there is none
     */
    String lastWarning();

    /**
     * {@code init}. Before version 11 the process is initialized once.
     *
     * @return the context for what follows, to be finished once; 0 before version 11
     */
    long init();

    /**
     * {@code finalize}, where there is one.
     *
     * @param context of {@link #init}
     */
    void finish(long context);

    /**
     * {@code devices}.
     *
     * @return as the plug-in says
     */
    int devices();

    /**
     * {@code getProperties}.
     *
     * @param dev 0 to {@link #devices()} - 1
     * @return as the plug-in says
     */
    NetLibraryProperties properties(int dev);

    /**
     * {@code listen}.
     *
     * @param context of {@link #init}
     * @param dev     of the plug-in
     * @param handle  of {@link NetLibrary#HANDLE_BYTES}, zeroed; gets what the other ranks need
     * @return the listening comm
     */
    long listen(long context, int dev, MemorySegment handle);

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
     * {@code regMr} for memory of the host.
     *
     * @param comm    of {@link #connect}
     * @param address of the memory
     * @param bytes   of the memory
     * @return the plug-in's mhandle
     */
    long regMr(long comm, long address, long bytes);

    /**
     * {@code regMrDmaBuf} for memory of a GPU.
     *
     * @param comm    of {@link #connect}
     * @param address where the GPU has it
     * @param bytes   of the memory
     * @param offset  of the memory in the dma-buf
     * @param fd      of the dma-buf
     * @return the plug-in's mhandle
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the plug-in has no such function, and as all do
     */
    long regMrDmaBuf(long comm, long address, long bytes, long offset, int fd);

    /**
     * {@code deregMr}.
     *
     * @param comm    of {@link #connect}
     * @param mhandle of {@link #regMr}
     */
    void deregMr(long comm, long mhandle);

    /**
     * {@code closeColl}.
     *
     * @param comm of {@link #connect}
     */
    void closeColl(long comm);

    /**
     * {@code closeListen}.
     *
     * @param listenComm of {@link #listen}
     */
    void closeListen(long listenComm);

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

    /**
     * {@code test}.
     *
     * @param request of a posting call
     * @param words   prepared by {@link NetWords#beforeTest} of one message; gets whether it is complete, and the size
     * @return NCCL's code
     */
    int test(long request, NetWords words);
}
