/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.thread.CpuList;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * Gives each rank of a host CPUs of its own, as mpirun does: an equal share, or one in turn where there are more ranks
 * than CPUs. The scheduler places threads that spin well at first, but whenever another thread of a JVM wakes it may
 * move one to a CPU that has one already, and takes its time to move it back; all ranks wait for the two. Where the
 * system does not let it, threads are placed as any are; where a rank runs is in its line of the report.
 */
public final class RankBinding {
    /**
     * Ranks that have one CPU each are bound from this many on: 16 on 16 CPUs went up to 40 times as fast then, while
     * two on two were slower over NET (48 to 96 µs, 15 unbound, with other work beside them), for the other threads of
     * a rank want that CPU, too.
     */
    private static final int MANY = 8;
    private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

    private final BitSet cpus;
    private final int localRanks;

    private RankBinding(BitSet cpus, int localRanks) {
        this.cpus = cpus;
        this.localRanks = localRanks;
    }

    /**
     * Of no rank to any CPU.
     *
     * @return that does nothing
     */
    public static RankBinding none() {
        return new RankBinding(new BitSet(), 1);
    }

    /**
     * Of ranks to the CPUs that this process may use now, if that helps.
     *
     * @param localRanks how many there are on this host
     * @param isDriver   whether each drives everything by itself; one with several busy threads is not bound to one CPU
     * @return to be asked once for each rank
     */
    public static RankBinding of(int localRanks, boolean isDriver) {
        Platform platform = Platform.find();
        if (!platform.whyNot().isEmpty()) {
            return none();
        }
        try {
            BitSet cpus = platform.processCpus();
            return isWorthIt(cpus.cardinality(), localRanks, isDriver) ? new RankBinding(cpus, localRanks) : none();
        } catch (ProxyException _) {
            return none();
        }
    }

    /**
     * Binds the calling thread, and the threads and processes that it starts from here on.
     *
     * @param localRank its number among those of this host
     */
    public void bind(int localRank) {
        bind(share(cpus, localRank, localRanks));
    }

    /** Lets the calling thread run on all CPUs again. */
    public void release() {
        bind(cpus);
    }

    private static void bind(BitSet to) {
        try {
            if (!to.isEmpty()) {
                Platform.find().bindThread(to);
            }
        } catch (ProxyException _) {
            // As any thread, then.
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
            String list = CpuList.format(cpus);
            return list.equals(online()) ? "" : (cpus.cardinality() == 1 ? " on CPU " : " on CPUs ") + list;
        } catch (ProxyException _) {
            return "";
        }
    }

    static boolean isWorthIt(int cpus, int localRanks, boolean isDriver) {
        if (cpus / localRanks > 1) {
            return localRanks > 1;
        }
        return isDriver && (cpus != localRanks || localRanks >= MANY);
    }

    static BitSet share(BitSet cpus, int localRank, int localRanks) {
        int each = Math.max(1, cpus.cardinality() / localRanks);
        BitSet share = new BitSet();
        cpus.stream().skip(localRank * (long) each % Math.max(1, cpus.cardinality())).limit(each).forEach(share::set);
        return share;
    }

    private static String online() {
        try {
            return Files.readString(ONLINE).strip();
        } catch (IOException _) {
            return "";
        }
    }
}
