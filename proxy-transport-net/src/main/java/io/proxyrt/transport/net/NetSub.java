/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.transport.net.MrCache.Mr;
import io.proxyrt.transport.net.spi.NetMemory;

/** What the transport keeps with a sub, filled anew for each op. Progress thread. */
final class NetSub {
    private static final Protocol[] PROTOCOLS = Protocol.values();

    NetResources resources;
    /** The connection's; here too, for an op that cannot move looks at nothing else of the connection's. */
    SendMem sendMem;
    RecvMem recvMem;
    NetSlots slots;
    /** The same, if they are a pool's; else null. */
    NetSlots.Pooled pooled;
    /** Of the network, for each slot; 0 for none. */
    final long[] requests = new long[DeviceConnection.STEPS];
    Protocol protocol;
    /** The receives that the sub is grouped with; only the first sub of a group leads it. */
    RecvGroup group;
    boolean isLeader;
    /** Where the slice that {@link #locate} looked at lies. */
    NetMemory memory;
    long offset;

    /** For when the sub leads. */
    private final RecvGroup ownGroup = new RecvGroup();
    private Mr sendBuffer;
    private Mr recvBuffer;

    private NetSub() {
    }

    static NetSub of(ProxySubArgs sub) {
        return (NetSub) sub.attachment;
    }

    /** Prepares a sub for its op; returns null, or why the op cannot be carried out. */
    static String start(ProxyArgs args, ProxySubArgs sub) {
        if (!(sub.attachment instanceof NetSub)) {
            sub.attachment = new NetSub();
        }
        NetSub net = of(sub);
        net.resources = (NetResources) sub.connection.resources();
        int code = args.protocol();
        net.slots = code < 0 || code >= net.resources.slots.length ? null : net.resources.slots[code];
        if (net.slots == null) {
            return sub.connection + " has no buffer for protocol " + code;
        }
        net.pooled = net.slots instanceof NetSlots.Pooled shared ? shared : null;
        net.sendMem = net.resources.sendMem;
        net.recvMem = net.resources.recvMem;
        net.protocol = PROTOCOLS[code];
        net.sendBuffer = null;
        net.recvBuffer = null;
        return sub.reg ? net.register(sub) : null;
    }

    RecvGroup ownGroup() {
        return ownGroup;
    }

    private String register(ProxySubArgs sub) {
        if (protocol != Protocol.SIMPLE) {
            return sub.connection + ": user memory is for the Simple protocol, not for " + protocol;
        }
        String refusal = sub.hold();
        if (refusal != null) {
            return refusal;
        }
        sendBuffer = mr(sub.sendRegistration);
        recvBuffer = mr(sub.recvRegistration);
        return isWithin(sendBuffer, sub.sendbuff, 0) && isWithin(recvBuffer, sub.recvbuff, 0) ? null
                : sub.connection + ": buffers at " + sub.sendbuff + " and " + sub.recvbuff
                + " are not within the registered memory";
    }

    private static Mr mr(ProxyRegistration registration) {
        return registration == null ? null : (Mr) registration.mhandle();
    }

    /**
     * Finds where a slice lies: in its slot, or where the kernel's ptr says.
     *
     * @return null, or why it cannot lie there
     */
    String locate(ProxyArgs args, ProxySubArgs sub, int slot, long bytes) {
        if (isInUserMemory(sub, slot)) {
            int buffer = resources.direction == Direction.RECV ? RecvMem.IN_RECV_BUFFER
                    : resources.recvMem.offset(slot);
            return locateUser(sub, buffer, resources.recvMem.ptr(slot), bytes);
        }
        lies(slots.memory(), slots.offset(slot));
        return bytes < 0 || bytes > slots.capacity(args.sliceSteps()) ? "the kernel wants to move " + bytes
                + " bytes by a slot of " + slots.capacity(args.sliceSteps()) : null;
    }

    /** Whether the kernel says that a slice lies in user memory; once it has told the slice's size. */
    boolean isInUserMemory(ProxySubArgs sub, int slot) {
        return sub.reg && resources.recvMem.mode(slot) == RecvMem.MODE_PTR;
    }

    private String locateUser(ProxySubArgs sub, int which, long ptr, long bytes) {
        boolean isSend = which == RecvMem.IN_SEND_BUFFER;
        Mr mr = isSend ? sendBuffer : recvBuffer;
        long start = isSend ? sub.sendbuff : sub.recvbuff;
        if (mr == null || which != RecvMem.IN_SEND_BUFFER && which != RecvMem.IN_RECV_BUFFER || ptr < 0
                || !isWithin(mr, start + ptr, bytes)) {
            return "the kernel wants to move " + bytes + " bytes at " + ptr + " of buffer " + which
                    + ", which is not within registered memory";
        }
        lies(mr.memory(), mr.offset() + start + ptr);
        return null;
    }

    /** Mostly the memory is the same as before, and a store of a reference costs the collector's barrier. */
    private void lies(NetMemory where, long at) {
        if (memory != where) {
            memory = where;
        }
        offset = at;
    }

    private static boolean isWithin(Mr mr, long start, long bytes) {
        return mr == null || start >= 0 && bytes >= 0 && start <= mr.bytes() - bytes;
    }

    /** Lets go of user memory and of what else the op had. */
    void finish(ProxyArgs args, ProxySubArgs sub) {
        sub.release();
        args.done++;
    }

    int fail(ProxyArgs args, ProxySubArgs sub, String reason) {
        return args.fail(ProxyResult.INVALID_ARGUMENT, sub.connection + ": " + reason);
    }
}
