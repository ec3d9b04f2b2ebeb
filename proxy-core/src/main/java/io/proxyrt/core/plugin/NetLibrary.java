/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;

/**
 * The {@code ncclNet} of a library. Calls are those of version 12, and go straight to the plug-in's functions, on the
 * calling platform thread; nothing is checked but what the plug-in returns. Which thread may call what follows from
 * NCCL: any, but a comm is used by one at a time.
 *
 * <p>Calls for setting up throw {@link ProxyException} if the plug-in fails: with its code as {@link ProxyResult}, and
 * which library, which function, and what it logged. Those on the data path return that code, 0 for success; they
 * allocate nothing.
 */
public interface NetLibrary {
    /** Most bytes of a listen handle: {@code NCCL_NET_HANDLE_MAXSIZE}. */
    int HANDLE_BYTES = 128;
    /** {@code NCCL_NET_OPTIONAL_RECV_COMPLETION}: what the request is before an irecv that may complete early. */
    long OPTIONAL_RECV_COMPLETION = 1;

    /**
     * What a code of the data path stands for.
     *
     * @param code {@code ncclResult_t} of a plug-in
     * @return the result of that number; {@link ProxyResult#INTERNAL_ERROR} for one that NCCL does not have;
     *         {@link ProxyResult#IN_PROGRESS} is no error, neither here nor there
     */
    static ProxyResult result(int code) {
        return code < 0 || code > ProxyResult.IN_PROGRESS.code() ? ProxyResult.INTERNAL_ERROR : ProxyResult.of(code);
    }

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
     * @return such as {@code AWS Libfabric}
     */
    String name();

    /**
     * The last warning that the plug-in logged, of this and any other runtime.
     *
     * @return empty if there is none
     */
    String lastWarning();

    /**
     * {@code init}, which may take as long as looking at devices takes. Before version 11 the process is initialized
     * once, and later calls find it so.
     *
     * @return the context for what follows, to be finished once; 0 before version 11
     */
    long init();

    /**
     * {@code finalize}, where there is one; nothing uses the context any more.
     *
     * @param context of {@link #init}
     */
    void finish(long context);

    /**
     * {@code devices}.
     *
     * @return as the plug-in says, which may be less than 0
     */
    int devices();

    /**
     * {@code getProperties}.
     *
     * @param dev 0 to {@link #devices()} - 1
     * @return as the plug-in says, which may be anything
     */
    NetLibraryProperties properties(int dev);

    /**
     * {@code listen}.
     *
     * @param context of {@link #init}
     * @param dev     of the plug-in
     * @param handle  of {@link #HANDLE_BYTES}, zeroed; gets what a peer needs
     * @return the listening comm
     */
    long listen(long context, int dev, MemorySegment handle);

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
     * {@code regMr} for memory of the host.
     *
     * @param comm    sending or receiving
     * @param address of the memory
     * @param bytes   of the memory, at least 1
     * @return the plug-in's mhandle, 0 if it needs none
     */
    long regMr(long comm, long address, long bytes);

    /**
     * {@code regMrDmaBuf} for memory of a GPU.
     *
     * @param comm    sending or receiving
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
     * @param comm    sending or receiving
     * @param mhandle of {@link #regMr}
     */
    void deregMr(long comm, long mhandle);

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
     * {@code closeListen}.
     *
     * @param comm of {@link #listen}
     */
    void closeListen(long comm);

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
     * {@code test}.
     *
     * @param request of a posting call
     * @param words   prepared by {@link NetWords#beforeTest}; gets whether it is complete, and the sizes
     * @return NCCL's code
     */
    int test(long request, NetWords words);

    /**
     * {@code irecvConsumed}, where there is one: NCCL calls it for each irecv that is complete.
     *
     * @param comm    of {@link #accept}
     * @param n       how many messages it had
     * @param request that {@link #test} said is complete
     * @return NCCL's code
     */
    int irecvConsumed(long comm, int n, long request);
}
