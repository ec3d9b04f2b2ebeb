/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.platform.Platform;
import java.util.BitSet;
import java.util.Map;

/** Keeps the ends of a round trip on the first two CPUs of the process, as the peers in C do; or leaves them alone. */
final class Pinning {
    private final Platform platform;
    private final int first;
    private final int second;

    Pinning(boolean isWanted, Platform platform) {
        BitSet cpus = isWanted ? platform.processCpus() : new BitSet();
        this.platform = platform;
        this.first = cpus.nextSetBit(0);
        this.second = first < 0 ? -1 : cpus.nextSetBit(first + 1);
    }

    /** What puts the service's thread on the second CPU. */
    Map<String, String> ofService() {
        return second < 0 ? Map.of() : Map.of("proxyrt.cpuset", Integer.toString(second));
    }

    /** Puts the calling thread on the first CPU, and with it those that it starts from now on. */
    void pinCaller() {
        pin(first);
    }

    /** Puts the calling thread, the other end in a process of its own, on the second CPU. */
    void pinPeer() {
        pin(second);
    }

    private void pin(int number) {
        if (second >= 0) {
            BitSet cpu = new BitSet();
            cpu.set(number);
            platform.bindThread(cpu);
        }
    }
}
