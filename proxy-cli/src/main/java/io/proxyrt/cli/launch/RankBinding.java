/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.platform.Platform;
import java.util.BitSet;

/**
 * Keeps the threads of ranks that drive everything by themselves to a CPU each, in turn, where there are more ranks
 * than CPUs. The scheduler places them well at first, but whenever another thread of a JVM wakes it may move one to a
 * CPU that has two already, and takes its time to move one back.
 */
public final class RankBinding {
    private RankBinding() {
    }

    /**
     * Binds the calling thread, and those that it starts, if there are too few CPUs, and the system lets it.
     *
     * @param localRank  its number among those of this host
     * @param localRanks how many there are
     */
    public static void bind(int localRank, int localRanks) {
        Platform platform = Platform.find();
        if (!platform.whyNot().isEmpty()) {
            return;
        }
        try {
            BitSet cpus = platform.processCpus();
            if (cpus.cardinality() < localRanks) {
                platform.bindThread(only(cpus, localRank % cpus.cardinality()));
            }
        } catch (ProxyException _) {
            // Then it is placed as any thread is; where it runs is in its line of the report.
        }
    }

    /**
     * Where the calling thread runs.
     *
     * @return for people; empty if it may run on several CPUs
     */
    public static String describe() {
        Platform platform = Platform.find();
        if (!platform.whyNot().isEmpty()) {
            return "";
        }
        try {
            BitSet cpus = platform.threadCpus();
            return cpus.cardinality() == 1 ? " on CPU " + cpus.nextSetBit(0) : "";
        } catch (ProxyException _) {
            return "";
        }
    }

    private static BitSet only(BitSet cpus, int position) {
        BitSet one = new BitSet();
        one.set(cpus.stream().skip(position).findFirst().orElseThrow());
        return one;
    }
}
