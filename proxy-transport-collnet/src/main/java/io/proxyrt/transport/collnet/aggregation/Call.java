/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.wire.CallHeader;
import java.nio.ByteBuffer;

/** What is called. Used again for other calls. */
final class Call {
    private final CollNetWindow window = new CollNetWindow();
    private CollFunction function = CollFunction.ALL_REDUCE;
    private DataType type = DataType.INT8;
    private RedOp op = RedOp.SUM;
    private long seq;

    /** Takes a checked header's fields. */
    void set(ByteBuffer header) {
        function = CallHeader.function(header);
        type = CallHeader.type(header);
        op = CallHeader.op(header);
        seq = CallHeader.seq(header);
        window.set(CallHeader.bytesPerRank(header), CallHeader.windowOffset(header), CallHeader.windowBytes(header));
    }

    void set(Call other) {
        function = other.function;
        type = other.type;
        op = other.op;
        seq = other.seq;
        window.set(other.window.bytesPerRank(), other.window.offset(), other.window.bytes());
    }

    void put(ByteBuffer header, long payloadBytes) {
        CallHeader.put(header, function, type, op, seq, window, payloadBytes);
    }

    long seq() {
        return seq;
    }

    DataType type() {
        return type;
    }

    RedOp op() {
        return op;
    }

    boolean isGather() {
        return function == CollFunction.ALL_GATHER;
    }

    boolean isScatter() {
        return function == CollFunction.REDUCE_SCATTER;
    }

    /** How much of a rank's part the window has. */
    long part(int rank) {
        return window.length(rank);
    }

    /** What comes from a connection with these ranks behind it. */
    long bytesUp(int[] ranks) {
        return isGather() ? parts(ranks) : window.bytes();
    }

    /** What goes to it. */
    long bytesDown(int[] ranks) {
        return isScatter() ? parts(ranks) : window.bytes();
    }

    private long parts(int[] ranks) {
        long bytes = 0;
        for (int rank : ranks) {
            bytes += window.length(rank);
        }
        return bytes;
    }
}
