/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Small all-reduces of one type and op, carried out as one: their inputs go into one buffer, which is all-reduced in
 * place, and then to where their outputs belong. NCCL's aggregation of tasks.
 */
public final class FusedKernel implements HostKernel {
    private final MemorySegment buffer;
    private final CollectiveWork work = new CollectiveWork(1);
    private CollectiveWork[] pieces = {};
    private int size;
    private long bytes;
    private HostKernel inner;
    private boolean isPacked;
    private boolean isUnpacked;

    /**
     * A kernel that was not prepared.
     *
     * @param buffer for all data of a launch
     */
    public FusedKernel(MemorySegment buffer) {
        this.buffer = buffer;
    }

    /** Begins to set the kernel up; the launching thread, before the launch. */
    public void begin() {
        size = 0;
        bytes = 0;
        isPacked = false;
        isUnpacked = false;
    }

    /**
     * Adds an all-reduce.
     *
     * @param piece as large as there is room; copied
     */
    public void add(CollectiveWork piece) {
        if (size == pieces.length) {
            int before = size;
            pieces = Arrays.copyOf(pieces, Math.max(8, 2 * before));
            Arrays.setAll(pieces, i -> i < before ? pieces[i] : new CollectiveWork(1));
        }
        piece.copyTo(pieces[size++]);
        bytes += piece.bytes();
        assert bytes <= buffer.byteSize() : bytes;
    }

    /** {@return the all-reduce that all pieces are} */
    public CollectiveWork work() {
        return work.function(CollFunction.ALL_REDUCE, pieces[0].type(), pieces[0].op(), 0)
                .buffers(buffer, buffer, bytes);
    }

    /**
     * Says by which kernel the buffer is all-reduced.
     *
     * @param kernel of this launch, prepared
     */
    public void by(HostKernel kernel) {
        inner = kernel;
    }

    @Override
    public int doWork() {
        if (isUnpacked) {
            return 0;
        }
        if (!isPacked) {
            pack();
            isPacked = true;
        }
        int moved = inner.doWork();
        if (inner.isDone()) {
            unpack();
            isUnpacked = true;
            moved++;
        }
        return moved;
    }

    private void pack() {
        long at = 0;
        for (int i = 0; i < size; i++) {
            MemorySegment.copy(pieces[i].sendBuffer(), 0, buffer, at, pieces[i].bytes());
            at += pieces[i].bytes();
        }
    }

    private void unpack() {
        long at = 0;
        for (int i = 0; i < size; i++) {
            MemorySegment.copy(buffer, at, pieces[i].recvBuffer(), 0, pieces[i].bytes());
            at += pieces[i].bytes();
        }
    }

    @Override
    public boolean isDone() {
        return isUnpacked;
    }

    @Override
    public ProxyException whyHopeless() {
        return isPacked && !isUnpacked ? inner.whyHopeless() : null;
    }

    @Override
    public String toString() {
        return size + " in one: " + inner;
    }

    @Override
    public void onRetired(boolean isDropped) {
        for (int i = 0; i < size; i++) {
            pieces[i].clear();
        }
        inner.onRetired(isDropped);
        isUnpacked = true;
    }
}
