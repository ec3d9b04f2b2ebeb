/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import java.lang.foreign.MemorySegment;

/**
 * The {@code ncclNet} of a library: a network that carries messages. Calls are those of version 12.
 */
public interface NetLibrary extends PluginLibrary {
    /** {@code NCCL_NET_OPTIONAL_RECV_COMPLETION}: what the request is before an irecv that may complete early. */
    long OPTIONAL_RECV_COMPLETION = 1;

    /**
     * {@code connect}, without a device handle. Does not block.
     *
     * @param context of {@link #init}
     * @param dev     of the plug-in
     * @param handle  as the peer's listen gave it; the plug-in keeps its state in it from call to call
     * @return the sending comm; 0 to call again
     */
    long connect(long context, int dev, MemorySegment handle);

    /**
     * {@code accept}, without a device handle. Does not block.
     *
     * @param listenComm of {@link #listen}
     * @return the receiving comm; 0 to call again
     */
    long accept(long listenComm);

    /**
     * {@code closeSend}.
     *
     * @param comm of {@link #connect}
     */
    void closeSend(long comm);

    /**
     * {@code closeRecv}.
     *
     * @param comm of {@link #accept}
     */
    void closeRecv(long comm);

    /**
     * {@code isend}.
     *
     * @param comm    of {@link #connect}
     * @param address of the message
     * @param bytes   of the message
     * @param tag     of the message
     * @param mhandle of its memory
     * @param words   {@link NetWords#request()} gets the request, 0 if there is no room for it now
     * @return NCCL's code
     */
    int isend(long comm, long address, long bytes, int tag, long mhandle, NetWords words);

    /**
     * {@code irecv}.
     *
     * @param comm  of {@link #accept}
     * @param n     how many messages
     * @param words has the messages, and in {@link NetWords#request()} 0, or {@link #OPTIONAL_RECV_COMPLETION}, which
     *              plug-ins before version 9 are not told; gets the request there, 0 if there is no room for it now
     * @return NCCL's code
     */
    int irecv(long comm, int n, NetWords words);

    /**
     * {@code iflush}.
     *
     * @param comm  of {@link #accept}
     * @param n     how many messages
     * @param words has the messages; gets the request, 0 if there is nothing to wait for
     * @return NCCL's code
     */
    int iflush(long comm, int n, NetWords words);

    /**
     * {@code irecvConsumed}, where there is one. NCCL calls it once for each irecv, on devices of every type, when a
     * kernel has read what came. A device of type {@link NetLibraryProperties#DEVICE_HOST} has put that where it
     * belongs before, so it may be told as soon as the irecv is complete.
     *
     * @param comm    of {@link #accept}
     * @param n       how many messages it had
     * @param request that {@link #test} said is complete
     * @return NCCL's code
     */
    int irecvConsumed(long comm, int n, long request);
}
