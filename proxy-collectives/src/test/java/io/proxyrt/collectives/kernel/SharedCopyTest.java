/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages between registered memory, of which both ends copy a part. */
class SharedCopyTest extends DirectKernelsFixture {
    private static final long STEP_BYTES = DirectPair.SIMPLE_BYTES / DeviceConnection.STEPS;
    private static final long MARGIN = 100;

    /** A receiver that does nothing at first leaves the sender all but two steps that it has credits for. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 40})
    void shouldPutWhatTheReceiverIsTooBusyFor(int steps) {
        DirectPair pair = new DirectPair(arena);
        long bytes = steps * STEP_BYTES - 1;
        MemorySegment message = arena.allocate(bytes);
        MemorySegment memory = arena.allocate(bytes + 2 * MARGIN);
        long offered = pair.offer(memory);
        for (int round = 0; round < 5; round++) {
            fill(message);
            memory.fill((byte) 0);
            MessagesKernel sender = sender(pair, message);
            MessagesKernel receiver = receiver(pair, memory.asSlice(MARGIN, bytes), offered, MARGIN);
            receiver.doWork();
            for (int i = 0; i < steps; i++) {
                sender.doWork();
            }
            long left = Math.min(bytes, 2 * STEP_BYTES);
            long placed = Math.min(bytes, 8 * STEP_BYTES) - left;
            assertEquals(-1, arena.allocate(left).mismatch(memory.asSlice(MARGIN, left)), "nothing was left to it");
            assertEquals(-1, message.asSlice(left, placed).mismatch(memory.asSlice(MARGIN + left, placed)));
            run(sender, receiver);
            assertEquals(-1, message.mismatch(memory.asSlice(MARGIN, bytes)));
            assertEquals(0, memory.get(JAVA_BYTE, MARGIN - 1) | memory.get(JAVA_BYTE, MARGIN + bytes));
        }
    }

    @Test
    void shouldLeaveEverythingToAReceiverThatKeepsUp() {
        DirectPair pair = new DirectPair(arena);
        MemorySegment message = arena.allocate(20 * STEP_BYTES);
        MemorySegment memory = arena.allocate(message.byteSize());
        fill(message);
        MessagesKernel sender = sender(pair, message);
        MessagesKernel receiver = receiver(pair, memory, pair.offer(memory), 0);
        receiver.doWork();
        for (long done = 0; done < message.byteSize(); done += STEP_BYTES) {
            sender.doWork();
            assertEquals(-1, arena.allocate(STEP_BYTES).mismatch(memory.asSlice(done, STEP_BYTES)));
            receiver.doWork();
            assertEquals(-1, message.asSlice(done, STEP_BYTES).mismatch(memory.asSlice(done, STEP_BYTES)));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 100, 0", "3, 0, 0", "2, 1, 0", "2, -1, 0", "2, 9223372036854775807, 0", "0, 0, 0", "2, 0, -1",
            "2, 0, 1"})
    void shouldNotWriteBesideWhatAReceiverOffered(long handle, long offset, long more) {
        DirectPair pair = new DirectPair(arena);
        MemorySegment message = arena.allocate(10 * STEP_BYTES);
        fill(message);
        pair.register(message);
        MemorySegment memory = arena.allocate(message.byteSize());
        pair.offer(memory);
        new SendMem(pair.sendPage).offer(0, handle, offset, message.byteSize() + more);
        MessagesKernel sender = sender(pair, message);
        for (int i = 0; i < 10; i++) {
            sender.doWork();
        }
        assertEquals(-1, memory.mismatch(arena.allocate(memory.byteSize())), "something was written");
        run(sender, receiver(pair, memory));
        assertEquals(-1, message.mismatch(memory));
    }

    /** An offer of another message, whose receiver has its data by now. */
    @Test
    void shouldNotTakeAnOfferForAnotherMessage() {
        DirectPair pair = new DirectPair(arena);
        MemorySegment message = arena.allocate(DirectPair.SIMPLE_BYTES);
        MemorySegment first = arena.allocate(message.byteSize());
        MemorySegment second = arena.allocate(message.byteSize());
        fill(message);
        run(sender(pair, message), receiver(pair, first, pair.offer(first), 0));
        MemorySegment before = arena.allocate(message.byteSize()).copyFrom(first);
        fill(message);
        MessagesKernel sender = sender(pair, message);
        for (int i = 0; i < 8; i++) {
            sender.doWork();
        }
        run(sender, receiver(pair, second));
        assertEquals(-1, before.mismatch(first), "the message before was written to");
        assertEquals(-1, message.mismatch(second));
    }

    /** Who offered nothing has to say so, as of any other memory that is not there. */
    @Test
    void shouldNotBelieveASenderThatSaysItPutDataWithoutAnOffer() {
        DirectPair pair = new DirectPair(arena);
        RecvMem words = new RecvMem(pair.recvPage);
        words.directMode(0, RecvMem.MODE_PTR);
        words.directPlace(0, RecvMem.PLACED, 0);
        words.tail(1);
        HostStream stream = new HostStream("stream");
        stream.launch(receiver(pair, arena.allocate(100)));
        stream.doWork();
        assertEquals(ProxyResult.REMOTE_ERROR, stream.failure().result());
    }
}
