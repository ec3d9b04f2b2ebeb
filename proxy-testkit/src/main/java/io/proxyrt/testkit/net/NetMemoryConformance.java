/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.testkit.AvailableMemory;
import io.proxyrt.testkit.Extent;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only memory that is registered, alive and large enough is used; and none is allocated in steady traffic. */
abstract class NetMemoryConformance extends NetFailureConformance {
    private static final long HUGE_BYTES = (1L << 31) + 17;
    private static final long PATTERN_BYTES = 1_000_003;
    private static final int ROUNDS = 50;

    /**
     * Whether messages of more than two gigabytes are worth their time here; once for each network is enough.
     *
     * @return false to leave them out
     */
    protected boolean isHugeTested() {
        return true;
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldCarryMoreBytesThanAnIntCounts() {
        assumeTrue(isHugeTested(), "tested in another configuration");
        assumeTrue(sender.properties(0).maxP2pBytes() >= HUGE_BYTES, "the network's messages are shorter");
        long availableBytes = AvailableMemory.bytes();
        assumeTrue(availableBytes > 3 * HUGE_BYTES, () -> "takes " + (3 * HUGE_BYTES >> 20) + " MiB of memory, "
                + (availableBytes >> 20) + " MiB are free");
        try (Arena huge = Arena.ofShared();
                NetPair far = NetPair.connect(sender, receiver, patterned(huge), huge.allocate(HUGE_BYTES, 4096))) {
            far.exchange(0, 0, HUGE_BYTES);

            assertEquals(HUGE_BYTES, far.actual[0]);
            far.assertSame(0, 0, HUGE_BYTES);
        }
    }

    @Test
    void shouldRefuseRangesOutsideTheMemory() {
        NetPair.assertRefused(pair.send, pair.isend(MAX_BYTES - 9, 10));
        NetPair.assertRefused(pair.send, pair.isend(-1, 10));
        NetPair.assertRefused(pair.send, pair.isend(0, -1));
        NetPair.assertRefused(pair.send, pair.isend(1, Long.MAX_VALUE));
        NetPair.assertRefused(pair.send, pair.isend(Long.MAX_VALUE, 1));
        NetPair.assertRefused(pair.recv, pair.irecv(MAX_BYTES, 1));
        NetPair.assertRefused(pair.recv, pair.irecv(Long.MIN_VALUE, 1));
        NetPair.assertRefused(pair.recv, pair.irecv(0, Long.MIN_VALUE));
        pair.exchange(MAX_BYTES - 10, MAX_BYTES - 10, 10);
        pair.exchange(MAX_BYTES, MAX_BYTES, 0);
    }

    @Test
    void shouldRefuseMemoryItCannotReach() {
        assertUnregistrable(() -> pair.send.regMr(MemorySegment.ofArray(new byte[10])));
        assertUnregistrable(() -> pair.recv.regMr(MemorySegment.ofArray(new byte[10])));
        assertUnregistrable(() -> pair.recv.regMr(pair.target.asReadOnly()));
    }

    @Test
    void shouldRefuseMemoryThatIsNotRegistered() {
        NetMemory closed = pair.send.regMr(pair.source);
        closed.close();
        NetPair.assertRefused(pair.send, pair.send.isend(closed, 0, 10, NetPair.TAG));
        NetPair.assertRefused(pair.send, pair.send.isend(new ForeignMemory(pair.source), 0, 10, NetPair.TAG));
        NetPair.assertRefused(pair.send, pair.send.isend(null, 0, 10, NetPair.TAG));
        NetPair.assertRefused(pair.recv, pair.recv.irecv(1, new NetMemory[] {new ForeignMemory(pair.target)},
                new long[1], new long[1], new int[1]));
        pair.exchange(0, 0, 10);
    }

    @Test
    void shouldRefuseMemoryThatWasFreed() {
        Arena freed = Arena.ofShared();
        NetMemory memory = pair.send.regMr(freed.allocate(100));
        MemorySegment segment = freed.allocate(100);
        freed.close();

        NetPair.assertRefused(pair.send, pair.send.isend(memory, 0, 10, NetPair.TAG));
        assertUnregistrable(() -> pair.send.regMr(segment));
        memory.close();
        pair.exchange(0, 0, 10);
    }

    /** Memory that a device writes to may have taken the message all the same; but nothing is thrown. */
    @Test
    void shouldTellRatherThanThrowThatMemoryWasFreedUnderAMessage() {
        Arena freed = Arena.ofShared();
        NetMemory memory = pair.recv.regMr(freeable(freed, 100_000));
        long request = pair.recv.irecv(1, new NetMemory[] {memory}, new long[1], new long[] {100_000},
                new int[] {NetPair.TAG});
        freed.close();
        int result = pair.awaitReceive(request, pair.isend(0, 100_000));

        assertTrue(result == 1 || !pair.recv.failure().isEmpty(), "result " + result);
    }

    /** Memory of that owner; where it may be written to all the same, it stays allocated when the owner is closed. */
    @SuppressWarnings("restricted")
    private MemorySegment freeable(Arena owner, long bytes) {
        return mayDo(NetLeeway.FREED_MEMORY) ? arena.allocate(bytes).reinterpret(owner, null) : owner.allocate(bytes);
    }

    @Test
    void shouldCarryAnEmptyMessageOfEmptyMemory() {
        NetMemory nothing = pair.send.regMr(pair.source.asSlice(0, 0));
        long receiving = pair.irecv(0, 10);
        pair.finish(pair.isend(nothing, 0, 0, NetPair.TAG), receiving);

        assertSize(0, 10, 0);
        NetPair.assertRefused(pair.send, pair.send.isend(nothing, 0, 1, NetPair.TAG));
        nothing.close();
    }

    @Test
    void shouldRegisterTheSameMemoryMoreThanOnce() {
        NetMemory whole = pair.send.regMr(pair.source);
        NetMemory part = pair.send.regMr(pair.source.asSlice(100, 1000));
        assertSame(pair.source, whole.segment());
        whole.close();
        whole.close();
        long receiving = pair.irecv(0, 500);
        pair.finish(pair.isend(part, 7, 500, NetPair.TAG), receiving);
        part.close();

        pair.assertSame(107, 0, 500);
        pair.exchange(0, 0, 10);
    }

    @Test
    void shouldRegisterAsMuchAsThereIsToSend() {
        NetMemory[] memories = new NetMemory[1000];
        for (int i = 0; i < memories.length; i++) {
            memories[i] = pair.send.regMr(pair.source.asSlice(i * 1000, 1000));
        }
        for (int i = 0; i < memories.length; i += 99) {
            long receiving = pair.irecv(i * 1000, 1000);
            pair.finish(pair.isend(memories[i], 0, 1000, NetPair.TAG), receiving);
            pair.assertSame(i * 1000, i * 1000, 1000);
        }
        for (NetMemory memory : memories) {
            memory.close();
        }
        pair.exchange(0, 0, 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 100_000})
    void shouldAllocateNothingPerMessage(int bytes) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemoryEnabled());
        int messages = bytes < 1000 ? 50_000 : 5000;
        exchange(messages / 2, bytes);
        long least = Long.MAX_VALUE;
        // The JVM now and then allocates on a thread's account; what messages take, they take in every round.
        for (int round = 0; round < ROUNDS && least >= messages / 10; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            exchange(messages, bytes);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }

        assertTrue(least < messages / 10, least + " bytes for " + messages + " messages");
    }

    private void exchange(int messages, int bytes) {
        for (int i = 0; i < messages; i++) {
            pair.exchange(0, 0, bytes);
        }
    }

    /** Of another network. */
    private record ForeignMemory(MemorySegment segment) implements NetMemory {
        @Override
        public void close() {
            // Nothing is registered.
        }
    }

    private static void assertUnregistrable(Runnable registration) {
        assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class, registration::run).result());
    }

    /** Of a period that no chunk of a network has. */
    private static MemorySegment patterned(Arena arena) {
        MemorySegment memory = arena.allocate(HUGE_BYTES, 4096);
        for (long i = 0; i < PATTERN_BYTES; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >> 8)));
        }
        for (long at = PATTERN_BYTES; at < HUGE_BYTES; at += PATTERN_BYTES) {
            MemorySegment.copy(memory, 0, memory, at, Math.min(PATTERN_BYTES, HUGE_BYTES - at));
        }
        return memory;
    }
}
