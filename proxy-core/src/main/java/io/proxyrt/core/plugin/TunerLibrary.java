/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.ProxyException;

/**
 * The {@code ncclTuner} of a library: what may change the times of a cost model. Calls are those of version 6; what an
 * older version does not have is said. Calls go straight to the plug-in's functions, on the calling platform thread,
 * and throw {@link ProxyException} if the plug-in fails: with its code, and which library, which function, and what it
 * logged. A context is used by one thread at a time.
 */
public interface TunerLibrary extends PluginTable {
    /** Algorithms of a table of times: {@code NCCL_NUM_ALGORITHMS} of these versions. */
    int ALGORITHMS = 7;
    /** Protocols of a table of times: {@code NCCL_NUM_PROTOCOLS}. */
    int PROTOCOLS = 3;
    /** Numbers of {@code ncclTunerConstants_v5_t}. */
    int CONSTANTS = 144;

    /**
     * Of the interface.
     *
     * @return 2 to 6
     */
    int version();

    /**
     * {@code init}.
     *
     * @param commId    of the communicator; not told before version 5
     * @param ranks     of the communicator
     * @param nodes     of the communicator
     * @param domains   how many NVLink domains there are, and the least and the most ranks of one; not told before
     *                  version 5
     * @param constants {@link #CONSTANTS} of the cost model, which the plug-in may change; not before version 5
     * @return the context for what follows, to be finished once
     */
    long init(long commId, long ranks, long nodes, int[] domains, double[] constants);

    /**
     * {@code getCollInfo}.
     *
     * @param context      of {@link #init}
     * @param function     as {@code ncclFunc_t}
     * @param bytes        of the call
     * @param pipeOps      calls of the group
     * @param isRegistered whether the buffers can be registered; not told before version 4
     * @param times        µs by algorithm, then protocol; -1 where there is none. The plug-in may change all of them.
     *                     One of version 2 names a way instead, whose time becomes 0 if it has one
     * @return the most channels that the call should have, as the plug-in says; 0 if it does not
     */
    int collInfo(long context, int function, long bytes, int pipeOps, boolean isRegistered, float[] times);

    /**
     * {@code getChunkSize}, where there is one.
     *
     * @param context   of {@link #init}
     * @param function  as {@code ncclFunc_t}
     * @param bytes     of the call
     * @param algorithm that was chosen
     * @param protocol  that was chosen
     * @param channels  that were chosen
     * @param chunk     bytes of a chunk so far
     * @return bytes of a chunk, as the plug-in says
     */
    long chunkSize(long context, int function, long bytes, int algorithm, int protocol, int channels, long chunk);

    /**
     * {@code finalize}, or {@code destroy} before version 5; nothing uses the context any more.
     *
     * @param context of {@link #init}
     */
    void finish(long context);
}
