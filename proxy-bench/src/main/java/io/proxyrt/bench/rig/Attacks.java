/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.service.BlockingClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.Random;

/** What unauthenticated peers do to a service, one attack after the other. */
final class Attacks implements AutoCloseable {
    /** As many as a service lets wait by default, so that one more costs one of them its place. */
    private static final int HALF_OPEN = 128;
    private static final int GARBAGE_BYTES = 96;
    private static final byte[] HALF_A_HELLO = "PRXRPC".getBytes(StandardCharsets.US_ASCII);

    private final SocketAddress service;
    private final EchoAgent guesser;
    private final Queue<SocketChannel> halfOpen = new ArrayDeque<>();
    private final Random random = new Random(1);
    private long count;

    Attacks(SocketAddress service) {
        this.service = service;
        this.guesser = new EchoAgent(new Rank(7, JobSecret.random(), Map.of()));
    }

    /** Attacks so far. */
    long count() {
        return count;
    }

    void next() throws IOException {
        switch ((int) (count++ % 5)) {
            case 0 -> SocketChannel.open(service).close();
            case 1 -> sendGarbage();
            case 2 -> leaveHalfOpen(new byte[0]);
            case 3 -> leaveHalfOpen(HALF_A_HELLO);
            default -> guessTheSecret();
        }
    }

    private void sendGarbage() throws IOException {
        byte[] garbage = new byte[GARBAGE_BYTES];
        random.nextBytes(garbage);
        try (SocketChannel channel = SocketChannel.open(service)) {
            channel.write(ByteBuffer.wrap(garbage));
        }
    }

    private void leaveHalfOpen(byte[] hello) throws IOException {
        SocketChannel channel = SocketChannel.open(service);
        halfOpen.add(channel);
        if (hello.length > 0) {
            channel.write(ByteBuffer.wrap(hello));
        }
        if (halfOpen.size() > HALF_OPEN) {
            halfOpen.remove().close();
        }
    }

    private void guessTheSecret() {
        try (BlockingClient client = guesser.connectBlocking(service)) {
            throw new IllegalStateException("the service took a wrong secret: " + client);
        } catch (ProxyException e) {
            if (e.result() != ProxyResult.INVALID_USAGE) {
                throw e;
            }
        }
    }

    /** Gives back what was left half-open. */
    void rest() {
        try {
            while (!halfOpen.isEmpty()) {
                halfOpen.remove().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        rest();
        guesser.onClose();
    }
}
