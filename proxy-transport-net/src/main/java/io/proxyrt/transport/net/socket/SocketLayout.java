/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static io.proxyrt.transport.net.socket.SocketChannels.LOG;

import io.proxyrt.core.config.Option;
import io.proxyrt.transport.net.SocketOptions;
import io.proxyrt.transport.net.socket.SocketSettings.Sharing;

/**
 * How many data sockets a connection has besides its control socket, and how many threads of each end drive them.
 *
 * <p>Automatic values are NCCL's as to sockets: the networks of two clouds limit what one flow may carry, elsewhere one
 * socket is enough. But one thread, the caller, moves no more than 4 to 5 GB/s through TCP, whatever the number of its
 * connections; so where the network is faster than that, each connection has a helper thread. A helper pays only with a
 * processor of its own: without, it and the thread that waits for it take turns, and throughput falls to a tenth. So
 * the caller drives the sockets unless there are plenty of processors.
 *
 * @param sockets 0 if the control socket carries everything
 * @param threads 0 if the caller drives them; never more than sockets
 * @param why     for people
 */
record SocketLayout(int sockets, int threads, String why) {
    static final int MAX_SOCKETS = 64;
    static final int MAX_THREADS = 16;
    /** Processors for each helper thread, below which there are none: its caller, a rank's other threads, its peers. */
    private static final int PROCESSORS_PER_THREAD = 4;
    /** Processors below which connections of a fast network have no helper: each rank has several, both ways. */
    private static final int PROCESSORS_OF_FAST = 16;
    private static final String AMAZON = "0x1d0f";
    private static final String GOOGLE = "0x1ae0";

    /**
     * What was asked for, within the limits; the rest by interface and processors.
     *
     * @param vendor     of the interface's device as sysfs writes it, empty if unknown
     * @param isFast     whether it carries more than one thread moves: loopback, or beyond 25 Gbit/s
     * @param processors that this process may use
     */
    static SocketLayout of(Sharing wanted, String vendor, boolean isFast, int processors) {
        int threads = wanted.threads() < 0 ? automaticThreads(vendor, isFast, processors)
                : limited(SocketOptions.THREADS, wanted.threads(), MAX_THREADS);
        int groups = Math.max(1, threads);
        int perGroup = wanted.socketsPerThread() < 0 ? automaticSockets(vendor, threads > 0) / groups
                : limited(SocketOptions.SOCKETS_PER_THREAD, wanted.socketsPerThread(), MAX_SOCKETS / groups);
        int sockets = groups * Math.max(threads > 0 && wanted.socketsPerThread() < 0 ? 1 : 0, perGroup);
        boolean isOneForOne = threads == 0 && sockets <= 1;
        return new SocketLayout(isOneForOne ? 0 : sockets, Math.min(threads, sockets), why(wanted, vendor, isFast,
                processors));
    }

    @Override
    public String toString() {
        String carried = sockets == 0 ? "one socket" : sockets + " data sockets";
        return carried + (threads == 0 ? "" : " on " + threads + " threads") + " (" + why + ")";
    }

    private static int automaticThreads(String vendor, boolean isFast, int processors) {
        return switch (vendor) {
            case AMAZON -> processors >= 2 * PROCESSORS_PER_THREAD ? 2 : 0;
            case GOOGLE -> processors >= 4 * PROCESSORS_PER_THREAD ? 4 : 0;
            default -> isFast && processors >= PROCESSORS_OF_FAST ? 1 : 0;
        };
    }

    private static int automaticSockets(String vendor, boolean hasThreads) {
        return switch (vendor) {
            case AMAZON -> 16;
            case GOOGLE -> 4;
            default -> hasThreads ? 1 : 0;
        };
    }

    private static int limited(Option<Integer> option, int wanted, int most) {
        if (wanted > most) {
            LOG.warn("{} is {}: {} is the most, and is used", option, wanted, most);
        }
        return Math.min(wanted, most);
    }

    private static String why(Sharing wanted, String vendor, boolean isFast, int processors) {
        return wanted.threads() >= 0 && wanted.socketsPerThread() >= 0 ? "as set"
                : "by vendor " + (vendor.isEmpty() ? "unknown" : vendor) + (isFast ? ", a fast network" : "") + " and "
                + processors + " processors";
    }
}
