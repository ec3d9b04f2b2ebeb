/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.QueuePairLimits;
import io.proxyrt.core.verbs.QueuePairPath;
import io.proxyrt.core.verbs.ReceiveRequest;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.natives.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** {@code ibv_qp} of type RC. */
final class LibQueuePair implements QueuePair {
    private final LibContext context;
    private final IbvFunction postSend;
    private final IbvFunction postRecv;
    private final IbvObject object;
    /** Gets the request that was refused, which is not looked at. */
    private final MemorySegment bad = Arena.ofAuto().allocate(JAVA_LONG);
    private final int number;
    private final int inlineBytes;

    LibQueuePair(LibDomain domain, LibQueue queue, QueuePairLimits limits) {
        this.context = domain.context();
        this.postSend = context.postSend();
        this.postRecv = context.postRecv();
        this.object = IbvObject.of("a queue pair of " + context.device() + " with " + limits,
                context.library().destroyQp, domain.object(), queue.object());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = attributes(arena, queue, limits);
            int errno = object.make(state -> IbvCalls.pointer(context.library().createQp, state,
                    domain.object().address(), attributes.address()));
            if (errno != 0) {
                throw IbvErrors.create(object.name(), errno);
            }
            this.number = object.read(JAVA_INT, IbvLayout.QP_NUM);
            this.inlineBytes = attributes.get(JAVA_INT, IbvLayout.INIT_MAX_INLINE_DATA);
        }
    }

    private static MemorySegment attributes(Arena arena, LibQueue queue, QueuePairLimits limits) {
        MemorySegment a = arena.allocate(IbvLayout.QP_INIT_ATTR_BYTES, Long.BYTES);
        a.set(JAVA_LONG, IbvLayout.INIT_SEND_CQ, queue.object().openAddress());
        a.set(JAVA_LONG, IbvLayout.INIT_RECV_CQ, queue.object().openAddress());
        a.set(JAVA_INT, IbvLayout.INIT_MAX_SEND_WR, limits.sends());
        a.set(JAVA_INT, IbvLayout.INIT_MAX_RECV_WR, limits.receives());
        a.set(JAVA_INT, IbvLayout.INIT_MAX_SEND_SGE, limits.sges());
        a.set(JAVA_INT, IbvLayout.INIT_MAX_RECV_SGE, 1);
        a.set(JAVA_INT, IbvLayout.INIT_MAX_INLINE_DATA, limits.inlineBytes());
        a.set(JAVA_INT, IbvLayout.INIT_QP_TYPE, IbvLayout.QPT_RC);
        return a;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int inlineBytes() {
        return inlineBytes;
    }

    @Override
    public void toInit(int port, int pkeyIndex, int access) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = change(arena, IbvLayout.QPS_INIT);
            a.set(JAVA_SHORT, IbvLayout.PKEY_INDEX, (short) pkeyIndex);
            a.set(JAVA_BYTE, IbvLayout.PORT_NUM, (byte) port);
            a.set(JAVA_INT, IbvLayout.QP_ACCESS_FLAGS, access);
            modify(arena, a, IbvLayout.MASK_INIT, "INIT");
        }
    }

    @Override
    public void toReadyToReceive(QueuePairPath path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = change(arena, IbvLayout.QPS_RTR);
            a.set(JAVA_INT, IbvLayout.PATH_MTU, path.mtu());
            a.set(JAVA_INT, IbvLayout.DEST_QP_NUM, path.remoteNumber());
            a.set(JAVA_BYTE, IbvLayout.MAX_DEST_RD_ATOMIC, (byte) path.maxReads());
            a.set(JAVA_BYTE, IbvLayout.MIN_RNR_TIMER, (byte) path.minRnrTimer());
            a.set(JAVA_SHORT, IbvLayout.AH_DLID, (short) path.remoteLid());
            a.set(JAVA_BYTE, IbvLayout.AH_SL, (byte) path.serviceLevel());
            a.set(JAVA_BYTE, IbvLayout.AH_PORT_NUM, (byte) path.port());
            if (path.remoteGid() != null) {
                MemorySegment.copy(path.remoteGid().bytes(), 0, a, JAVA_BYTE, IbvLayout.AH_DGID,
                        (int) IbvLayout.GID_BYTES);
                a.set(JAVA_BYTE, IbvLayout.AH_IS_GLOBAL, (byte) 1);
                a.set(JAVA_BYTE, IbvLayout.AH_SGID_INDEX, (byte) path.gidIndex());
                a.set(JAVA_BYTE, IbvLayout.AH_HOP_LIMIT, (byte) QueuePairPath.HOP_LIMIT);
                a.set(JAVA_BYTE, IbvLayout.AH_TRAFFIC_CLASS, (byte) path.trafficClass());
            }
            modify(arena, a, IbvLayout.MASK_RTR, "RTR, " + path);
        }
    }

    @Override
    public void toReadyToSend(int timeout, int retries, int rnrRetry, int maxReads) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = change(arena, IbvLayout.QPS_RTS);
            a.set(JAVA_BYTE, IbvLayout.TIMEOUT, (byte) timeout);
            a.set(JAVA_BYTE, IbvLayout.RETRY_CNT, (byte) retries);
            a.set(JAVA_BYTE, IbvLayout.RNR_RETRY, (byte) rnrRetry);
            a.set(JAVA_BYTE, IbvLayout.MAX_RD_ATOMIC, (byte) maxReads);
            modify(arena, a, IbvLayout.MASK_RTS, "RTS");
        }
    }

    /** Refused only by a device that is gone, and then nothing is left to flush. */
    @Override
    public void toError() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = change(arena, IbvLayout.QPS_ERR);
            IbvCalls.modifyQp(context.library().modifyQp, Errno.capture(arena), object.openAddress(), a.address(),
                    IbvLayout.MASK_STATE);
        }
    }

    /** PSNs stay 0: a connection of ours has never had another before it. */
    private static MemorySegment change(Arena arena, int state) {
        MemorySegment a = arena.allocate(IbvLayout.QP_ATTR_BYTES, Long.BYTES);
        a.set(JAVA_INT, IbvLayout.QP_STATE, state);
        return a;
    }

    private void modify(Arena arena, MemorySegment attributes, int mask, String state) {
        MemorySegment errno = Errno.capture(arena);
        int result = IbvCalls.modifyQp(context.library().modifyQp, errno, object.openAddress(), attributes.address(),
                mask);
        if (result != 0) {
            throw IbvErrors.modify("queue pair " + number + " of " + context.device() + " cannot go to " + state,
                    IbvErrors.errno(result, errno));
        }
    }

    @Override
    public int postSend(MemorySegment requests, long offset) {
        Objects.checkFromIndexSize(offset, SendRequest.BYTES, requests.byteSize());
        return post(postSend, requests.address() + offset);
    }

    @Override
    public int postReceive(MemorySegment requests, long offset) {
        Objects.checkFromIndexSize(offset, ReceiveRequest.BYTES, requests.byteSize());
        return post(postRecv, requests.address() + offset);
    }

    /** Drivers return an errno; some have returned -1. */
    private int post(IbvFunction function, long requests) {
        long address = object.address();
        int errno = address == 0 ? Errno.EINVAL : IbvCalls.post(function, address, requests, bad.address());
        return errno < 0 ? Errno.EINVAL : errno;
    }

    @Override
    public void close() {
        object.close();
    }
}
