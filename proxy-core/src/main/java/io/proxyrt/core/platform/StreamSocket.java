/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.lang.foreign.MemorySegment;

/**
 * A connected TCP socket by its descriptor, for what the channel that it was found by does not offer. No call blocks,
 * or allocates if it moves bytes, or says why it failed: the channel's next call does. One thread at a time.
 *
 * <p>A receiver <em>peeks</em>: it gets the bytes, and leaves them in the socket until it discards them. That takes a
 * second call, but TCP acknowledges what leaves the socket, and sends the acknowledgement from within that call. So who
 * has an answer to give sends it first, and acknowledges while it waits.
 */
public interface StreamSocket extends AutoCloseable {
    /** What {@link #peek} returns when no more bytes will come: the peer ended the stream, or the connection broke. */
    int END = -1;

    /**
     * Copies what is there, from the first byte that was neither received nor discarded, and leaves it there.
     *
     * @param memory outside the Java heap; it cannot be freed meanwhile
     * @param offset where the bytes go
     * @param bytes  how many at most, greater than 0
     * @return how many came; 0 if there are none now, or the connection has just broken; {@link #END} from then on
     * @throws RuntimeException for memory that is no longer there, too small, or on the heap
     */
    int peek(MemorySegment memory, long offset, int bytes);

    /**
     * Drops bytes that are there.
     *
     * @param bytes how many at most, greater than 0
     * @return how many were dropped; 0 if there are none, or the connection is broken
     */
    int discard(int bytes);

    /**
     * Gives what there is room for.
     *
     * @param memory as with {@link #peek}
     * @param offset of the first byte
     * @param bytes  how many, greater than 0
     * @return how many were taken; 0 if there is no room now, or the connection is broken
     * @throws RuntimeException as {@link #peek}
     */
    int send(MemorySegment memory, long offset, int bytes);

    /**
     * Gives two runs of bytes, one behind the other, as far as there is room.
     *
     * @param head       as with {@link #peek}
     * @param headOffset of the first byte
     * @param headBytes  how many, greater than 0
     * @param body       the same of what follows
     * @param bodyOffset of its first byte
     * @param bodyBytes  how many, greater than 0
     * @return how many were taken of both; 0 if there is no room now, or the connection is broken
     * @throws RuntimeException as {@link #peek}
     */
    int send(MemorySegment head, long headOffset, int headBytes, MemorySegment body, long bodyOffset, int bodyBytes);

    /**
     * Chooses how TCP shares the way with others, for what this end sends from now on.
     *
     * @param name of a congestion control of the system, such as {@code reno}
     * @return false if the system does not have it or not for this process, or the connection is broken
     */
    boolean congestionControl(String name);

    /** Idempotent. The connection ends when the channel that it was found by is closed as well. */
    @Override
    void close();
}
