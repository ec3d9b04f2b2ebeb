/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.perf.DataPattern.Expected;
import io.proxyrt.collectives.Communicator;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The memory of one operation at one rank: filled before it, and looked at, element by element, after it. */
final class SoakBuffers implements AutoCloseable {
    private final int rank;
    private final int nRanks;
    private final GuardedBuffer send;
    private final GuardedBuffer recv;
    private final Map<String, DataPattern> patterns;

    SoakBuffers(Communicator comm, long maxBytes, DeviceBytes access, Map<String, DataPattern> patterns) {
        this.rank = comm.rank();
        this.nRanks = comm.nRanks();
        this.send = new GuardedBuffer(comm, maxBytes + SoakOp.MAX_OFFSET_BYTES, access);
        this.recv = new GuardedBuffer(comm, maxBytes + SoakOp.MAX_OFFSET_BYTES, access);
        this.patterns = patterns;
    }

    /** Patterns by type and reduction, which the memories of a rank share. */
    static Map<String, DataPattern> patterns() {
        return new HashMap<>();
    }

    /** Poisons the output and fills the input. */
    void prepare(SoakOp op) {
        recv.poison(op.recvOffset(), regionBytes(op));
        if (isInputRead(op)) {
            (op.isInPlace() ? recv : send).fill(input(op), pattern(op).input(rank), op.phase());
        }
    }

    MemorySegment input(SoakOp op) {
        Shape shape = op.shape(rank, nRanks);
        long bytes = shape.sendCount() * op.type().sizeBytes();
        return op.isInPlace() ? recv.slice(
                op.recvOffset() + shape.sendInPlaceOffset() * op.type().sizeBytes(), bytes)
                : send.slice(op.sendOffset(), bytes);
    }

    MemorySegment output(SoakOp op) {
        Shape shape = op.shape(rank, nRanks);
        long offset = op.isInPlace() ? shape.recvInPlaceOffset() * op.type().sizeBytes() : 0;
        return recv.slice(op.recvOffset() + offset, shape.recvCount() * op.type().sizeBytes());
    }

    /** What is wrong, for people; empty if nothing is. */
    String findWrong(SoakOp op) {
        long touched = recv.countTouched(op.recvOffset(), regionBytes(op));
        if (touched > 0) {
            return touched + " words around the output were overwritten";
        }
        if (!op.isInPlace() && isInputRead(op)) {
            String wrong = findWrong(op, send, new Expected("input", input(op), pattern(op).input(rank), op.phase()));
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        int source = op.collective().isRooted() ? op.peer() : Math.floorMod(rank - op.peer(), nRanks);
        return pattern(op).output(op.collective(), output(op), rank, source, op.phase(), op.count()).stream()
                .map(part -> findWrong(op, recv, part)).filter(wrong -> !wrong.isEmpty()).findFirst().orElse("");
    }

    @Override
    public void close() {
        send.close();
        recv.close();
    }

    private static String findWrong(SoakOp op, GuardedBuffer buffer, Expected part) {
        long count = buffer.countWrong(part);
        if (count == 0) {
            return "";
        }
        long first = buffer.firstWrong(part);
        return String.format(Locale.ROOT, "%d wrong elements in the %s, the first at %d: %x instead of %x", count,
                part.name(), first, buffer.bits(part.actual(), op.type(), first),
                part.values().bits(part.firstIndex() + first));
    }

    private boolean isInputRead(SoakOp op) {
        return op.collective().isReadAt(rank, op.peer());
    }

    private long regionBytes(SoakOp op) {
        Shape shape = op.shape(rank, nRanks);
        return (op.isInPlace() ? shape.inPlaceCount() : shape.recvCount())
                * op.type().sizeBytes();
    }

    private DataPattern pattern(SoakOp op) {
        return patterns.computeIfAbsent(op.type() + " " + op.op(),
                key -> new DataPattern(op.type(), op.op(), nRanks));
    }
}
