/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.platform.CpuQuota;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.progress.PeerProcess;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Who shares the CPUs of a host, as {@link ThreadingMode#AUTO} and waits need to know. Ranks tell each other, by {@link
 * #told} and {@link #of}, before they have a runtime, so that all of a host count the same.
 *
 * @param cpus       that the ranks may use together: those of all their threads, whether each may use all or a share
 * @param ranks      of the job on this host, at least 1
 * @param others     runtimes of this user that are there besides, of other jobs; they count whether they do anything or
 *                   not
 * @param isRationed whether a control group's quota of CPU time is less than the CPUs: then waits that use it up have
 *                   all threads stopped for a part of each period
 */
public record HostLoad(int cpus, int ranks, int others, boolean isRationed) {
    private static final int HEAD_BYTES = Long.BYTES + Integer.BYTES + 1;

    /**
     * Checks the numbers.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for less than a CPU, a rank, or no other runtime
     */
    public HostLoad {
        if (cpus < 1 || ranks < 1 || others < 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    cpus + " CPUs, " + ranks + " ranks and " + others + " other runtimes of a host");
        }
    }

    /**
     * Seen by a rank that knows of no other of its job: all runtimes there count as others.
     *
     * @param config of its runtime to be
     * @return as of now
     * @throws ProxyException as of {@link #told}
     */
    public static HostLoad seen(ProxyConfig config) {
        return of(new byte[][] {told(config)}, 0);
    }

    /**
     * What a rank tells the others, whatever mode it is configured for. The CPUs are those that the calling thread may
     * use, as many as its control group's quota is worth at most. For AUTO it reads a folder and some files of
     * {@code /proc}, to count other runtimes.
     *
     * @param config of its runtime to be
     * @return for {@link #of}; a few bytes, more with more CPUs
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the configured folder is not this user's alone
     */
    public static byte[] told(ProxyConfig config) {
        int others = config.get(CoreOptions.THREADING) == ThreadingMode.AUTO ? others(config) : 0;
        BitSet cpus = ownCpus();
        double quota = CpuQuota.find();
        boolean isRationed = quota < cpus.cardinality();
        byte[] worth = first(cpus, Math.min(quota, Runtime.getRuntime().availableProcessors())).toByteArray();
        return ByteBuffer.allocate(HEAD_BYTES + worth.length).putLong(PeerProcess.own(config).hostHash())
                .putInt(others).put((byte) (isRationed ? 1 : 0)).put(worth).array();
    }

    /**
     * What all ranks told, seen from the host of one. A runtime that starts meanwhile is seen by some ranks only, and
     * counts for all.
     *
     * @param told by rank
     * @param rank whose host it is
     * @return the same for all ranks of a host
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if a rank told something else, naming it
     */
    public static HostLoad of(byte[][] told, int rank) {
        BitSet cpus = new BitSet();
        int ranks = 0;
        int others = 0;
        boolean isRationed = false;
        for (int each = 0; each < told.length; each++) {
            if (told[each].length < HEAD_BYTES) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, "rank " + each + " told " + told[each].length
                        + " bytes of its host: is it of another version?");
            }
            ByteBuffer one = ByteBuffer.wrap(told[each]);
            if (one.getLong() == ByteBuffer.wrap(told[rank]).getLong()) {
                ranks++;
                others = Math.max(others, one.getInt());
                isRationed |= one.get() != 0;
                cpus.or(BitSet.valueOf(one));
            }
        }
        return new HostLoad(cpus.cardinality(), ranks, others, isRationed);
    }

    /**
     * Whether ranks have to take turns on CPUs.
     *
     * @return true if there are more ranks than CPUs
     */
    public boolean isCrowded() {
        return ranks > cpus;
    }

    /** All runtimes. */
    int runtimes() {
        return ranks + others;
    }

    /** For people. */
    String owners() {
        return ranks + (ranks == 1 ? " rank" : " ranks")
                + (others == 0 ? "" : " and " + others + (others == 1 ? " other runtime" : " other runtimes"));
    }

    /** For people. */
    String cpusText() {
        return cpus + (cpus == 1 ? " CPU" : " CPUs");
    }

    /** When so many runtimes are there, the job's among them. Those that have not started, or ended, leave no gap. */
    HostLoad with(int alive) {
        return new HostLoad(cpus, ranks, Math.max(0, alive - ranks), isRationed);
    }

    private static int others(ProxyConfig config) {
        return (int) RuntimeDirectory.list(config).stream().filter(RuntimeDirectory.Entry::isAlive).count();
    }

    /** Every runtime asks, so a system that does not say is none to fail on. */
    private static BitSet ownCpus() {
        try {
            return Platform.find().threadCpus();
        } catch (ProxyException _) {
            BitSet cpus = new BitSet();
            cpus.set(0, Runtime.getRuntime().availableProcessors());
            return cpus;
        }
    }

    /** One at least. */
    private static BitSet first(BitSet cpus, double most) {
        BitSet first = new BitSet();
        cpus.stream().limit(Math.max(1, (long) most)).forEach(first::set);
        return first;
    }
}
