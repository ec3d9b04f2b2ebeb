/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.util.Arrays;

/**
 * Subs whose data come over one comm: an irecv takes a step of each of them that can take one. Remembers those irecvs
 * until they are published.
 *
 * <pre>
 *  published  ≤  received  ≤  posted  ≤  published + ring
 * </pre>
 *
 * <p>RCCL posts for all members or for none, so one member at its depth limit holds the others up, whose kernels it may
 * be waiting for. Here a member that cannot take a step is left out of that irecv. What remains is the network's: it
 * matches messages irecv by irecv, so a member's next message waits for the other members' messages of the irecv
 * before. Members are ranks of their own, two of one rank never, and each sends what its group needs without waiting
 * for another's.
 */
final class RecvGroup {
    /** Most members: NCCL's networks group no more. */
    static final int MAX_MEMBERS = 8;

    NetRecvComm comm;
    int size;
    long posted;
    long received;
    long published;
    private final ProxySubArgs[] members = new ProxySubArgs[MAX_MEMBERS];
    private final int[] indexes = new int[MAX_MEMBERS];
    /** Of an irecv; once that is complete, of its flush, 0 if there is none. */
    private long[] requests = new long[DeviceConnection.STEPS];
    /** Which members an irecv has, a bit each. */
    private int[] masks = new int[DeviceConnection.STEPS];
    private int ringMask;

    /** Puts the subs of an op into groups; each group belongs to its first sub. */
    static void form(ProxyArgs args) {
        for (int i = 0; i < args.nsubs(); i++) {
            NetSub net = NetSub.of(args.sub(i));
            RecvGroup group = net.resources.maxRecvs == 1 ? null : openGroup(args, i, net);
            net.isLeader = group == null;
            net.group = group == null ? net.ownGroup().begin(net.resources.recvComm) : group;
            net.group.add(args.sub(i), i);
        }
    }

    private static RecvGroup openGroup(ProxyArgs args, int index, NetSub net) {
        int maxMembers = Math.min(MAX_MEMBERS, net.resources.maxRecvs);
        for (int i = 0; i < index; i++) {
            NetSub other = NetSub.of(args.sub(i));
            if (other.isLeader && other.group.comm == net.resources.recvComm && other.group.size < maxMembers
                    && !other.group.hasTag(net.resources.setup.remoteRank())) {
                return other.group;
            }
        }
        return null;
    }

    private RecvGroup begin(NetRecvComm comm) {
        this.comm = comm;
        size = 0;
        posted = 0;
        received = 0;
        published = 0;
        return this;
    }

    private void add(ProxySubArgs sub, int index) {
        assert size < MAX_MEMBERS && (size == 0 || indexes[size - 1] < index) : index;
        members[size] = sub;
        indexes[size++] = index;
        int ring = DeviceConnection.STEPS * Integer.highestOneBit(2 * size - 1);
        ringMask = ring - 1;
        if (requests.length < ring) {
            requests = Arrays.copyOf(requests, ring);
            masks = Arrays.copyOf(masks, ring);
        }
    }

    private boolean hasTag(int tag) {
        for (int i = 0; i < size; i++) {
            if (NetSub.of(members[i]).resources.setup.remoteRank() == tag) {
                return true;
            }
        }
        return false;
    }

    ProxySubArgs member(int i) {
        return members[i];
    }

    /** Of the member in the args. */
    int index(int i) {
        return indexes[i];
    }

    void post(long request, int mask) {
        assert posted - published <= ringMask : this;
        int place = (int) posted++ & ringMask;
        requests[place] = request;
        masks[place] = mask;
    }

    long oldestPosted() {
        return requests[(int) received & ringMask];
    }

    int oldestPostedMask() {
        return masks[(int) received & ringMask];
    }

    /** The oldest irecv is complete, and is flushed by a request, or by 0 needs no flush. */
    void receive(long flush) {
        assert received < posted : this;
        requests[(int) received++ & ringMask] = flush;
    }

    long oldestFlush() {
        return requests[(int) published & ringMask];
    }

    int oldestReceivedMask() {
        return masks[(int) published & ringMask];
    }

    void publish() {
        assert published < received : this;
        published++;
    }

    @Override
    public String toString() {
        return size + " receives grouped, irecvs posted " + posted + " received " + received + " published "
                + published;
    }
}
