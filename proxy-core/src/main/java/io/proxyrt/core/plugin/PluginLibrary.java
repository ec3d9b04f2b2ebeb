/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;

/**
 * What the tables of plug-ins have in common. Calls go straight to the plug-in's functions, on the calling platform
 * thread; nothing is checked but what the plug-in returns. {@link #init} comes first. Which thread may call what
 * follows from NCCL: any, but a comm is used by one at a time, except that {@link #regMr}, {@link #regMrDmaBuf} and
 * {@link #deregMr} may run beside its data calls.
 *
 * <p>Calls for setting up throw {@link ProxyException} if the plug-in fails: with its code as {@link ProxyResult}, and
 * which library, which function, and what it logged. Those on the data path return that code, 0 for success; they
 * allocate nothing.
 */
public interface PluginLibrary extends PluginTable {
    /** Most bytes of a listen handle: {@code NCCL_NET_HANDLE_MAXSIZE}. */
    int HANDLE_BYTES = 128;
    /** No more devices are looked at: the most virtual devices of NCCL's own InfiniBand network. */
    int MAX_DEVICES = 256;

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
     * Whether a call of the data path failed.
     *
     * @param code {@code ncclResult_t} of a plug-in
     * @return false for success, and for {@link ProxyResult#IN_PROGRESS}
     */
    static boolean isError(int code) {
        return code != 0 && result(code).isError();
    }

    /**
     * For messages.
     *
     * @param device of the plug-in
     * @return such as {@code mlx5_0 of IB (libnccl-net.so)}
     */
    default String describe(String device) {
        return device + " of " + name() + " (" + file() + ")";
    }

    /**
     * Why a call of the data path failed.
     *
     * @param function of the table
     * @param device   of the plug-in
     * @param code     that it returned
     * @return for people, with what the plug-in logged
     */
    default String failure(String function, String device, int code) {
        String warning = lastWarning();
        return function + " of " + describe(device) + " returned " + code + ", " + result(code)
                + (warning.isEmpty() ? ", and has not logged why" : "; its last warning was: " + warning);
    }

    /**
     * Checks memory of the host that is to be registered.
     *
     * @param buffer not to be trusted
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if no plug-in can reach it
     */
    static void requireReachable(MemorySegment buffer) {
        if (!buffer.isNative() || !buffer.scope().isAlive() || buffer.isReadOnly()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, (!buffer.isNative() ? "memory on the Java heap"
                    : buffer.isReadOnly() ? "read-only memory" : "memory that was freed") + " cannot be registered");
        }
    }

    /**
     * Of the interface.
     *
     * @return 6 to 12
     */
    int version();

    /**
     * {@code init}, which may take as long as looking at devices takes. Before version 11 the process is initialized
     * once, and later calls find it so.
     *
     * @return the context for what follows, to be finished once; 0 before version 11
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the table lacks functions afterwards, and as all do
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
     * Looks at each device that there is, up to {@link #MAX_DEVICES}.
     *
     * @param look gets a device's number and properties
     * @return what is wrong with the number of devices, for people; empty if nothing is
     */
    default String eachDevice(BiConsumer<Integer, NetLibraryProperties> look) {
        int count = devices();
        for (int dev = 0; dev < Math.min(count, MAX_DEVICES); dev++) {
            look.accept(dev, properties(dev));
        }
        return count > 0 && count <= MAX_DEVICES ? "" : "devices: the plug-in says " + count + (count > 0
                ? ", of which the first " + MAX_DEVICES + " are looked at" : ", so there is nothing to use");
    }

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
     * {@code closeListen}.
     *
     * @param comm of {@link #listen}
     */
    void closeListen(long comm);

    /**
     * {@code test}.
     *
     * @param request of a posting call
     * @param words   prepared by {@link NetWords#beforeTest}; gets whether it is complete, and the sizes
     * @return NCCL's code
     */
    int test(long request, NetWords words);
}
