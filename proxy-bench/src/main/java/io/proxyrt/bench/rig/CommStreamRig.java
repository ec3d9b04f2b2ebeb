/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Messages of a communicator from another process, a window of them at a time. All come from one place and go to one
 * place, as those of the peers do.
 */
final class CommStreamRig {
    private static final long WINDOW_BYTES = 4 << 20;
    private static final int LEAST_WINDOW = 8;
    private static final int MOST_WINDOW = 64;
    private static final int WARM_UP_ROUNDS = 2;

    private final RigArguments arguments;

    CommStreamRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        List<Long> sizes = arguments.sizes();
        Measurements found = new Measurements();
        try (CommPeer peer = new CommPeer(arguments)) {
            long warmupNs = arguments.nanos("warmup") / sizes.size() / WARM_UP_ROUNDS;
            for (int i = 0; i < WARM_UP_ROUNDS; i++) {
                sizes.forEach(bytes -> run(peer, bytes, warmupNs));
            }
            for (long bytes : sizes) {
                found.add(Long.toString(bytes), "gbs", run(peer, bytes, arguments.nanos("seconds")));
            }
        }
        return found;
    }

    /** Bytes a nanosecond. */
    private static double run(CommPeer peer, long bytes, long durationNs) {
        peer.tell("stream " + bytes + ' ' + StreamRate.sendingNs(durationNs));
        MemorySegment message = peer.end().recvBuffer().asSlice(0, bytes);
        int window = window(bytes);
        StreamRate rate = new StreamRate(durationNs);
        boolean isLast = false;
        for (long number = 0; !isLast; number++) {
            for (int i = 0; i < window; i++) {
                peer.end().launchReceive(message);
            }
            peer.end().synchronize();
            isLast = StreamCheck.isLast(message, 0, number);
            rate.add(window * bytes);
        }
        StreamCheck.compare(peer.line(), StreamCheck.checksum(message), bytes);
        return rate.perNs();
    }

    /** The other end of {@link #run}; returns the checksum of what was sent last. */
    static String stream(CommEnd end, long bytes, long durationNs) {
        MemorySegment message = end.sendBuffer().asSlice(0, bytes);
        StreamCheck.fill(message);
        int window = window(bytes);
        long limit = System.nanoTime() + durationNs;
        boolean isLast = false;
        for (long number = 0; !isLast; number++) {
            isLast = number > 0 && System.nanoTime() - limit >= 0;
            StreamCheck.number(message, 0, number, isLast);
            for (int i = 0; i < window; i++) {
                end.launchSend(message);
            }
            end.synchronize();
        }
        return StreamCheck.checksum(message);
    }

    private static int window(long bytes) {
        return Math.clamp(WINDOW_BYTES / bytes, LEAST_WINDOW, MOST_WINDOW);
    }
}
