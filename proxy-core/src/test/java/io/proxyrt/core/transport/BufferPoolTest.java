/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.ForwardingMemory;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.transport.BufferPool.SlabSizes;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BufferPoolTest {
    private static final long UNIT = 128;
    private static final long SLAB = 4096;

    @TempDir
    private Path folder;
    private final HostDevice device = new HostDevice(0);
    private final List<DeviceMemory> made = new ArrayList<>();
    private Counters counters;
    private BufferPool pool;

    @BeforeEach
    void open() {
        counters = Counters.create(folder.resolve("counters"), "job", 0, 2);
        pool = pool(0);
    }

    @AfterEach
    void close() {
        pool.close();
        device.close();
        counters.close();
    }

    @Test
    void shouldPutPiecesOfManyOwnersSideBySide() {
        PooledBuffer first = pool.allocate(100, "a");
        PooledBuffer second = pool.allocate(UNIT + 1, "b");

        assertSame(first.memory(), second.memory());
        assertEquals(0, first.offset());
        assertEquals(UNIT, first.bytes());
        assertEquals(UNIT, second.offset());
        assertEquals(2 * UNIT, second.bytes());
        assertEquals(2 * UNIT, second.segment().byteSize());
        assertEquals(first.memory().segment().address() + UNIT, second.segment().address());
    }

    @Test
    void shouldUseAgainWhatWasFreed() {
        PooledBuffer first = pool.allocate(UNIT, "a");
        PooledBuffer second = pool.allocate(UNIT, "b");
        first.close();
        first.close();

        assertEquals(0, pool.allocate(UNIT, "c").offset());
        assertEquals(2 * UNIT, pool.allocate(UNIT, "d").offset());
        assertEquals(UNIT, second.offset());
        assertEquals(1, made.size());
    }

    @Test
    void shouldJoinFreeNeighbours() {
        List<PooledBuffer> all = new ArrayList<>();
        for (long i = 0; i < SLAB / UNIT; i++) {
            all.add(pool.allocate(UNIT, i));
        }
        for (int i : new int[] {3, 5, 4}) {
            all.get(i).close();
        }

        assertEquals(3 * UNIT, pool.allocate(3 * UNIT, "large").offset());
        assertEquals(1, made.size());
        assertEquals("", pool.audit());
    }

    @Test
    void shouldZeroWhatWasUsedBefore() {
        PooledBuffer keeps = pool.allocate(UNIT, "keeps the slab");
        PooledBuffer first = pool.allocate(2 * UNIT, "a");
        first.segment().fill((byte) 7);
        keeps.segment().fill((byte) 9);
        first.close();

        PooledBuffer again = pool.allocate(4 * UNIT, "b");

        assertEquals(first.offset(), again.offset());
        for (long i = 0; i < again.bytes(); i++) {
            assertEquals(0, again.segment().get(ValueLayout.JAVA_BYTE, i), "at " + i);
        }
        assertEquals(9, keeps.segment().get(ValueLayout.JAVA_BYTE, UNIT - 1));
    }

    @Test
    void shouldGrowWithWhatIsInUse() {
        for (int i = 0; i < 8 * SLAB / UNIT; i++) {
            pool.allocate(UNIT, i);
        }
        assertEquals(List.of(SLAB, SLAB, 2 * SLAB, 4 * SLAB),
                made.stream().map(memory -> memory.segment().byteSize()).toList());
        pool.allocate(UNIT, "more");
        assertEquals(4 * SLAB, made.getLast().segment().byteSize());
        assertEquals(12 * SLAB, pool.allocatedBytes());
        assertEquals(8 * SLAB + UNIT, pool.usedBytes());
        assertEquals("", pool.audit());
    }

    @Test
    void shouldGiveALargePieceASlabOfItsOwnWithoutWaste() {
        PooledBuffer large = pool.allocate(100 * SLAB, "large");
        assertEquals(100 * SLAB, large.memory().segment().byteSize());
        PooledBuffer odd = pool.allocate(3 * UNIT, "odd");
        assertEquals(4 * SLAB / (3 * UNIT) * 3 * UNIT, odd.memory().segment().byteSize());
    }

    @Test
    void shouldGiveASlabBackWithItsLastPiece() {
        PooledBuffer first = pool.allocate(UNIT, "a");
        PooledBuffer second = pool.allocate(UNIT, "b");
        first.close();
        assertSame(first.memory(), device.memory(first.memory().id()));
        second.close();

        assertEquals(0, pool.allocatedBytes());
        assertThrows(ProxyException.class, () -> device.memory(first.memory().id()));
        assertThrows(IllegalStateException.class, () -> first.segment().get(ValueLayout.JAVA_BYTE, 0));
        assertNotSame(first.memory(), pool.allocate(UNIT, "c").memory());
    }

    @Test
    void shouldKeepNoMoreIdleThanItMay() {
        pool = pool(2 * SLAB);
        List<PooledBuffer> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(pool.allocate(SLAB, i));
        }
        assertEquals(4 * SLAB, pool.allocatedBytes());
        all.forEach(PooledBuffer::close);

        assertEquals(2 * SLAB, pool.allocatedBytes());
        assertEquals(2 * SLAB, counters.get(Counter.MEMORY_IDLE));
        pool.trim();
        assertEquals(0, pool.allocatedBytes());
        assertEquals(0, counters.get(Counter.MEMORY_IDLE));
    }

    @Test
    void shouldNameWhoDidNotGiveBack() {
        pool.allocate(UNIT, "NET send connection 3 to rank 1");
        PooledBuffer other = pool.allocate(UNIT, "another");
        other.close();

        assertEquals("[128 bytes of NET send connection 3 to rank 1]", pool.used().toString());
        pool.close();
        assertEquals(0, pool.allocatedBytes());
        assertEquals(List.of(), pool.used());
        assertEquals(ProxyResult.INVALID_USAGE,
                assertThrows(ProxyException.class, () -> pool.allocate(UNIT, "late")).result());
    }

    @Test
    void shouldKeepASlabThatACallStillUsesAndGiveItBackLater() {
        boolean[] isBusy = {true};
        DeviceMemory memory = device.allocate(SLAB);
        BufferPool busy = new BufferPool("busy", bytes -> new BusyMemory(memory, isBusy),
                new SlabSizes(UNIT, SLAB, SLAB, 0), counters.memory());
        busy.allocate(UNIT, "a").close();
        assertEquals(SLAB, busy.allocatedBytes());
        assertEquals("", busy.audit());

        isBusy[0] = false;
        busy.trim();
        assertEquals(0, busy.allocatedBytes());
        assertThrows(ProxyException.class, () -> device.memory(memory.id()));
    }

    @Test
    void shouldTakeWhatThereIsWhereASlabIsTooLarge() {
        BufferPool tight = new BufferPool("tight", bytes -> {
            long taken = made.stream().filter(memory -> memory.segment().scope().isAlive())
                    .mapToLong(DeviceMemory::bytes).sum();
            if (taken + bytes > 6 * SLAB) {
                throw new ProxyException(ProxyResult.SYSTEM_ERROR, "no memory");
            }
            made.add(device.allocate(bytes));
            return made.getLast();
        }, new SlabSizes(UNIT, SLAB, 4 * SLAB, 4 * SLAB), counters.memory());
        PooledBuffer small = tight.allocate(UNIT, "small");
        tight.allocate(4 * SLAB, "large");

        assertEquals(SLAB - UNIT, tight.allocate(SLAB - UNIT, "rest").bytes());
        assertEquals(UNIT, tight.allocate(UNIT, "a slab of four would be too large").memory().bytes());
        small.close();
        assertEquals("", tight.audit());
        assertThrows(ProxyException.class, () -> tight.allocate(2 * SLAB, "more than there is"));
        assertEquals("", tight.audit());
        tight.close();
        assertEquals(0, counters.get(Counter.MEMORY_IDLE));
    }

    @Test
    void shouldTakeNothingWhereTheDeviceHasNone() {
        BufferPool none = new BufferPool("none", bytes -> {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "no memory");
        }, new SlabSizes(UNIT, SLAB, SLAB, 0), counters.memory());

        assertThrows(ProxyException.class, () -> none.allocate(UNIT, "a"));
        assertThrows(ProxyException.class, () -> none.allocate(0, "a"));
        assertEquals(0, none.allocatedBytes());
        assertEquals(0, counters.get(Counter.MEMORY_IDLE));
    }

    @Test
    void shouldNeverLoseOrShareAByte() {
        Random random = new Random(1);
        pool = pool(SLAB);
        List<PooledBuffer> all = new ArrayList<>();
        for (int i = 1; i < 20_000; i++) {
            if (all.isEmpty() || random.nextInt(100) < 52) {
                PooledBuffer buffer = pool.allocate(1 + random.nextLong(SLAB), i);
                assertEquals(0, buffer.segment().get(ValueLayout.JAVA_INT, 0));
                assertEquals(0, buffer.segment().get(ValueLayout.JAVA_INT, buffer.bytes() - 4));
                buffer.segment().set(ValueLayout.JAVA_INT, 0, i);
                buffer.segment().set(ValueLayout.JAVA_INT, buffer.bytes() - 4, i);
                all.add(buffer);
            } else {
                PooledBuffer buffer = all.remove(random.nextInt(all.size()));
                assertEquals(buffer.owner, buffer.segment().get(ValueLayout.JAVA_INT, 0));
                assertEquals(buffer.owner, buffer.segment().get(ValueLayout.JAVA_INT, buffer.bytes() - 4));
                buffer.close();
            }
            if (i % 1000 == 0) {
                assertEquals("", pool.audit());
                assertEquals(counters.get(Counter.MEMORY_IDLE), pool.allocatedBytes() - pool.usedBytes());
            }
        }
        all.forEach(PooledBuffer::close);
        assertTrue(pool.allocatedBytes() <= SLAB, pool.allocatedBytes() + " bytes are kept");
        assertEquals(0, pool.usedBytes());
        assertEquals("", pool.audit());
    }

    private BufferPool pool(long retainedBytes) {
        return new BufferPool("a pool", bytes -> {
            made.add(device.allocate(bytes));
            return made.getLast();
        }, new SlabSizes(UNIT, SLAB, 4 * SLAB, retainedBytes), counters.memory());
    }

    /** Memory whose last call takes its time. */
    private static final class BusyMemory extends ForwardingMemory {
        private final boolean[] isBusy;

        BusyMemory(DeviceMemory memory, boolean[] isBusy) {
            super(memory);
            this.isBusy = isBusy;
        }

        @Override
        public void close() {
            if (isBusy[0]) {
                throw new IllegalStateException("a call uses it");
            }
            super.close();
        }
    }
}
