/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** Launches each call by itself. */
final class SingleCalls implements Collectives {
    private final SingleUser user;
    private final Launches launches;

    SingleCalls(SingleUser user, Launches launches) {
        this.user = user;
        this.launches = launches;
    }

    @Override
    public void allReduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, ReduceOp op) {
        user.enterLaunch("allReduce");
        try {
            launches.calls().allReduce(sendBuffer, recvBuffer, count, type, op);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void reduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, ReduceOp op,
            int root) {
        user.enterLaunch("reduce");
        try {
            launches.calls().reduce(sendBuffer, recvBuffer, count, type, op, root);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void broadcast(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, int root) {
        user.enterLaunch("broadcast");
        try {
            launches.calls().broadcast(sendBuffer, recvBuffer, count, type, root);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void allGather(MemorySegment sendBuffer, MemorySegment recvBuffer, long sendCount, DataType type) {
        user.enterLaunch("allGather");
        try {
            launches.calls().allGather(sendBuffer, recvBuffer, sendCount, type);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void allGatherv(MemorySegment sendBuffer, MemorySegment recvBuffer, long[] counts, long[] displacements,
            DataType type) {
        user.enterLaunch("allGatherv");
        try {
            launches.calls().allGatherv(sendBuffer, recvBuffer, counts, displacements, type);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void reduceScatter(MemorySegment sendBuffer, MemorySegment recvBuffer, long recvCount, DataType type,
            ReduceOp op) {
        user.enterLaunch("reduceScatter");
        try {
            launches.calls().reduceScatter(sendBuffer, recvBuffer, recvCount, type, op);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void reduceScatterv(MemorySegment sendBuffer, MemorySegment recvBuffer, long[] counts, long[] displacements,
            DataType type, ReduceOp op) {
        user.enterLaunch("reduceScatterv");
        try {
            launches.calls().reduceScatterv(sendBuffer, recvBuffer, counts, displacements, type, op);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void allToAll(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type) {
        user.enterLaunch("allToAll");
        try {
            launches.calls().allToAll(sendBuffer, recvBuffer, count, type);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void allToAllv(MemorySegment sendBuffer, long[] sendCounts, long[] sendDisplacements,
            MemorySegment recvBuffer, long[] recvCounts, long[] recvDisplacements, DataType type) {
        user.enterLaunch("allToAllv");
        try {
            launches.calls().allToAllv(sendBuffer, sendCounts, sendDisplacements, recvBuffer, recvCounts,
                    recvDisplacements, type);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void gather(MemorySegment sendBuffer, MemorySegment recvBuffer, long sendCount, DataType type, int root) {
        user.enterLaunch("gather");
        try {
            launches.calls().gather(sendBuffer, recvBuffer, sendCount, type, root);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void scatter(MemorySegment sendBuffer, MemorySegment recvBuffer, long recvCount, DataType type, int root) {
        user.enterLaunch("scatter");
        try {
            launches.calls().scatter(sendBuffer, recvBuffer, recvCount, type, root);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void sendRecv(MemorySegment sendBuffer, int sendPeer, MemorySegment recvBuffer, int recvPeer) {
        user.enterLaunch("sendRecv");
        try {
            launches.check().peer("sendPeer", sendPeer);
            launches.check().peer("recvPeer", recvPeer);
            launches.calls().sendRecv(sendBuffer, sendPeer, recvBuffer, recvPeer);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void send(MemorySegment buffer, int peer) {
        user.enterLaunch("send");
        try {
            launches.check().peer("peer", peer);
            launches.calls().send(buffer, peer);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }

    @Override
    public void recv(MemorySegment buffer, int peer) {
        user.enterLaunch("recv");
        try {
            launches.check().peer("peer", peer);
            launches.calls().recv(buffer, peer);
            launches.launch();
        } finally {
            launches.endCall(user);
        }
    }
}
