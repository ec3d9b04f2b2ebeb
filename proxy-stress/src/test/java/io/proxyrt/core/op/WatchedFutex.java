/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.platform.Descriptors;
import io.proxyrt.core.platform.Futex;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.Optional;

/** A platform whose only futex does not put anyone to sleep: it notes who would have slept, and who woke. */
final class WatchedFutex implements Platform, Futex {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final Optional<Runnable> barrier;
    private MemorySegment word;
    /** The consumer's. */
    private boolean hasSlept;
    /** The poster's. */
    private boolean wasWoken;

    /** With a barrier that the consumer makes posters pass, or, if it is empty, with posters that have fences. */
    WatchedFutex(Optional<Runnable> barrier) {
        this.barrier = barrier;
    }

    /** Whether the consumer would sleep; once both are done. */
    boolean hasSlept() {
        return hasSlept;
    }

    /** Whether it was woken; once both are done. */
    boolean wasWoken() {
        return wasWoken;
    }

    @Override
    public void await(int expected, long maxNs) {
        hasSlept = (int) INT.getAcquire(word, 0L) == expected;
    }

    @Override
    public void wake() {
        wasWoken = true;
    }

    @Override
    public Futex futex(MemorySegment futexWord) {
        word = futexWord;
        return this;
    }

    @Override
    public String name() {
        return "watched";
    }

    @Override
    public String whyNot() {
        return "";
    }

    @Override
    public Optional<Runnable> processBarrier() {
        return barrier;
    }

    @Override
    public BitSet processCpus() {
        throw new UnsupportedOperationException();
    }

    @Override
    public BitSet threadCpus() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void bindThread(BitSet cpus) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void nameThread(String threadName) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void realtimePriority(int priority) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void timerSlack(long ns) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void timeSlice(long ns) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Descriptors descriptors() {
        throw new UnsupportedOperationException();
    }
}
