/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.spi;

import java.lang.foreign.MemorySegment;

/**
 * A connected stream socket by its descriptor, for what Java's channels do not offer. No call blocks, allocates or
 * throws on what the peer or the system does. One thread at a time.
 *
 * <p>A receiver may <em>peek</em>: it gets the bytes, and leaves them in the socket until it discards them. That takes a
 * second call, but TCP acknowledges only what leaves the socket, and sends the acknowledgement from within that call.
 * So who has an answer to give sends it first, and acknowledges while it waits.
 */
public interface StreamSocket extends AutoCloseable {
    /** What {@link #receive}, {@link #peek} and {@link #discard} return when the peer has ended the stream. */
    int END = Integer.MIN_VALUE;

    /**
     * Takes what is there.
     *
     * @param memory outside the Java heap; it cannot be freed meanwhile
     * @param offset where the bytes go
     * @param bytes  how many at most, greater than 0
     * @return how many came; 0 if there are none now; {@link #END}; else less than 0, see {@link #reason}
     * @throws RuntimeException for memory that is no longer there, too small, or on the heap
     */
    int receive(MemorySegment memory, long offset, int bytes);

    /**
     * Copies what is there, from the first byte that was neither received nor discarded, and leaves it there.
     *
     * @param memory as with {@link #receive}
     * @param offset where the bytes go
     * @param bytes  how many at most, greater than 0
     * @return as {@link #receive}
     * @throws RuntimeException as {@link #receive}
     */
    int peek(MemorySegment memory, long offset, int bytes);

    /**
     * Drops bytes that are there.
     *
     * @param bytes how many at most, greater than 0
     * @return as {@link #receive}
     */
    int discard(int bytes);

    /**
     * Gives what there is room for.
     *
     * @param memory as with {@link #receive}
     * @param offset of the first byte
     * @param bytes  how many, greater than 0
     * @return how many were taken; 0 if there is no room now; else less than 0, see {@link #reason}
     * @throws RuntimeException as {@link #receive}
     */
    int send(MemorySegment memory, long offset, int bytes);

    /**
     * What went wrong.
     *
     * @param result less than 0, of one of the calls
     * @return for people
     */
    String reason(int result);

    /** Idempotent. The connection ends when the channel that it was found by is closed as well. */
    @Override
    void close();
}
