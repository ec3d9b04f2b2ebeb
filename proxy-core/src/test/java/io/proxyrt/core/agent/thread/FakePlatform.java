/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Descriptors;
import io.proxyrt.core.platform.Futex;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** Notes what it is asked for, and refuses what it is told to refuse. */
final class FakePlatform implements Platform {
    final List<String> calls = new ArrayList<>();
    String whyNot = "";
    String processCpus = "0-7";
    String refused = "nothing";
    Error bug;
    private BitSet threadCpus;

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public String whyNot() {
        return whyNot;
    }

    @Override
    public Futex futex(MemorySegment word) {
        throw new AssertionError("no set-up needs a futex");
    }

    @Override
    public Optional<Runnable> processBarrier() {
        return Optional.empty();
    }

    @Override
    public BitSet processCpus() {
        return CpuList.parse(processCpus);
    }

    @Override
    public BitSet threadCpus() {
        return threadCpus == null ? processCpus() : threadCpus;
    }

    @Override
    public void bindThread(BitSet cpus) {
        call("bind " + CpuList.format(cpus));
        threadCpus = cpus;
    }

    @Override
    public void nameThread(String name) {
        call("name " + name);
    }

    @Override
    public void realtimePriority(int priority) {
        call("priority " + priority);
    }

    @Override
    public void timerSlack(long ns) {
        call("slack " + ns);
    }

    @Override
    public void timeSlice(long ns) {
        call("slice " + ns);
    }

    private void call(String call) {
        if (bug != null) {
            throw bug;
        }
        if (call.startsWith(refused)) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "EPERM for " + call);
        }
        calls.add(call);
    }

    @Override
    public Descriptors descriptors() {
        throw new UnsupportedOperationException("no test needs them");
    }
}
