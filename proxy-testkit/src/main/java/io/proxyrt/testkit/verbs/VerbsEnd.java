/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.MemoryRegion;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.QueuePairLimits;
import io.proxyrt.core.verbs.QueuePairPath;
import io.proxyrt.core.verbs.ReceiveRequest;
import io.proxyrt.core.verbs.ScatterGather;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.core.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/** One end of a connection: an open device, registered memory, and a queue pair with a completion queue. */
final class VerbsEnd implements AutoCloseable {
    static final int BYTES = 1 << 16;
    static final int SENDS = 16;
    static final int RECEIVES = 16;
    static final int INLINE_BYTES = 64;
    static final int FOR_EVER = 7;
    static final int ALL_ACCESS =
            ProtectionDomain.LOCAL_WRITE | ProtectionDomain.REMOTE_WRITE | ProtectionDomain.REMOTE_READ;

    private static final int TIMEOUT = 10;
    private static final int RNR_TIMER = 12;
    private static final long SGES = SENDS * SendRequest.BYTES;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(120);

    final VerbsContext context;
    final ProtectionDomain domain;
    final CompletionQueue queue;
    final QueuePair queuePair;
    final MemorySegment memory;
    final MemoryRegion region;
    private final MemorySegment requests;
    private final MemorySegment receives;
    private final MemorySegment completions;
    private int gidIndex;

    VerbsEnd(Verbs verbs, String device, Arena arena) {
        context = verbs.open(device);
        domain = context.protectionDomain();
        queue = context.completionQueue(2 * (SENDS + RECEIVES));
        queuePair = domain.queuePair(queue, new QueuePairLimits(SENDS, RECEIVES, 2, INLINE_BYTES));
        memory = arena.allocate(BYTES, 4096);
        region = domain.register(memory, ALL_ACCESS);
        requests = arena.allocate(SGES + 2 * SENDS * ScatterGather.BYTES, Long.BYTES);
        receives = arena.allocate(ReceiveRequest.BYTES, Long.BYTES);
        completions = arena.allocate(WorkCompletion.BYTES, Long.BYTES);
    }

    /** What became of a work request. */
    record Completion(long id, int status, int opcode, int length, int immediate, int queuePair) {
    }

    /** Both ends, each to the other. */
    static void connect(VerbsEnd one, VerbsEnd other, int retries, int rnrRetries) {
        one.toInit();
        other.toInit();
        one.toReady(other, retries, rnrRetries);
        other.toReady(one, retries, rnrRetries);
    }

    void toInit() {
        queuePair.toInit(1, 0, ALL_ACCESS);
    }

    private void toReady(VerbsEnd peer, int retries, int rnrRetries) {
        queuePair.toReadyToReceive(path(peer.queuePair.number(), peer));
        queuePair.toReadyToSend(TIMEOUT, retries, rnrRetries, 1);
    }

    QueuePairPath path(int number, VerbsEnd peer) {
        VerbsPort port = context.port(1);
        return new QueuePairPath(number, port.mtu(), peer.context.port(1).lid(), peer.gid(), index(), 1, 0, 0, 1,
                RNR_TIMER);
    }

    Gid gid() {
        return context.gid(1, index());
    }

    /** The one for an IPv4 address by RoCE v2, if there is one, else the first. */
    private int index() {
        if (gidIndex == 0) {
            for (int i = context.port(1).gids() - 1; i > 0; i--) {
                Gid gid = context.gid(1, i);
                gidIndex = gid.isIpv4() && gid.kind() == Gid.Kind.ROCE_V2 ? i : gidIndex;
            }
        }
        return gidIndex;
    }

    /** Describes a send of one piece, or of none if that is empty, the last of its chain. */
    void request(int index, int opcode, int flags, MemorySegment piece, int lkey) {
        long sge = SGES + 2 * index * ScatterGather.BYTES;
        ScatterGather.set(requests, sge, piece.address(), (int) piece.byteSize(), lkey);
        SendRequest.set(requests, index * SendRequest.BYTES, index, opcode, flags, requests.address() + sge,
                piece.byteSize() == 0 ? 0 : 1);
    }

    void remote(int index, MemorySegment target, int rkey) {
        SendRequest.remote(requests, index * SendRequest.BYTES, target.address(), rkey);
    }

    void immediate(int index, int immediate) {
        SendRequest.immediate(requests, index * SendRequest.BYTES, immediate);
    }

    /** Adds a second piece to a send. */
    void addPiece(int index, int opcode, int flags, MemorySegment piece) {
        long sge = SGES + 2 * index * ScatterGather.BYTES;
        ScatterGather.set(requests, sge + ScatterGather.BYTES, piece.address(), (int) piece.byteSize(), region.lkey());
        SendRequest.set(requests, index * SendRequest.BYTES, index, opcode, flags, requests.address() + sge, 2);
    }

    void chain(int index, int next) {
        SendRequest.next(requests, index * SendRequest.BYTES, requests.address() + next * SendRequest.BYTES);
    }

    int post(int index) {
        return queuePair.postSend(requests, index * SendRequest.BYTES);
    }

    /** Posts a send from the same offset of one's own memory to that of the peer's, or the other way. */
    int post(VerbsEnd peer, int opcode, int flags, long offset, int bytes) {
        request(0, opcode, flags, memory.asSlice(offset, bytes), region.lkey());
        remote(0, peer.memory.asSlice(offset), peer.region.rkey());
        return post(0);
    }

    int postReceive(long id) {
        ReceiveRequest.set(receives, 0, id, 0);
        return queuePair.postReceive(receives, 0);
    }

    /** Allocates nothing. */
    boolean poll() {
        int found = queue.poll(completions, 1);
        assertEquals(0, found >> 1, "poll failed");
        return found == 1;
    }

    int polledStatus() {
        return WorkCompletion.status(completions, 0);
    }

    Completion await() {
        long deadline = System.nanoTime() + WAIT_NS;
        while (!poll()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no completion of " + context.device());
            }
            Thread.yield();
        }
        return new Completion(WorkCompletion.id(completions, 0), WorkCompletion.status(completions, 0),
                WorkCompletion.opcode(completions, 0), WorkCompletion.length(completions, 0),
                WorkCompletion.immediate(completions, 0), WorkCompletion.queuePair(completions, 0));
    }

    /** Waits until a long of one's own memory has been written. */
    void awaitLong(long offset, long value) {
        long deadline = System.nanoTime() + WAIT_NS;
        while ((long) JAVA_LONG.varHandle().getAcquire(memory, offset) != value) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no " + value + " at " + offset);
            }
            Thread.yield();
        }
    }

    @Override
    public void close() {
        queuePair.close();
        region.close();
        queue.close();
        domain.close();
        context.close();
    }
}
