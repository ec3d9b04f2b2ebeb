/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.UserRedOp;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Optional;

/** Stands for a platform that is not there, or does not work here. */
record NoPlatform(String name, String whyNot) implements Platform {
    @Override
    public Futex futex(MemorySegment word) {
        throw refusal("futexes");
    }

    @Override
    public Optional<Runnable> processBarrier() {
        return Optional.empty();
    }

    @Override
    public BitSet processCpus() {
        throw refusal("CPU sets");
    }

    @Override
    public BitSet threadCpus() {
        throw refusal("CPU sets");
    }

    @Override
    public void bindThread(BitSet cpus) {
        throw refusal("CPU sets");
    }

    @Override
    public void nameThread(String threadName) {
        throw refusal("thread names");
    }

    @Override
    public void realtimePriority(int priority) {
        throw refusal("real-time priorities");
    }

    @Override
    public void timerSlack(long ns) {
        throw refusal("timer slack");
    }

    @Override
    public void timeSlice(long ns) {
        throw refusal("time slices");
    }

    @Override
    public Descriptors descriptors() {
        throw refusal("file descriptors");
    }

    @Override
    public HostPages pages() {
        throw refusal("pages of memory");
    }

    @Override
    public UnixSockets unixSockets() {
        throw refusal("Unix sockets");
    }

    @Override
    public UserRedOp.Function reduction(MemorySegment function) {
        throw refusal("C functions");
    }

    @Override
    public Poller poller() {
        throw refusal("file descriptors");
    }

    private ProxyException refusal(String what) {
        return new ProxyException(ProxyResult.INVALID_USAGE, "no " + what + " without a platform: " + whyNot);
    }
}
