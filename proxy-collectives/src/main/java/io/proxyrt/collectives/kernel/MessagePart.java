/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import java.lang.foreign.MemorySegment;

/**
 * One end of a message: a part of a buffer, and what tells the message from others. Belongs to the launching thread,
 * which uses it again and again.
 */
public final class MessagePart {
    private MemorySegment buffer;
    private long offset;
    private long bytes;
    private int stamp;

    /** Nothing yet. */
    public MessagePart() {
    }

    /**
     * Says what it is.
     *
     * @param memory of the user
     * @param from   where the message begins in it
     * @param length of the message, in bytes
     * @param what   tells it from others, as {@link OpWord#stamp}
     * @return this
     */
    public MessagePart of(MemorySegment memory, long from, long length, int what) {
        buffer = memory;
        offset = from;
        bytes = length;
        stamp = what;
        return this;
    }

    /**
     * Says that it is a message of the user.
     *
     * @param memory the message, all of it
     * @return this
     */
    public MessagePart of(MemorySegment memory) {
        return of(memory, 0, memory.byteSize(), OpWord.stamp(OpWord.MESSAGE, memory.byteSize()));
    }

    /** Forgets the user's memory. */
    public void clear() {
        buffer = null;
    }

    /** {@return memory of the user} */
    public MemorySegment buffer() {
        return buffer;
    }

    /** {@return where the message begins in the buffer} */
    public long offset() {
        return offset;
    }

    /** {@return the bytes of the message} */
    public long bytes() {
        return bytes;
    }

    /** {@return what tells the message from others} */
    public int stamp() {
        return stamp;
    }
}
