/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.MessagePart;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Inputs of a launch that are copied to a buffer of the communicator's first, since outputs overwrite them. */
final class CopiedInputs {
    private static final long ALIGNMENT = 64;

    private final List<Message> messages = new ArrayList<>();
    private long bytes;

    /** The message is sent from the copy. */
    void add(Message message) {
        messages.add(message);
        bytes += aligned(message.part.bytes());
    }

    /** {@return what the buffer has to hold} */
    long bytes() {
        return bytes;
    }

    /** Sends the messages from the buffer, and says what is to be copied where. */
    void redirect(MemorySegment buffer, Copy copy) {
        long at = 0;
        for (int i = 0; i < messages.size(); i++) {
            MessagePart part = messages.get(i).part;
            copy.run(part, buffer, at);
            part.of(buffer, at, part.bytes(), part.stamp());
            at += aligned(part.bytes());
        }
    }

    /** Launches a copy. */
    @FunctionalInterface
    interface Copy {
        /** Of a part into a buffer. */
        void run(MessagePart from, MemorySegment to, long offset);
    }

    void clear() {
        messages.clear();
        bytes = 0;
    }

    private static long aligned(long bytes) {
        return bytes + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
