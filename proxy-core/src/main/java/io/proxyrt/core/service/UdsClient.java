/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.progress.MemorySharing;
import io.proxyrt.core.service.message.MessageType;
import java.time.Duration;
import java.util.List;

/** A session with the UDS thread of one proxy of this host. Any thread, one at a time; others wait. */
public interface UdsClient extends AutoCloseable {
    /**
     * GetFd: asks for descriptors of memory that the proxy exports to this rank. Blocks.
     *
     * @param timeout for the answer, waiting for other threads included
     * @param driver  run again and again while this waits, where the caller drives the other side; else null
     * @param handles 1 to {@link MemorySharing#MAX_FDS}
     * @return one for each handle, in their order; owned by the caller
     * @throws io.proxyrt.core.ProxyException what the proxy said, which gives none if it refuses one; or
     *                                        {@link io.proxyrt.core.ProxyResult#TIMEOUT} or
     *                                        {@link io.proxyrt.core.ProxyResult#REMOTE_ERROR}, which end the session;
     *                                        {@link io.proxyrt.core.ProxyResult#INVALID_USAGE} if it had ended before
     *                                        anything was sent
     */
    List<OwnedFd> getFd(Duration timeout, Runnable driver, long... handles);

    /**
     * QueryFd: sends descriptors and asks which numbers they have got over there, to be used in a
     * {@link MessageType#REGISTER}. The proxy closes what is not used. Blocks.
     *
     * @param timeout for the answer, waiting for other threads included
     * @param driver  run again and again while this waits, where the caller drives the other side; else null
     * @param fds     1 to {@link MemorySharing#MAX_FDS}; stay the caller's
     * @return their numbers in the proxy's process, in their order
     * @throws io.proxyrt.core.ProxyException as {@link #getFd} does
     */
    int[] queryFd(Duration timeout, Runnable driver, List<OwnedFd> fds);

    /**
     * Whether the session goes on. Any thread.
     *
     * @return false once it was closed, or broke
     */
    boolean isOpen();

    /** Ends the session. Idempotent; does not block. */
    @Override
    void close();
}
