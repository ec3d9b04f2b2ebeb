/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Messages from another process, eight requests in flight and tested in order, each with a buffer of its own. */
final class NetStreamRig {
    /** Requests in flight, and buffers. */
    static final int WINDOW = 8;
    /** However long that takes. */
    private static final long MIN_MESSAGES = 8;

    private NetStreamRig() {
    }

    static Measurements measure(RigArguments arguments) throws IOException {
        try (PeerJvm peer = PeerJvm.of("netstream", arguments.words());
                NetEnd end = new NetEnd(0, arguments, peer, WINDOW)) {
            return StreamRate.measure(arguments, (bytes, durationNs) -> run(peer, end, bytes, durationNs));
        }
    }

    /** Bytes a nanosecond. */
    private static double run(PeerJvm peer, NetEnd end, long bytes, long durationNs) {
        peer.tell("stream " + bytes + ' ' + StreamRate.sendingNs(durationNs));
        long[] requests = new long[WINDOW];
        for (int i = 0; i < WINDOW; i++) {
            requests[i] = end.irecv(i * bytes, bytes);
        }
        StreamRate rate = new StreamRate(durationNs);
        long number = 0;
        boolean isLast = false;
        while (!isLast) {
            int slot = (int) (number % WINDOW);
            end.awaitReceived(requests[slot]);
            isLast = StreamCheck.isLast(end.recvBuffer(), slot * bytes, number);
            if (!isLast) {
                requests[slot] = end.irecv(slot * bytes, bytes);
            }
            number++;
            rate.add(bytes);
        }
        for (int i = 0; i < WINDOW - 1; i++) {
            end.awaitReceived(requests[(int) ((number + i) % WINDOW)]);
        }
        StreamCheck.compare(peer.line(), checksum(end.recvBuffer(), bytes, number), bytes);
        return rate.perNs();
    }

    /** The other end of {@link #run}; returns the checksum of what was sent last. */
    static String stream(NetEnd end, long bytes, long durationNs) {
        StreamCheck.fill(end.sendBuffer().asSlice(0, WINDOW * bytes), 0);
        long[] requests = new long[WINDOW];
        long limit = System.nanoTime() + durationNs;
        long number = 0;
        boolean isLast = false;
        while (!isLast) {
            int slot = (int) (number % WINDOW);
            awaitSent(end, requests[slot]);
            isLast = number >= MIN_MESSAGES && System.nanoTime() - limit >= 0;
            StreamCheck.number(end.sendBuffer(), slot * bytes, number, isLast);
            requests[slot] = end.isend(slot * bytes, bytes);
            number++;
        }
        finish(end, requests, number);
        return checksum(end.sendBuffer(), bytes, number);
    }

    /** Empty messages for the receives that are posted beyond the last message. */
    private static void finish(NetEnd end, long[] requests, long number) {
        for (int i = 0; i < 2 * WINDOW - 1; i++) {
            int slot = (int) ((number + i) % WINDOW);
            awaitSent(end, requests[slot]);
            requests[slot] = i < WINDOW - 1 ? end.isend(0, 0) : 0;
        }
    }

    private static void awaitSent(NetEnd end, long request) {
        while (request != 0 && !end.isSent(request)) {
            Thread.onSpinWait();
        }
    }

    /** Of the buffers that were used, in their order. */
    private static String checksum(MemorySegment memory, long bytes, long messages) {
        int used = (int) Math.min(messages, WINDOW);
        return StreamCheck.checksum(memory.asSlice(0, used * bytes));
    }
}
