/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Memory that ranks of one host share, by file descriptors that their UDS threads pass: RCCL's {@code
 * ncclProxyClientGetFdBlocking} and {@code ncclProxyClientQueryFdBlocking}. Any thread.
 */
public interface MemorySharing {
    /** Most descriptors that go at once. */
    int MAX_FDS = 16;

    /**
     * Why no descriptors can be passed here.
     *
     * @return empty if they can; else one line: why not, and what to do
     */
    String whyNot();

    /**
     * Why no descriptors can be passed between two ranks, for transports that share memory. Does not ask the peer. Both
     * ends say the same, but for users that only one of them admits.
     *
     * @param self this rank
     * @param peer the other one
     * @return empty if they can; else one line: why not, and what to do
     */
    String whyNot(PeerInfo self, PeerInfo peer);

    /**
     * Where this rank's UDS thread listens, for its {@link PeerInfo}.
     *
     * @return a path, or the name of an abstract socket behind an {@code @}; empty if {@link #whyNot()} is not
     */
    String address();

    /**
     * Which sockets the UDS thread uses and where it listens, or why there is none.
     *
     * @return one line for people
     */
    String describe();

    /**
     * Lets ranks map memory of this one. Does not block.
     *
     * @param memory of {@link io.proxyrt.core.device.Device#allocateShareable}; stays the caller's, who revokes the
     *               handle before he frees it
     * @param ranks  who may
     * @return the handle to tell them, by whatever means
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the memory cannot be shared
     */
    long export(DeviceMemory memory, Set<Integer> ranks);

    /**
     * Lets ranks have a descriptor of what need not be memory of the runtime's device. Does not block.
     *
     * @param source makes a descriptor each time a rank asks, on the UDS thread
     * @param ranks  who may have it
     * @return the handle to tell them, by whatever means
     * @throws ProxyException what the source threw, which is tried once
     */
    long export(Supplier<OwnedFd> source, Set<Integer> ranks);

    /**
     * Lets no rank map memory any more; ranks that have mapped it keep it. Does not block.
     *
     * @param handle of {@link #export}
     * @return false if there is none such
     */
    boolean revoke(long handle);

    /**
     * Maps memory of another rank. Blocks.
     *
     * @param address of that rank's UDS thread
     * @param handle  as it told
     * @param timeout for the answer
     * @return owned by the caller
     * @throws ProxyException as {@link #getFd}, and {@link ProxyResult#INVALID_ARGUMENT} if it could shrink while it
     *                        is mapped
     */
    DeviceMemory open(String address, long handle, Duration timeout);

    /**
     * GetFd: descriptors of memory of another rank. Blocks.
     *
     * @param address of that rank's UDS thread
     * @param timeout for the answer
     * @param handles as it told, 1 to {@link #MAX_FDS}
     * @return one for each, in their order; owned by the caller
     * @throws ProxyException what that rank said, {@link ProxyResult#TIMEOUT}, {@link ProxyResult#REMOTE_ERROR}, or
     *                        {@link ProxyResult#INVALID_USAGE} with the reason if no descriptors can be passed here
     */
    List<OwnedFd> getFd(String address, Duration timeout, long... handles);

    /**
     * QueryFd: sends descriptors to another rank, for a Register call with their
     * numbers there. Blocks.
     *
     * @param address of that rank's UDS thread
     * @param timeout for the answer
     * @param fds     1 to {@link #MAX_FDS}; stay the caller's
     * @return their numbers there, in their order
     * @throws ProxyException as {@link #getFd}
     */
    int[] queryFd(String address, Duration timeout, List<OwnedFd> fds);
}
