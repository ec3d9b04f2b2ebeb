/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.device.HostKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;

/** Kernels at the ends of {@link DirectPair}s, which a test lets pass in any order. */
abstract class DirectKernelsFixture {
    private static final int MAX_TURNS = 10_000_000;

    final Arena arena = Arena.ofConfined();
    private final Random random = new Random(42);

    @AfterEach
    final void free() {
        arena.close();
    }

    static MessagesKernel sender(DirectPair pair, MemorySegment message) {
        MessagesKernel sender = new MessagesKernel();
        sender.begin();
        sender.add(Port.of(pair.send, true, 0), new MessagePart().of(message), pair.register(message), 0);
        return sender;
    }

    /** Offers no place. */
    static MessagesKernel receiver(DirectPair pair, MemorySegment to) {
        MessagesKernel receiver = new MessagesKernel();
        receiver.begin();
        receiver.add(Port.of(pair.recv, false, 0), new MessagePart().of(to), false);
        return receiver;
    }

    static MessagesKernel receiver(DirectPair pair, MemorySegment to, long handle, long offset) {
        MessagesKernel receiver = new MessagesKernel();
        receiver.begin();
        receiver.add(Port.of(pair.recv, false, 0), new MessagePart().of(to), handle, offset);
        return receiver;
    }

    /** Passes in a random order, until all are done. */
    final void run(HostKernel... kernels) {
        int left = kernels.length;
        boolean[] isDone = new boolean[left];
        for (int turn = 0; left > 0; turn++) {
            assertTrue(turn < MAX_TURNS, "the kernels wait for each other");
            int i = random.nextInt(kernels.length);
            if (!isDone[i]) {
                kernels[i].doWork();
                isDone[i] = kernels[i].isDone();
                left -= isDone[i] ? 1 : 0;
            }
        }
    }

    final void fill(MemorySegment buffer) {
        for (long i = 0; i < buffer.byteSize(); i++) {
            buffer.set(JAVA_BYTE, i, (byte) random.nextInt());
        }
    }
}
