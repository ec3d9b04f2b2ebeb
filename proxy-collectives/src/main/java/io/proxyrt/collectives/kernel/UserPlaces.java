/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Where the buffers of a launch lie in registered memory: for a network by the buffer's kind, for the kernels of a peer
 * of this host by the handles that its proxy gave. Filled anew for each launch.
 */
public final class UserPlaces {
    private long sendAddress;
    private long sendBytes;
    private long sendHandle;
    private long sendOffset;
    private long recvHandle;
    private long recvOffset;

    UserPlaces() {
    }

    /**
     * Says where the send buffer lies.
     *
     * @param buffer of the launch
     * @param handle of the registered memory around it, as the peer that receives knows it
     * @param offset from the beginning of that memory, in bytes
     */
    public void send(MemorySegment buffer, long handle, long offset) {
        sendAddress = buffer.address();
        sendBytes = buffer.byteSize();
        sendHandle = handle;
        sendOffset = offset;
    }

    /**
     * Says where the receive buffer lies, from which later stages send; it may be the send buffer, set before.
     *
     * @param buffer of the launch
     * @param handle as of {@link #send}
     * @param offset as of {@link #send}
     */
    public void recv(MemorySegment buffer, long handle, long offset) {
        recvHandle = handle;
        recvOffset = offset;
        if (buffer.address() == sendAddress && buffer.byteSize() > sendBytes) {
            sendHandle = handle;
            sendOffset = offset;
        }
    }

    boolean isInSendBuffer(MemorySegment from) {
        return from.address() == sendAddress;
    }

    long handle(MemorySegment from) {
        return isInSendBuffer(from) ? sendHandle : recvHandle;
    }

    long offset(MemorySegment from) {
        return isInSendBuffer(from) ? sendOffset : recvOffset;
    }
}
