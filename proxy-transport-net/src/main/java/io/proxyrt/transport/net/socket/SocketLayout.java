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
 * socket is enough. A helper thread pays only with a processor of its own: without, it and the thread that waits for it
 * take turns, and throughput falls to a tenth. So the caller drives the sockets unless there are plenty of processors.
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
    private static final String AMAZON = "0x1d0f";
    private static final String GOOGLE = "0x1ae0";

    /**
     * What was asked for, within the limits; the rest by interface and processors.
     *
     * @param vendor     of the interface's device as sysfs writes it, empty if unknown
     * @param processors that this process may use
     */
    static SocketLayout of(Sharing wanted, String vendor, int processors) {
        int threads = wanted.threads() < 0 ? automaticThreads(vendor, processors)
                : limited(SocketOptions.THREADS, wanted.threads(), MAX_THREADS);
        int groups = Math.max(1, threads);
        int perGroup = wanted.socketsPerThread() < 0 ? automaticSockets(vendor, wanted.threads() > 0) / groups
                : limited(SocketOptions.SOCKETS_PER_THREAD, wanted.socketsPerThread(), MAX_SOCKETS / groups);
        int sockets = groups * Math.max(threads > 0 && wanted.socketsPerThread() < 0 ? 1 : 0, perGroup);
        boolean isOneForOne = threads == 0 && sockets <= 1;
        return new SocketLayout(isOneForOne ? 0 : sockets, Math.min(threads, sockets), why(wanted, vendor, processors));
    }

    @Override
    public String toString() {
        String carried = sockets == 0 ? "one socket" : sockets + " data sockets";
        return carried + (threads == 0 ? "" : " on " + threads + " threads") + " (" + why + ")";
    }

    private static int automaticThreads(String vendor, int processors) {
        int threads = switch (vendor) {
            case AMAZON -> 2;
            case GOOGLE -> 4;
            default -> 0;
        };
        return processors >= threads * PROCESSORS_PER_THREAD ? threads : 0;
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

    private static String why(Sharing wanted, String vendor, int processors) {
        return wanted.threads() >= 0 && wanted.socketsPerThread() >= 0 ? "as set"
                : "by vendor " + (vendor.isEmpty() ? "unknown" : vendor) + " and " + processors + " processors";
    }
}
