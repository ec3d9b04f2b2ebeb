/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.service.BlockingClient;
import io.proxyrt.core.service.message.MessageType;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/** Rank 1 that calls an {@link EchoAgent} elsewhere, one call at a time, on the calling thread. */
final class EchoCaller implements CallRig.Caller {
    static final int BODY_BYTES = 64;

    private final EchoAgent agent;
    private final BlockingClient client;
    private final ByteBuffer body = ByteBuffer.allocate(BODY_BYTES);
    private long calls;

    /** Gets ready before it asks where the service is, which may have yet to start. */
    EchoCaller(Rank rank, Supplier<SocketAddress> service) {
        agent = new EchoAgent(rank);
        client = agent.connectBlocking(service.get());
    }

    @Override
    public double run(long durationNs, Histogram took) {
        return run(durationNs, 0, took);
    }

    /** The same with pauses between calls. */
    double run(long durationNs, long pauseNs, Histogram took) {
        long end = System.nanoTime() + durationNs;
        long start = System.nanoTime();
        while (start - end < 0) {
            body.putLong(0, ++calls);
            ByteBuffer answer = client.call(MessageType.SETUP, 1, body, Rank.PATIENCE);
            took.recordValue(System.nanoTime() - start);
            check(answer, calls);
            if (pauseNs > 0) {
                LockSupport.parkNanos(pauseNs);
            }
            start = System.nanoTime();
        }
        return took.getValueAtPercentile(50);
    }

    static void check(ByteBuffer answer, long call) {
        if (answer.remaining() != BODY_BYTES || answer.getLong(answer.position()) != call) {
            throw new IllegalStateException("call " + call + " got another's answer: " + answer);
        }
    }

    @Override
    public void close() {
        client.close();
        agent.onClose();
    }
}
