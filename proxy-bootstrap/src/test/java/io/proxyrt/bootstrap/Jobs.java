/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.function.Executable;

/** Jobs whose ranks are threads of this JVM. */
final class Jobs {
    /** Longer than anything here takes, on a busy machine too. */
    static final Duration LONG = Duration.ofMinutes(2);

    private Jobs() {
    }

    @FunctionalInterface
    interface RankTask<T> {
        T run(int rank) throws Exception;
    }

    @FunctionalInterface
    interface JoinedTask<T> {
        T run(Bootstrap bootstrap) throws Exception;
    }

    static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    static BootstrapRoot root(int nRanks) {
        return BootstrapRoot.open(loopback(), nRanks);
    }

    static BootstrapRoot root(int nRanks, BootstrapConfig config) {
        return BootstrapRoot.open(UniqueId.random(loopback()), nRanks, config);
    }

    /** Starts one thread for each rank. */
    static <T> List<CompletableFuture<T>> start(int nRanks, RankTask<T> task) {
        final List<CompletableFuture<T>> results = new ArrayList<>();
        for (int i = 0; i < nRanks; i++) {
            final int rank = i;
            results.add(start(() -> task.run(rank)));
        }
        return results;
    }

    static <T> CompletableFuture<T> start(Callable<T> task) {
        final CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("test-rank").start(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        return result;
    }

    /** The result within a deadline; rethrows a failure as it was. */
    static <T> T get(CompletableFuture<T> result) throws Exception {
        try {
            return result.get(LONG.toSeconds() * 2, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw (Error) e.getCause();
        } catch (TimeoutException e) {
            throw new AssertionError("a rank did not end", e);
        }
    }

    static <T> List<T> getAll(List<CompletableFuture<T>> results) throws Exception {
        final List<T> all = new ArrayList<>();
        for (final CompletableFuture<T> result : results) {
            all.add(get(result));
        }
        return all;
    }

    /** Joins this many ranks, runs the task in each, and closes all. */
    static <T> List<T> run(int nRanks, JoinedTask<T> task) throws Exception {
        try (BootstrapRoot root = root(nRanks)) {
            return getAll(start(nRanks, rank -> {
                try (Bootstrap bootstrap = Bootstrap.join(root.id(), rank, nRanks, LONG)) {
                    return task.run(bootstrap);
                }
            }));
        }
    }

    /** Joins this many ranks, which the caller closes. */
    static List<Bootstrap> join(BootstrapRoot root, int nRanks) throws Exception {
        return getAll(start(nRanks, rank -> Bootstrap.join(root.id(), rank, nRanks, LONG)));
    }

    /** The message of a frame that has this type and body. */
    static Message decode(int type, ByteBuffer body) {
        return MessageCodec.decode(ByteBuffer.allocate(BootstrapDescriptor.HEADER_BYTES + body.remaining())
                .putInt(body.remaining()).put(BootstrapDescriptor.VERSION).put((byte) type).putShort((short) 0)
                .put(body.duplicate()).flip());
    }

    /** A frame of these blobs, each with its length in front; of one that is none if they are not that. */
    static Message.Gathered gathered(long sequence, int first, byte... blobs) {
        final ByteBuffer bytes = ByteBuffer.wrap(blobs);
        int count = 0;
        while (bytes.remaining() >= Integer.BYTES) {
            final int length = bytes.getInt();
            bytes.position(bytes.position() + Math.clamp(length, 0, bytes.remaining()));
            count++;
        }
        return new Message.Gathered(sequence, first, count, ByteBuffer.wrap(blobs));
    }

    /** Runs into the failure of this kind, whose message has all these parts. */
    static ProxyException assertFails(ProxyResult result, Executable task, String... parts) {
        final ProxyException e = assertThrows(ProxyException.class, task);
        assertSays(e, result, parts);
        return e;
    }

    static void assertSays(ProxyException e, ProxyResult result, String... parts) {
        assertEquals(result, e.result(), e::getMessage);
        for (final String part : parts) {
            assertTrue(e.getMessage().contains(part), () -> "'" + e.getMessage() + "' says nothing of '" + part + "'");
        }
    }
}
