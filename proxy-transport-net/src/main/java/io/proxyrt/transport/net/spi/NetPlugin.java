/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

import io.proxyrt.core.progress.Network;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One network of a runtime. Used by one thread at a time, the service thread, unless a method says otherwise. */
public interface NetPlugin extends Network {
    /** Most bytes of a listen handle: {@code NCCL_NET_HANDLE_MAXSIZE}. */
    int HANDLE_BYTES = 128;

    /**
     * What a device is and can do. Any thread.
     *
     * @param dev 0 to {@link #devices()} - 1
     * @return the same each time
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} for any other device
     */
    NetProperties properties(int dev);

    /**
     * Whether memory registered with one comm of a device can be used with all of its comms, and for as long as it is
     * registered, even if that comm is closed. Any thread.
     *
     * @param dev 0 to {@link #devices()} - 1
     * @return false, unless the network says otherwise: each comm registers for itself
     */
    default boolean isRegistrationGlobal(int dev) {
        return false;
    }

    /**
     * Waits for a connection from now on. Does not block.
     *
     * @param dev 0 to {@link #devices()} - 1
     * @return owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} for any other device,
     *                                        {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    NetListenComm listen(int dev);

    /**
     * Begins to connect. Does not block.
     *
     * @param dev    0 to {@link #devices()} - 1
     * @param handle as {@link NetListenComm#handle()} of the peer gave it, from position to limit; copied, left as it
     *               is, and not to be trusted
     * @return the attempt, owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} for any other device
     *                                        or for a handle that is none of this network's
     */
    NetConnectComm connect(int dev, ByteBuffer handle);

    /**
     * Asks for several requests: what {@link NetComm#test} says of each, with one look at all of them where the network
     * can. The thread that uses the comms; does not block, and allocates nothing unless a request fails.
     *
     * @param n        how many requests
     * @param comms    of each request
     * @param requests as returned by posting calls
     * @param results  gets for each what {@link NetComm#test} would return
     * @param sizes    for each, gets what {@link NetComm#test} would put there
     * @return how many are over: complete, or failed
     */
    default int testBatch(int n, NetComm[] comms, long[] requests, int[] results, long[][] sizes) {
        int over = 0;
        for (int i = 0; i < n; i++) {
            results[i] = comms[i].test(requests[i], sizes[i]);
            over += results[i] == 0 ? 0 : 1;
        }
        return over;
    }

    /**
     * Looks for all comms at once whether they can move, so that the next {@link NetComm#test} of one that cannot costs
     * nothing. What it found holds for one call: a later one looks for itself. The thread that uses the comms; does not
     * block, allocate or throw.
     */
    default void poll() {
    }

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
