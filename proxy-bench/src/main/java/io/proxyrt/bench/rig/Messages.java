/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.lang.foreign.MemorySegment;

/** One end of something that carries messages to another process and back, one at a time. Calls wait, spinning. */
interface Messages {
    /** Where {@link #send} takes a message from. */
    MemorySegment sendBuffer();

    /** Where {@link #receive} puts one. */
    MemorySegment recvBuffer();

    void send(long bytes);

    void receive(long bytes);

    /** Sends a message and receives one. */
    default void exchange(long bytes) {
        send(bytes);
        receive(bytes);
    }
}
