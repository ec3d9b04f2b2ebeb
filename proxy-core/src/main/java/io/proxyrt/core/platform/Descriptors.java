/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.file.Path;

/** File descriptors of this process, and memory that has one. Any thread. */
public interface Descriptors {
    /**
     * Makes memory that other processes can map once they have its descriptor, zeroed. It cannot shrink or grow, so
     * no process that maps it can be hurt by another.
     *
     * @param name  for tools of the system
     * @param bytes its size, greater than 0
     * @return owned by the caller; closed on exec
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    OwnedFd memfd(String name, long bytes);

    /**
     * As {@link #memfd}, of huge pages that are set aside for it at once.
     *
     * @param name  for tools of the system
     * @param bytes its size, greater than 0, a multiple of {@link HostPages#hugePageBytes()}
     * @return owned by the caller; closed on exec
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there are no such pages, with what to do
     */
    default OwnedFd hugeMemfd(String name, long bytes) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, "this platform shares no memory of huge pages");
    }

    /**
     * Another descriptor of the same thing.
     *
     * @param fd stays the caller's
     * @return owned by the caller; closed on exec
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there are no more descriptors
     */
    OwnedFd duplicate(OwnedFd fd);

    /**
     * Takes a descriptor over that came from elsewhere, such as a message.
     *
     * @param fd of this process, with no other owner
     * @return owned by the caller
     */
    OwnedFd adopt(int fd);

    /**
     * Opens a file, for reading and writing.
     *
     * @param path of any kind of file; does not wait for what a pipe's other end does
     * @return owned by the caller; closed on exec
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    default OwnedFd open(Path path) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, "this platform does not open " + path);
    }

    /**
     * The size of memory that another process made.
     *
     * @param fd not to be trusted
     * @return bytes, greater than 0
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is no memory that {@linkplain #memfd cannot
     *                        shrink}
     */
    long sealedBytes(OwnedFd fd);
}
