/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.collnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/** Participants that are connected, with memory registered at each. One thread plays them all. */
final class CollNetGroup implements AutoCloseable {
    final CollNetComm[] comms;
    final MemorySegment[] sources;
    final MemorySegment[] targets;
    final CollNetMemory[] sends;
    final CollNetMemory[] recvs;

    private CollNetGroup(CollNetComm[] comms, Arena arena, long bytes) {
        this.comms = comms;
        this.sources = new MemorySegment[comms.length];
        this.targets = new MemorySegment[comms.length];
        this.sends = new CollNetMemory[comms.length];
        this.recvs = new CollNetMemory[comms.length];
        for (int i = 0; i < comms.length; i++) {
            sources[i] = arena.allocate(bytes, 4096);
            targets[i] = arena.allocate(bytes, 4096);
            sends[i] = comms[i].regMr(sources[i]);
            recvs[i] = comms[i].regMr(targets[i]);
        }
    }

    /** A call of a participant. */
    @FunctionalInterface
    interface Post {
        /** Returns the request. */
        long by(int rank);
    }

    /** By the first device of each network. */
    static CollNetGroup connect(List<CollNetPlugin> nets, Arena arena, long bytes) {
        CollNetListenComm[] listens = new CollNetListenComm[nets.size()];
        CollNetConnectComm[] attempts = new CollNetConnectComm[nets.size()];
        CollNetComm[] comms = new CollNetComm[nets.size()];
        try {
            for (int i = 0; i < listens.length; i++) {
                listens[i] = nets.get(i).listen(0);
            }
            List<ByteBuffer> handles = handles(listens);
            for (int i = 0; i < attempts.length; i++) {
                attempts[i] = nets.get(i).connect(0, handles, i, listens[i]);
            }
            meet(attempts, comms);
            return new CollNetGroup(comms, arena, bytes);
        } catch (Throwable t) {
            closeAll(comms);
            throw t;
        } finally {
            closeAll(attempts);
            closeAll(listens);
        }
    }

    static List<ByteBuffer> handles(CollNetListenComm[] listens) {
        return List.of(listens).stream().map(CollNetListenComm::handle).toList();
    }

    /** Asks all attempts until each has given its comm. */
    static void meet(CollNetConnectComm[] attempts, CollNetComm[] comms) {
        for (int missing = comms.length; missing > 0;) {
            for (int i = 0; i < comms.length; i++) {
                if (comms[i] == null) {
                    comms[i] = attempts[i].connect();
                    missing -= comms[i] == null ? 0 : 1;
                }
            }
            turn();
        }
    }

    int size() {
        return comms.length;
    }

    /** Has each participant make the same call. */
    long[] post(Post call) {
        long[] requests = new long[comms.length];
        for (int i = 0; i < comms.length; i++) {
            requests[i] = checked(i, call.by(i));
            assertFalse(requests[i] == 0, "a comm bears 8 requests, and that of participant " + i
                    + " had no room for its call");
        }
        return requests;
    }

    /** Drives all participants until each one's request is complete. */
    void finish(long[] requests) {
        boolean[] isDone = new boolean[comms.length];
        for (int left = comms.length; left > 0;) {
            for (int i = 0; i < comms.length; i++) {
                if (!isDone[i]) {
                    isDone[i] = checked(i, comms[i].test(requests[i])) == 1;
                    left -= isDone[i] ? 1 : 0;
                }
            }
            turn();
        }
    }

    void run(Post call) {
        finish(post(call));
    }

    /** Drives all participants but those whose requests are 0 until they have failed. Returns what each got. */
    int[] awaitFailures(long[] requests) {
        int[] results = new int[comms.length];
        for (int i = 0; i < comms.length; i++) {
            while (requests[i] != 0 && results[i] == 0) {
                results[i] = requests[i] < 0 ? (int) requests[i] : comms[i].test(requests[i]);
                turn();
            }
        }
        return results;
    }

    long checked(int rank, long result) {
        if (result < 0) {
            throw new AssertionError("participant " + rank + ": " + ProxyResult.of((int) -result) + ": "
                    + comms[rank].failure());
        }
        return result;
    }

    void assertRefused(int rank, long result) {
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), result, () -> "the call of participant " + rank + " has to"
                + " return -INVALID_ARGUMENT for what is not outstanding, registered or supported, or is outside the"
                + " memory; the failure was: " + comms[rank].failure());
        assertFalse(comms[rank].failure().isEmpty(), "a call was refused, so failure() has to say why");
    }

    @Override
    public void close() {
        closeAll(sends);
        closeAll(recvs);
        closeAll(comms);
    }

    static void closeAll(AutoCloseable[] resources) {
        for (AutoCloseable each : resources) {
            try {
                if (each != null) {
                    each.close();
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Between two looks: lets the network's own threads have the core, and ends when the test's time is up. */
    static void turn() {
        if (Thread.interrupted()) {
            throw new AssertionError("the test's time is up");
        }
        Thread.yield();
    }
}
