/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.spi;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.progress.Network;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One network of a runtime that carries out collectives: {@code ncclCollNet}. Used by one thread at a time, the service
 * thread, unless a method says otherwise.
 */
public interface CollNetPlugin extends Network {
    /** Most bytes of a listen handle: {@code NCCL_NET_HANDLE_MAXSIZE}. */
    int HANDLE_BYTES = 128;

    /**
     * What a device is and can do. Any thread.
     *
     * @param dev 0 to {@link #devices()} - 1
     * @return the same each time
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} for any other device
     */
    CollNetProperties properties(int dev);

    /**
     * Whether the network reduces so: {@code reduceSupport}. Any thread.
     *
     * @param type of the elements
     * @param op   the reduction
     * @return always the same
     */
    boolean reduceSupport(DataType type, RedOp op);

    /**
     * Whether comms carry out {@code iallgather} and {@code ireducescatter}. Any thread.
     *
     * @return false if there is all-reduce alone, and those are refused with {@link
     *         io.proxyrt.core.ProxyResult#INVALID_USAGE}; always the same
     */
    default boolean hasWindows() {
        return true;
    }

    /**
     * Gets ready to be connected. Does not block.
     *
     * @param dev 0 to {@link #devices()} - 1
     * @return owned by the caller, who keeps it until the comm is connected
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} for any other device,
     *                                        {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    CollNetListenComm listen(int dev);

    /**
     * Begins to connect with the other participants. Does not block.
     *
     * @param dev     0 to {@link #devices()} - 1
     * @param handles as {@link CollNetListenComm#handle()} of each participant gave it, in their order; copied, and not
     *                to be trusted
     * @param rank    place of this one among them
     * @param listen  this one's, of {@link #listen}
     * @return the attempt, owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} for any other device
     *                                        or for a handle that is none of this network's, {@link
     *                                        io.proxyrt.core.ProxyResult#INVALID_USAGE} if the network does not connect
     *                                        such participants
     */
    CollNetConnectComm connect(int dev, List<ByteBuffer> handles, int rank, CollNetListenComm listen);

    /**
     * Waits until data may have moved on one of the comms, or the time is up. One thread at a time, the one that uses
     * the comms. It ends early, when data come: a progress thread that has nothing else to do sleeps here. A network
     * that cannot tell looks again after a millisecond, which is what this one does if it is not overridden.
     *
     * @param maxNs longest wait, in nanoseconds
     */
    default void park(long maxNs) {
        LockSupport.parkNanos(Math.min(maxNs, TimeUnit.MILLISECONDS.toNanos(1)));
    }
}
