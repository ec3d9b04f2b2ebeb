/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/** An open device: {@code ibv_context}. Any thread, {@link #close} excepted, which no other call may meet. */
public interface VerbsContext extends AutoCloseable {
    /**
     * The device's name.
     *
     * @return such as {@code mlx5_0}
     */
    String device();

    /**
     * Where the device is in sysfs.
     *
     * @return the real path of its PCI function; empty if it is virtual, as soft-RoCE is
     */
    String pciPath();

    /**
     * What the device can do.
     *
     * @return asked anew each time
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it does not answer
     */
    VerbsDevice query();

    /**
     * What a port is, and whether it is up.
     *
     * @param port from 1 to {@link VerbsDevice#ports()}
     * @return asked anew each time
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it does not answer
     */
    VerbsPort port(int port);

    /**
     * An entry of a port's GID table.
     *
     * @param port  from 1 to {@link VerbsDevice#ports()}
     * @param index from 0 to {@link VerbsPort#gids()} - 1
     * @return asked anew each time; {@link Gid#isZero() zero} if the entry is not in use
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it does not answer
     */
    Gid gid(int port, int index);

    /**
     * Makes a protection domain, which its owner closes before the context.
     *
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the device has no more
     */
    ProtectionDomain protectionDomain();

    /**
     * Makes a completion queue, which its owner closes before the context.
     *
     * @param entries how many completions may wait in it, at least
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the device has no more, or none of that size
     */
    CompletionQueue completionQueue(int entries);

    /**
     * Waits for an event of the device: a port that went down, a queue pair that failed. One thread at a time.
     *
     * @param maxNs longest wait, in nanoseconds
     * @return acknowledged already; null if there was none
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the device is gone
     */
    VerbsEvent awaitEvent(long maxNs);

    /**
     * Closes the device. Idempotent.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if a domain or queue of it is open still; then it stays
     *                        open
     */
    @Override
    void close();
}
