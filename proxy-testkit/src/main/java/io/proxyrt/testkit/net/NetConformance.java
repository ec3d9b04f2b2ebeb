/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.Set;
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

    /**
     * What the network may do otherwise than it should.
     *
     * @return nothing, unless a subclass says so
     */
    protected Set<NetLeeway> leeway() {
        return Set.of();
    }

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

    final boolean mayDo(NetLeeway other) {
        return leeway().contains(other);
    }

    /** A call failed since the peer is gone. */
    final void assertPeerLost(int rank, NetComm comm, long result) {
        String expected = "rank " + rank + " is gone: calls of the other end have to return -REMOTE_ERROR, and the"
                + " failure was: " + comm.failure();
        if (mayDo(NetLeeway.VAGUE_FAILURES)) {
            assertTrue(result < 0, expected);
        } else {
            assertEquals(-ProxyResult.REMOTE_ERROR.code(), result, expected);
        }
        assertNames(rank, comm.failure());
    }

    /** A receive failed since its message is longer. */
    final void assertTooLong(int result, int bytes, int mostBytes) {
        String failure = pair.recv.failure();
        String expected = "a message of " + bytes + " bytes came for a receive of " + mostBytes + ": test has to return"
                + " -INVALID_USAGE, and failure() both sizes; it was: " + failure;
        if (mayDo(NetLeeway.VAGUE_FAILURES)) {
            assertTrue(result < 0 && !failure.isEmpty(), expected);
        } else {
            assertEquals(-ProxyResult.INVALID_USAGE.code(), result, expected);
            assertTrue(failure.contains(" " + bytes) && failure.contains(" " + mostBytes), expected);
        }
    }

    /** A message of that many bytes came for a receive of {@code mostBytes}, by what {@code test} said of it. */
    final void assertSize(long bytes, long mostBytes, int index) {
        assertTrue(isSize(pair.actual[index], bytes, mostBytes), "message " + index + " has " + bytes
                + " bytes, its receive " + mostBytes + ", and test said " + pair.actual[index]);
    }

    private boolean isSize(long actual, long bytes, long mostBytes) {
        return actual == bytes || actual == mostBytes && mayDo(NetLeeway.UNTOLD_SIZES);
    }

    /** Messages of random sizes over a connection. */
    final NetTraffic traffic(NetPair over, int messages, Random random) {
        return new NetTraffic(over, messages, random, this::isSize);
    }

    /** A failure says which rank the peer is. */
    final void assertNames(int rank, String failure) {
        assertFalse(failure.isEmpty(), "a call failed, so failure() has to say why");
        assertTrue(mayDo(NetLeeway.UNNAMED_PEERS) || failure.contains("rank " + rank),
                "the failure has to name the peer as \"rank " + rank + "\", and was: " + failure);
    }

    final int maxRecvs() {
        return receiver.properties(0).maxRecvs();
    }
}
