/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.spi.CollNetMemory;

/** A call of a comm, made once and used again and again: what is asked of the switch, and where data lie. */
final class SwitchCall {
    final CollNetWindow window = new CollNetWindow();
    CollFunction function;
    DataType type;
    RedOp op;
    /** Null for memory of another network. */
    SwitchMemory send;
    long sendOffset;
    /** What goes up; may be 0. */
    long sendBytes;
    /** Null for memory of another network. */
    SwitchMemory recv;
    long recvOffset;
    /** What comes down; may be 0. */
    long recvBytes;

    SwitchCall of(CollFunction newFunction, DataType newType, RedOp newOp) {
        function = newFunction;
        type = newType;
        op = newOp;
        return this;
    }

    SwitchCall window(long bytesPerRank, long offset, long bytes) {
        window.set(bytesPerRank, offset, bytes);
        return this;
    }

    SwitchCall sending(CollNetMemory memory, long offset, long bytes) {
        send = memory instanceof SwitchMemory registered ? registered : null;
        sendOffset = offset;
        sendBytes = bytes;
        return this;
    }

    SwitchCall receiving(CollNetMemory memory, long offset, long bytes) {
        recv = memory instanceof SwitchMemory registered ? registered : null;
        recvOffset = offset;
        recvBytes = bytes;
        return this;
    }
}
