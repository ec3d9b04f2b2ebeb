/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Descriptors;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.service.UdsClient;
import io.proxyrt.core.service.UdsHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.function.Executable;

/** Endpoints that the test's own thread drives. */
final class Rig implements AutoCloseable {
    static final Platform PLATFORM = Platform.find();
    static final Descriptors DESCRIPTORS = PLATFORM.descriptors();
    static final Duration PATIENCE = Duration.ofMinutes(2);
    static final byte[] SECRET = "the secret of this test's job".getBytes(java.nio.charset.StandardCharsets.UTF_8);

    private final SocketsKind kind;
    private final List<UdsService> services = new ArrayList<>();
    private final List<RawPeer> peers = new ArrayList<>();

    Rig(SocketsKind kind) {
        this.kind = kind;
    }

    static ProxyConfig config(SocketsKind kind, String... keysAndValues) {
        ProxyConfig.Builder builder = ProxyConfig.builder().properties(Map.of()).environment(Map.of());
        builder.set("uds.sockets", kind.name());
        for (int i = 0; i < keysAndValues.length; i += 2) {
            builder.set(keysAndValues[i], keysAndValues[i + 1]);
        }
        return builder.build();
    }

    UdsService open(int rank, UdsHandler handler, String... keysAndValues) {
        return open(rank, SECRET, handler, keysAndValues);
    }

    UdsService open(int rank, byte[] secret, UdsHandler handler, String... keysAndValues) {
        UdsService service = endpoint(kind, rank, secret, handler, keysAndValues);
        services.add(service);
        return service;
    }

    /** An endpoint that the test drives. */
    static UdsService endpoint(SocketsKind kind, int rank, byte[] secret, UdsHandler handler, String... options) {
        return (UdsService) new UdsSocketEndpointProvider().open(config(kind, options), new PeerId(rank, 100 + rank),
                JobSecret.of(secret), PLATFORM, handler);
    }

    UdsClient connect(UdsService from, UdsService to) {
        return from.connect(to.address(), PATIENCE, this::turn);
    }

    RawPeer raw(UdsService to) {
        RawPeer peer = new RawPeer(to.address(), this::turn);
        peers.add(peer);
        return peer;
    }

    /** A raw peer with an accepted session. */
    RawPeer rawAccepted(UdsService to, int rank) {
        RawPeer peer = raw(to);
        peer.shakeHands(rank, JobSecret.of(SECRET));
        return peer;
    }

    void turn() {
        services.forEach(UdsService::doWork);
    }

    void await(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            turn();
            if (!services.isEmpty()) {
                services.getFirst().park(TimeUnit.MILLISECONDS.toNanos(1));
            }
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                fail("nothing came of it within " + PATIENCE);
            }
        }
    }

    static ProxyException failure(Executable call) {
        return assertThrows(ProxyException.class, call);
    }

    static long openDescriptors() {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void write(OwnedFd fd, long value) {
        try (FileChannel channel = channel(fd)) {
            assertEquals(Long.BYTES, channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, value), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long read(OwnedFd fd) {
        try (FileChannel channel = channel(fd)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, Long.BYTES).getLong(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FileChannel channel(OwnedFd fd) throws IOException {
        return FileChannel.open(Path.of("/proc/self/fd/" + fd.number()), StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    @Override
    public void close() {
        peers.forEach(RawPeer::close);
        for (UdsService service : services) {
            service.onClose();
            assertEquals(0, service.peers());
        }
    }
}
