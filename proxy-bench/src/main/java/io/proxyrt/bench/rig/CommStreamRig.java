/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Messages of a communicator from another process, a window of them at a time: all from one place and to one place, or
 * apart, each of a window from and to a place of its own.
 */
final class CommStreamRig {
    private static final long WINDOW_BYTES = 4 << 20;
    private static final int LEAST_WINDOW = 8;
    private static final int MOST_WINDOW = 64;

    private CommStreamRig() {
    }

    /** What each end's buffers have to hold. */
    static long bufferBytes(RigArguments arguments) {
        return arguments.isTrue("apart") ? arguments.sizes().stream().mapToLong(bytes -> window(bytes) * bytes).max()
                .orElseThrow() : arguments.mostBytes();
    }

    static Measurements measure(RigArguments arguments) throws IOException {
        boolean isApart = arguments.isTrue("apart");
        try (PeerJvm peer = PeerJvm.of("commstream", arguments.words());
                CommEnd end = new CommEnd(0, arguments, peer)) {
            return StreamRate.measure(arguments, (bytes, durationNs) -> run(peer, end, isApart, bytes, durationNs));
        }
    }

    /** Bytes a nanosecond. */
    private static double run(PeerJvm peer, CommEnd end, boolean isApart, long bytes, long durationNs) {
        peer.tell("stream " + bytes + ' ' + StreamRate.sendingNs(durationNs));
        MemorySegment[] messages = messages(end.recvBuffer(), bytes, isApart);
        StreamRate rate = new StreamRate(durationNs);
        boolean isLast = false;
        for (long number = 0; !isLast; number++) {
            for (MemorySegment message : messages) {
                end.launchReceive(message);
            }
            end.synchronize();
            for (MemorySegment message : messages) {
                isLast = StreamCheck.isLast(message, 0, number);
            }
            rate.add(messages.length * bytes);
        }
        StreamCheck.compare(peer.line(), checksums(messages), bytes);
        return rate.perNs();
    }

    /** The other end of {@link #run}; returns the checksums of what was sent last. */
    static String stream(CommEnd end, boolean isApart, long bytes, long durationNs) {
        MemorySegment[] messages = messages(end.sendBuffer(), bytes, isApart);
        for (int i = 0; i < messages.length; i++) {
            StreamCheck.fill(messages[i], i);
        }
        long limit = System.nanoTime() + durationNs;
        boolean isLast = false;
        for (long number = 0; !isLast; number++) {
            isLast = number > 0 && System.nanoTime() - limit >= 0;
            for (MemorySegment message : messages) {
                StreamCheck.number(message, 0, number, isLast);
            }
            for (MemorySegment message : messages) {
                end.launchSend(message);
            }
            end.synchronize();
        }
        return checksums(messages);
    }

    /** A window of them. */
    private static MemorySegment[] messages(MemorySegment buffer, long bytes, boolean isApart) {
        MemorySegment[] messages = new MemorySegment[window(bytes)];
        for (int i = 0; i < messages.length; i++) {
            messages[i] = buffer.asSlice(isApart ? i * bytes : 0, bytes);
        }
        return messages;
    }

    private static String checksums(MemorySegment[] messages) {
        return Arrays.stream(messages).map(StreamCheck::checksum).distinct().collect(Collectors.joining(","));
    }

    private static int window(long bytes) {
        return Math.clamp(WINDOW_BYTES / bytes, LEAST_WINDOW, MOST_WINDOW);
    }
}
