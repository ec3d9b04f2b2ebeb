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
import io.proxyrt.natives.CFunction;
import io.proxyrt.natives.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/** {@code ibv_qp} of type RC. */
final class LibQueuePair implements QueuePair {
    private static final int MAX_BYTE = 0xff;
    private static final int MAX_SHORT = 0xffff;
    private static final int MAX_RNR_TIMER = 31;
    private static final int MAX_SERVICE_LEVEL = 15;
    private static final int MAX_TIMEOUT = 31;
    private static final int MAX_RETRIES = 7;

    private final LibContext context;
    private final CFunction postSend;
    private final CFunction postRecv;
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
            a.set(JAVA_SHORT, IbvLayout.PKEY_INDEX, (short) narrow("P_Key index", pkeyIndex, MAX_SHORT));
            a.set(JAVA_BYTE, IbvLayout.PORT_NUM, (byte) narrow("port", port, MAX_BYTE));
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
            a.set(JAVA_BYTE, IbvLayout.MAX_DEST_RD_ATOMIC, (byte) narrow("number of reads", path.maxReads(), MAX_BYTE));
            a.set(JAVA_BYTE, IbvLayout.MIN_RNR_TIMER, (byte) narrow("RNR timer", path.minRnrTimer(), MAX_RNR_TIMER));
            a.set(JAVA_SHORT, IbvLayout.AH_DLID, (short) narrow("LID", path.remoteLid(), MAX_SHORT));
            a.set(JAVA_BYTE, IbvLayout.AH_SL, (byte) narrow("service level", path.serviceLevel(), MAX_SERVICE_LEVEL));
            a.set(JAVA_BYTE, IbvLayout.AH_PORT_NUM, (byte) narrow("port", path.port(), MAX_BYTE));
            if (path.remoteGid() != null) {
                MemorySegment.copy(path.remoteGid().bytes(), 0, a, JAVA_BYTE, IbvLayout.AH_DGID,
                        (int) IbvLayout.GID_BYTES);
                a.set(JAVA_BYTE, IbvLayout.AH_IS_GLOBAL, (byte) 1);
                a.set(JAVA_BYTE, IbvLayout.AH_SGID_INDEX, (byte) narrow("GID index", path.gidIndex(), MAX_BYTE));
                a.set(JAVA_BYTE, IbvLayout.AH_HOP_LIMIT, (byte) QueuePairPath.HOP_LIMIT);
                a.set(JAVA_BYTE, IbvLayout.AH_TRAFFIC_CLASS,
                        (byte) narrow("traffic class", path.trafficClass(), MAX_BYTE));
            }
            modify(arena, a, IbvLayout.MASK_RTR, "RTR, " + path);
        }
    }

    @Override
    public void toReadyToSend(int timeout, int retries, int rnrRetry, int maxReads) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = change(arena, IbvLayout.QPS_RTS);
            a.set(JAVA_BYTE, IbvLayout.TIMEOUT, (byte) narrow("timeout", timeout, MAX_TIMEOUT));
            a.set(JAVA_BYTE, IbvLayout.RETRY_CNT, (byte) narrow("number of retries", retries, MAX_RETRIES));
            a.set(JAVA_BYTE, IbvLayout.RNR_RETRY, (byte) narrow("number of RNR retries", rnrRetry, MAX_RETRIES));
            a.set(JAVA_BYTE, IbvLayout.MAX_RD_ATOMIC, (byte) narrow("number of reads", maxReads, MAX_BYTE));
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

    /** The library takes fewer bits, and would take those that are left. */
    private int narrow(String what, int value, int most) {
        if (value < 0 || value > most) {
            throw Errno.failure("queue pair " + number + " of " + context.device() + " cannot have " + what + " "
                    + value, Errno.EINVAL, ", the most is " + most);
        }
        return value;
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
        return post(postSend, requests, offset);
    }

    @Override
    public int postReceive(MemorySegment requests, long offset) {
        Objects.checkFromIndexSize(offset, ReceiveRequest.BYTES, requests.byteSize());
        return post(postRecv, requests, offset);
    }

    /** Drivers return an errno; some have returned -1. */
    private int post(CFunction function, MemorySegment requests, long offset) {
        assert requests.isNative() && requests.scope().isAlive() : requests;
        long address = object.address();
        int errno = address == 0 ? Errno.EINVAL
                : IbvCalls.post(function, address, requests.address() + offset, bad.address());
        // The call has but addresses.
        Reference.reachabilityFence(requests);
        Reference.reachabilityFence(this);
        return errno < 0 ? Errno.EINVAL : errno;
    }

    @Override
    public void close() {
        object.close();
    }
}
