/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

/** The sending end of a connection. */
public interface NetSendComm extends NetComm {
    /**
     * Posts a message. It is complete, in the sense of {@link #test}, when its memory may be written again.
     *
     * @param memory registered with this comm
     * @param offset of the message's first byte
     * @param bytes  length of the message, may be 0
     * @param tag    tells apart messages that one irecv of the peer groups; the sender's rank
     * @return the request, 0 if there is no room for it now, a negated {@link io.proxyrt.core.ProxyResult} code on
     *         failure: {@code INVALID_ARGUMENT} for a range outside the memory, {@code REMOTE_ERROR} if the peer is
     *         gone
     */
    long isend(NetMemory memory, long offset, long bytes, int tag);

    /**
     * Posts a message that says what it is part of. Ranks that do different things find out by stamps that differ; a
     * network that has no place for them in its messages does without, as those of NCCL's interface do.
     *
     * @param memory as {@link #isend(NetMemory, long, long, int)}
     * @param offset as there
     * @param bytes  as there
     * @param tag    as there
     * @param stamp  for {@link NetRecvComm#stamp}; 0 says nothing
     * @return as there
     */
    default long isend(NetMemory memory, long offset, long bytes, int tag, int stamp) {
        return isend(memory, offset, bytes, tag);
    }
}
