/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.device.Copier;
import java.lang.foreign.MemorySegment;
import java.util.function.ObjLongConsumer;

/**
 * The JVM's copy or the C library's. A store into a line that another CPU has in its cache has to get the line first,
 * unless it is known that all of it will be overwritten. Some processors know it of the C library's copy and not of the
 * JVM's, which then takes four times as long; on others the two are level. So both are tried, on copies that are to be
 * made anyway, for each size and each connection, and again now and then.
 */
final class MeasuringCopier implements Copier {
    private static final int SMALLEST_BITS = Integer.numberOfTrailingZeros(LibraryCopier.SMALLEST);
    /** The last is for a megabyte and all above it. */
    private static final int SIZES = 9;

    private final LibraryCopier library;
    private final ObjLongConsumer<CopyTrial> onChange;
    /** By size, rounded down to a power of two. */
    private final CopyTrial[] trials = new CopyTrial[SIZES];
    private final CopyTrial ofBlocks = new CopyTrial();

    /** Tells which size got another winner. */
    MeasuringCopier(LibraryCopier library, ObjLongConsumer<CopyTrial> onChange) {
        this.library = library;
        this.onChange = onChange;
        for (int i = 0; i < SIZES; i++) {
            trials[i] = new CopyTrial();
        }
    }

    @Override
    public void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
        if (!LibraryCopier.takes(from, to, bytes)) {
            JVM.copy(from, fromOffset, to, toOffset, bytes);
            return;
        }
        CopyTrial trial = trials[size(bytes)];
        long begin = begin(trial);
        next(trial).copy(from, fromOffset, to, toOffset, bytes);
        end(trial, begin, bytes);
    }

    @Override
    public void copyBlock(MemorySegment array, MemorySegment to, long toOffset, int bytes) {
        if (bytes < LibraryCopier.SMALLEST) {
            JVM.copyBlock(array, to, toOffset, bytes);
            return;
        }
        long begin = begin(ofBlocks);
        next(ofBlocks).copyBlock(array, to, toOffset, bytes);
        end(ofBlocks, begin, bytes);
    }

    /** What the clock says; only a trial is worth a look at it. */
    private static long begin(CopyTrial trial) {
        return trial.isRunning() ? System.nanoTime() : 0;
    }

    private Copier next(CopyTrial trial) {
        return trial.isNextNative() ? library : JVM;
    }

    private void end(CopyTrial trial, long beginNs, long bytes) {
        if (!trial.isRunning()) {
            trial.skip();
        } else if (trial.took(System.nanoTime() - beginNs, bytes)) {
            onChange.accept(trial, bytes);
        }
    }

    private static int size(long bytes) {
        return Math.min(SIZES - 1, Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes) - SMALLEST_BITS);
    }
}
