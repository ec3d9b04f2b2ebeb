/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryAccountsTest {
    @TempDir
    private Path folder;
    private Counters counters;
    private CountersReader reader;

    @BeforeEach
    void open() {
        counters = Counters.create(folder.resolve("counters"), "job", 0, 2);
        reader = CountersReader.open(folder.resolve("counters"));
    }

    @AfterEach
    void close() {
        reader.close();
        counters.close();
    }

    @Test
    void shouldShowWhatAConnectionHas() {
        MemoryAccount account = account(7);
        account.add(MemoryUse.SIMPLE, 1000);
        account.add(MemoryUse.LL, 30);
        account.add(MemoryUse.SIMPLE, -200);

        counters.memory().open("A longer name", 8, 4, Direction.SEND);

        List<MemoryShare> shares = reader.memory();
        assertEquals(2, shares.size());
        assertEquals(Direction.SEND, shares.getLast().direction());
        assertEquals("A longer", shares.getLast().transport());
        MemoryShare share = shares.getFirst();
        assertEquals("NET", share.transport());
        assertEquals(7, share.connection());
        assertEquals(3, share.peer());
        assertEquals(Direction.RECV, share.direction());
        assertEquals(800, share.bytes(MemoryUse.SIMPLE));
        assertEquals(30, share.bytes(MemoryUse.LL));
        assertEquals(0, share.bytes(MemoryUse.LL128));
        assertEquals(800, account.bytes(MemoryUse.SIMPLE));
        assertEquals("NET recv connection 7 from rank 3", account.toString());
    }

    @Test
    void shouldForgetWhatWasClosed() {
        MemoryAccount account = account(7);
        account.add(MemoryUse.CONTROL, 384);
        account.close();
        account.add(MemoryUse.CONTROL, 384);
        account.close();

        assertEquals(List.of(), reader.memory());
        assertEquals(0, total(MemoryUse.CONTROL));
        assertEquals(0, counters.get(Counter.MEMORY_ACCOUNTS));
        assertEquals(List.of(), counters.memory().open());
    }

    @Test
    void shouldCountWhatTheTableHasNoRoomFor() {
        List<MemoryAccount> accounts = new ArrayList<>();
        for (int i = 1; i <= CountersDescriptor.ROWS + 2; i++) {
            accounts.add(account(i));
            accounts.getLast().add(MemoryUse.LL128, 10);
        }
        assertEquals(CountersDescriptor.ROWS, reader.memory().size());
        assertEquals(CountersDescriptor.ROWS + 2, counters.get(Counter.MEMORY_ACCOUNTS));
        assertEquals(10L * accounts.size(), total(MemoryUse.LL128));

        accounts.getFirst().close();

        MemoryShare moved = reader.memory().getFirst();
        assertEquals(CountersDescriptor.ROWS + 1, moved.connection());
        assertEquals(10, moved.bytes(MemoryUse.LL128));
        assertEquals(CountersDescriptor.ROWS, reader.memory().size());
        accounts.forEach(MemoryAccount::close);
        assertEquals(0, total(MemoryUse.LL128));
        assertEquals(List.of(), reader.memory());
    }

    @Test
    void shouldGiveEverySumRightWhateverTheOrder() {
        Random random = new Random(6);
        List<MemoryAccount> open = new ArrayList<>();
        long[] expected = new long[MemoryUse.values().length];
        for (int i = 1; i < 20_000; i++) {
            if (open.isEmpty() || random.nextInt(5) < 2) {
                open.add(account(i));
            } else if (random.nextInt(3) == 0) {
                open.remove(random.nextInt(open.size())).close();
            } else {
                open.get(random.nextInt(open.size())).add(use(random), random.nextInt(1000));
            }
        }
        assertTrue(open.size() > CountersDescriptor.ROWS, "the table was never full");
        for (MemoryAccount account : open) {
            for (MemoryUse use : MemoryUse.values()) {
                expected[use.ordinal()] += account.bytes(use);
            }
        }
        for (MemoryUse use : MemoryUse.values()) {
            assertEquals(expected[use.ordinal()], total(use), use.label());
        }
        assertEquals(CountersDescriptor.ROWS, reader.memory().size());
        assertEquals(open.size(), counters.memory().open().size());
    }

    /** Both uses of each account always have the same amount: a torn row would show two. */
    @Test
    void shouldNeverShowHalfAChange() throws Exception {
        try (ExecutorService writers = Executors.newSingleThreadExecutor()) {
            Future<?> writing = writers.submit(() -> {
                for (int i = 1; i <= 20_000; i++) {
                    MemoryAccount account = account(i);
                    account.bytes[0] = i - 1;
                    account.bytes[1] = i;
                    account.add(MemoryUse.CONTROL, 1);
                    account.close();
                }
            });
            while (!writing.isDone()) {
                for (MemoryShare share : reader.memory()) {
                    if (share.bytes(MemoryUse.LL) != 0) {
                        assertEquals(share.connection(), share.bytes(MemoryUse.LL));
                        assertEquals(share.connection(), share.bytes(MemoryUse.CONTROL));
                    }
                }
            }
            writing.get();
        }
    }

    @Test
    void shouldPassOverARowWhoseWriterDied() throws Exception {
        account(7).add(MemoryUse.LL, 1);
        account(8).add(MemoryUse.LL, 1);
        byte[] bytes = Files.readAllBytes(folder.resolve("counters"));
        int row = (int) CountersDescriptor.rowOffset(Counter.values().length, 0);
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        file.putInt(row, file.getInt(row) + 1);
        Path left = folder.resolve("left");
        Files.write(left, bytes);

        try (CountersReader dead = CountersReader.open(left)) {
            assertEquals(List.of(8L), dead.memory().stream().map(MemoryShare::connection).toList());
        }
    }

    private MemoryAccount account(long connection) {
        return counters.memory().open("NET", connection, 3, Direction.RECV);
    }

    private long total(MemoryUse use) {
        return reader.value(use.total().ordinal());
    }

    private static MemoryUse use(Random random) {
        return MemoryUse.values()[random.nextInt(MemoryUse.values().length)];
    }
}
