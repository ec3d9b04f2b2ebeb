/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.StringJoiner;

/**
 * Gives each rank of a host CPUs of its own, as mpirun does: an equal share, or one in turn where there are more ranks
 * than CPUs. The scheduler places threads that spin well at first, but whenever another thread of a JVM wakes it may
 * move one to a CPU that has one already, and takes its time to move it back; all ranks wait for the two.
 */
public final class RankBinding {
    /**
     * Ranks that have one CPU each are bound from this many on: 16 on 16 CPUs went up to 40 times as fast then, while
     * two on two were slower over NET (48 to 96 µs, 15 unbound, with other work beside them), for the other threads of
     * a rank want that CPU, too.
     */
    private static final int MANY = 8;
    private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

    private RankBinding() {
    }

    /**
     * Binds the calling thread, and those that it starts, if the system lets it. A rank that is alone is left alone.
     *
     * @param localRank  its number among those of this host
     * @param localRanks how many there are
     * @param isDriver   whether it drives everything by itself; a rank with several busy threads is not bound to one
     *                   CPU
     */
    public static void bind(int localRank, int localRanks, boolean isDriver) {
        Platform platform = Platform.find();
        if (localRanks == 1 || !platform.whyNot().isEmpty()) {
            return;
        }
        try {
            BitSet cpus = platform.processCpus();
            if (isBound(cpus.cardinality(), localRanks, isDriver)) {
                platform.bindThread(share(cpus, localRank, localRanks));
            }
        } catch (ProxyException _) {
            // Then it is placed as any thread is; where it runs is in its line of the report.
        }
    }

    /**
     * Where the calling thread runs.
     *
     * @return for people; empty if it may run on all CPUs of this host
     */
    public static String describe() {
        Platform platform = Platform.find();
        if (!platform.whyNot().isEmpty()) {
            return "";
        }
        try {
            BitSet cpus = platform.threadCpus();
            String ranges = ranges(cpus);
            return ranges.equals(online()) ? "" : (cpus.cardinality() == 1 ? " on CPU " : " on CPUs ") + ranges;
        } catch (ProxyException _) {
            return "";
        }
    }

    static boolean isBound(int cpus, int localRanks, boolean isDriver) {
        boolean isOneEach = cpus / localRanks == 1;
        return isOneEach ? isDriver && (cpus > localRanks || localRanks >= MANY) : isDriver || cpus > localRanks;
    }

    static BitSet share(BitSet cpus, int localRank, int localRanks) {
        int count = cpus.cardinality();
        int each = Math.max(1, count / localRanks);
        BitSet share = new BitSet();
        cpus.stream().skip(localRank * (long) each % count).limit(each).forEach(share::set);
        return share;
    }

    /** As the system writes it: {@code 0-3 8}. */
    private static String ranges(BitSet cpus) {
        StringJoiner ranges = new StringJoiner(" ");
        for (int first = cpus.nextSetBit(0); first >= 0; first = cpus.nextSetBit(cpus.nextClearBit(first))) {
            int last = cpus.nextClearBit(first) - 1;
            ranges.add(first == last ? Integer.toString(first) : first + "-" + last);
        }
        return ranges.toString();
    }

    private static String online() {
        try {
            return Files.readString(ONLINE).strip().replace(',', ' ');
        } catch (IOException _) {
            return "";
        }
    }
}
