/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.transport.net.spi.NetPlugin;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two networks, as two ranks have them, and a connection from the first to the second. */
abstract class NetConformance {
    static final int MAX_BYTES = (1 << 20) + 1;

    Arena arena;
    NetPlugin sender;
    NetPlugin receiver;
    NetPair pair;

    /**
     * A network with at least one device, of which the first reaches itself.
     *
     * @param rank of the runtime that it is for: 0 sends, 1 receives
     * @return closed by the test
     */
    protected abstract NetPlugin open(int rank);

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        sender = open(0);
        receiver = open(1);
        pair = pair(MAX_BYTES);
    }

    @AfterEach
    void disconnect() {
        pair.close();
        sender.close();
        receiver.close();
        arena.close();
    }

    /** Another connection, with random content at the source and none at the target. */
    final NetPair pair(int bytes) {
        MemorySegment source = arena.allocate(bytes, 4096);
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        source.copyFrom(MemorySegment.ofArray(content));
        return NetPair.connect(sender, receiver, source, arena.allocate(bytes, 4096));
    }

    final int maxRecvs() {
        return receiver.properties(0).maxRecvs();
    }
}
