/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.progress.MemorySharing;
import java.util.List;

/** What the UDS module hands requests to; implemented by core. Called by the UDS agent's thread only. */
public interface UdsHandler {
    /**
     * A peer wants descriptors of memory.
     *
     * @param peer    who asks
     * @param handles of the memory, 1 to {@link MemorySharing#MAX_FDS}, not to be trusted
     * @return one for each handle, in their order; the caller closes them once they are sent
     * @throws io.proxyrt.core.ProxyException if one of them is unknown or not for this peer; becomes the answer
     */
    List<OwnedFd> onGetFd(PeerId peer, long[] handles);

    /**
     * A peer sent descriptors and wants to know their numbers in this process.
     *
     * @param peer who sent them
     * @param fds  1 to {@link MemorySharing#MAX_FDS}; owned by the handler from now on, whether it throws or not
     * @return their numbers, in their order
     * @throws io.proxyrt.core.ProxyException if they are not taken; becomes the answer
     */
    int[] onQueryFd(PeerId peer, List<OwnedFd> fds);

    /**
     * The last session of a peer ended.
     *
     * @param peer who left
     */
    void onDisconnect(PeerId peer);
}
