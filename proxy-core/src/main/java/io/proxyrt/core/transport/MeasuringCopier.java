/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.device.Copier;
import io.proxyrt.core.platform.NativeCopy;
import java.lang.foreign.MemorySegment;
import java.util.function.ObjLongConsumer;

/**
 * The JVM's copy or the C library's. A store into a line that another CPU has in its cache has to get the line first,
 * unless it is known that all of it will be overwritten. Some processors know it of the C library's copy and not of the
 * JVM's, which then takes four times as long; on others the two are level. So both are tried, on copies that are to be
 * made anyway, for each size and each connection, and again now and then.
 */
final class MeasuringCopier implements Copier {
    /** Smaller ones are the JVM's: a native call costs something. */
    static final int SMALLEST = 1 << 12;
    private static final int SMALLEST_BITS = Integer.numberOfTrailingZeros(SMALLEST);
    /** The last is for a megabyte and all above it. */
    private static final int SIZES = 9;

    private final NativeCopy library;
    /** By size, rounded down to a power of two; null if there is nothing to choose. */
    private final CopyTrial[] trials;
    private final CopyTrial ofBlocks;
    private final ObjLongConsumer<CopyTrial> onChange;

    private MeasuringCopier(NativeCopy library, CopyTrial[] trials, ObjLongConsumer<CopyTrial> onChange) {
        this.library = library;
        this.trials = trials;
        this.ofBlocks = trials == null ? null : new CopyTrial();
        this.onChange = onChange;
    }

    /** One that leaves nothing to the JVM but small copies. */
    static MeasuringCopier ofLibrary(NativeCopy library) {
        return new MeasuringCopier(library, null, null);
    }

    /** One that tries; tells which size got another winner. */
    static MeasuringCopier trying(NativeCopy library, ObjLongConsumer<CopyTrial> onChange) {
        CopyTrial[] trials = new CopyTrial[SIZES];
        for (int i = 0; i < SIZES; i++) {
            trials[i] = new CopyTrial();
        }
        return new MeasuringCopier(library, trials, onChange);
    }

    @Override
    public void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
        if (bytes < SMALLEST || !from.isNative() || !to.isNative()) {
            MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
        } else if (trials == null) {
            library.copy(from, fromOffset, to, toOffset, bytes);
        } else {
            CopyTrial trial = trials[size(bytes)];
            if (trial.isRunning()) {
                tryOut(trial, from, fromOffset, to, toOffset, bytes);
            } else {
                copy(trial.next(), from, fromOffset, to, toOffset, bytes);
            }
        }
    }

    @Override
    public void copyBlock(MemorySegment array, MemorySegment to, long toOffset, int bytes) {
        if (bytes < SMALLEST) {
            MemorySegment.copy(array, 0, to, toOffset, bytes);
        } else if (ofBlocks == null) {
            library.copyArray(array, to, toOffset, bytes);
        } else if (ofBlocks.isRunning()) {
            tryOut(ofBlocks, array, 0, to, toOffset, bytes);
        } else {
            copy(ofBlocks.next(), array, 0, to, toOffset, bytes);
        }
    }

    private void tryOut(CopyTrial trial, MemorySegment from, long fromOffset, MemorySegment to, long toOffset,
            long bytes) {
        boolean wasNative = trial.isNative();
        long begin = System.nanoTime();
        copy(trial.isNextNative(), from, fromOffset, to, toOffset, bytes);
        if (trial.took(System.nanoTime() - begin, bytes) && trial.isNative() != wasNative) {
            onChange.accept(trial, bytes);
        }
    }

    private void copy(boolean isNative, MemorySegment from, long fromOffset, MemorySegment to, long toOffset,
            long bytes) {
        if (!isNative) {
            MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
        } else if (from.isNative()) {
            library.copy(from, fromOffset, to, toOffset, bytes);
        } else {
            library.copyArray(from, to, toOffset, bytes);
        }
    }

    private static int size(long bytes) {
        return Math.min(SIZES - 1, Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes) - SMALLEST_BITS);
    }
}
