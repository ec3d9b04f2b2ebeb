/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.progress.ProxySubArgs;

/** What the transport keeps with a sub, filled anew for each op. Progress thread. */
final class CollNetSub {
    CollNetResources resources;
    SendMem sendMem;
    RecvMem recvMem;
    /** Send: bytes that the kernel left, by slot. */
    final long[] sizes = new long[DeviceConnection.STEPS];

    /** For when it is the first of its op. */
    private CollNetOp op;
    /** For when it is the first of its group. */
    private CollNetGroup group;

    private CollNetSub() {
    }

    static CollNetSub of(ProxySubArgs sub) {
        return (CollNetSub) sub.attachment;
    }

    /** Of a sub that an op has just got. */
    static CollNetSub begin(ProxySubArgs sub) {
        if (!(sub.attachment instanceof CollNetSub)) {
            sub.attachment = new CollNetSub();
        }
        CollNetSub net = of(sub);
        net.resources = (CollNetResources) sub.connection.resources();
        net.sendMem = net.resources.sendMem;
        net.recvMem = net.resources.recvMem;
        return net;
    }

    /** Fixes where the op starts. */
    void place(ProxySubArgs sub) {
        sub.base = resources.step;
        sub.posted = 0;
        sub.received = 0;
        sub.transmitted = 0;
        sub.done = 0;
        resources.step += sub.nsteps;
    }

    CollNetOp op() {
        if (op == null) {
            op = new CollNetOp();
        }
        return op;
    }

    CollNetGroup group() {
        if (group == null) {
            group = new CollNetGroup();
        }
        return group;
    }
}
