/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArenasTest {
    private static final int BYTES = 4 << 20;

    private final Arena arena = Arena.ofShared();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Test
    void shouldFreeAnArena() {
        Arenas.close(arena);
        assertFalse(arena.scope().isAlive());
        assertThrows(IllegalStateException.class, () -> Arenas.close(arena));
    }

    /** A write holds its memory until the pipe has taken all of it. */
    @Test
    void shouldWaitForACallThatHoldsTheMemory() throws Exception {
        Pipe pipe = Pipe.open();
        CompletableFuture<Void> writing = write(pipe);
        CompletableFuture<Void> draining = CompletableFuture.runAsync(() -> drain(pipe), threads);
        Arenas.close(arena);
        assertFalse(arena.scope().isAlive());
        writing.handle((_, _) -> null).join();
        pipe.sink().close();
        draining.join();
    }

    @Test
    void shouldRefuseWhereTheCallDoesNotEnd() throws Exception {
        Pipe pipe = Pipe.open();
        CompletableFuture<Void> writing = write(pipe);
        assertThrows(IllegalStateException.class, () -> Arenas.close(arena));
        assertTrue(arena.scope().isAlive());
        CompletableFuture<Void> draining = CompletableFuture.runAsync(() -> drain(pipe), threads);
        writing.join();
        Arenas.close(arena);
        pipe.sink().close();
        draining.join();
    }

    /** Returns once the write has begun: nothing is read of it yet. */
    private CompletableFuture<Void> write(Pipe pipe) throws IOException {
        ByteBuffer buffer = arena.allocate(BYTES).asByteBuffer();
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            try {
                while (buffer.hasRemaining()) {
                    pipe.sink().write(buffer);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, threads);
        pipe.source().read(ByteBuffer.allocate(1));
        return writing;
    }

    private static void drain(Pipe pipe) {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        try {
            while (pipe.source().read(bytes.clear()) >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
