/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.counters.MemoryShare;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.transport.ConnectionMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What memory connections of NET take, who sees it, and what becomes of it. */
class ConnectionMemoryTest {
    private static final long LL = 8 << 10;
    private static final long LL128 = 16 << 10;
    private static final long SIMPLE = 64 << 10;
    private static final long OWN = LL + LL128 + SIMPLE;

    @TempDir
    private Path folder;
    private final ManualNet net = new ManualNet();
    private final ProxyConfig config = ProxyConfig.builder().environment(Map.of())
            .set(CoreOptions.LL_BUFFER_BYTES, LL).set(CoreOptions.LL128_BUFFER_BYTES, LL128)
            .set(CoreOptions.BUFFER_BYTES, SIMPLE).set(NetOptions.SHARED_BUFFERS, 1)
            .set(NetOptions.P2P_CHUNK_BYTES, 1L << 10).build();
    private Counters counters;
    private TestProxy sender;
    private TestProxy receiver;
    private TestEnd first;
    private TestEnd second;

    @BeforeEach
    void connect() {
        counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
        sender = new TestProxy(0, config, net, counters);
        receiver = new TestProxy(1, config, net,
                Counters.create(folder.resolve("counters-1"), "test", 1, 2));
        first = connected(0, 0);
        second = connected(1, 0);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        counters.close();
        receiver.counters.close();
    }

    @Test
    void shouldPutControlWordsOfManyConnectionsSideBySide() {
        first.kernelEnd.sendMem().head(11);
        second.kernelEnd.sendMem().head(12);
        first.kernelEnd.recvMem().tail(13);
        second.kernelEnd.recvMem().tail(14);

        long stride = ConnectionMemory.CONTROL_BYTES / Long.BYTES;
        MemorySegment words = sender.device.memory(1).segment();
        assertEquals(11, words.getAtIndex(ValueLayout.JAVA_LONG, 0));
        assertEquals(12, words.getAtIndex(ValueLayout.JAVA_LONG, stride));
        assertEquals(13, words.getAtIndex(ValueLayout.JAVA_LONG, 16));
        assertEquals(14, words.getAtIndex(ValueLayout.JAVA_LONG, stride + 16));
    }

    @Test
    void shouldShowEachConnectionsBytesByProtocol() {
        TestEnd shared = connected(2, 1);
        try (CountersReader reader = CountersReader.open(folder.resolve("counters"))) {
            List<MemoryShare> shares = reader.memory();
            assertEquals(List.of(first.connection.id(), second.connection.id(), shared.connection.id(), 0L),
                    shares.stream().map(MemoryShare::connection).toList());
            for (MemoryShare share : shares.subList(0, 2)) {
                assertEquals("NET", share.transport());
                assertEquals(1, share.peer());
                assertEquals(Direction.SEND, share.direction());
                assertEquals(ConnectionMemory.CONTROL_BYTES, share.bytes(MemoryUse.CONTROL));
                assertEquals(LL, share.bytes(MemoryUse.LL));
                assertEquals(LL128, share.bytes(MemoryUse.LL128));
                assertEquals(SIMPLE, share.bytes(MemoryUse.SIMPLE));
            }
            assertEquals(ConnectionMemory.CONTROL_BYTES, shares.get(2).bytes(MemoryUse.CONTROL));
            assertEquals(0, shares.get(2).bytes(MemoryUse.SIMPLE));
            assertEquals(shared.kernelEnd.buffer(Protocol.SIMPLE).byteSize(),
                    shares.get(3).bytes(MemoryUse.SHARED_POOL));
        }
        assertEquals(2 * SIMPLE, counters.get(Counter.MEMORY_SIMPLE));
        assertEquals(3 * ConnectionMemory.CONTROL_BYTES, counters.get(Counter.MEMORY_CONTROL));
    }

    @Test
    void shouldAccountForEveryByte() {
        connected(2, 1);
        long used = 0;
        for (MemoryUse use : MemoryUse.values()) {
            used += counters.get(use.total());
        }
        assertEquals(used, sender.memory().usedBytes());
        assertEquals(sender.memory().allocatedBytes(), used + counters.get(Counter.MEMORY_IDLE));
        assertEquals("", sender.memory().audit());
    }

    @Test
    void shouldHoldNothingWhenAllConnectionsAreFree() {
        TestEnd shared = connected(2, 1);
        for (TestEnd end : List.of(first, second, shared)) {
            end.free();
        }
        assertEquals(0, sender.memory().usedBytes());
        assertEquals(0, counters.get(Counter.MEMORY_ACCOUNTS));
        assertEquals(0, counters.get(Counter.MEMORY_SHARED_POOL));
        assertEquals(List.of(), counters.memory().open());
        assertTrue(sender.memory().allocatedBytes() <= config.get(CoreOptions.IDLE_BUFFER_BYTES) + (64 << 10));
        sender.transport.close();
        assertEquals(0, sender.memory().allocatedBytes());
        assertEquals(0, counters.get(Counter.MEMORY_IDLE));
    }

    @Test
    void shouldGiveAConnectionNothingOfWhatAnEarlierOneLeft() {
        for (Protocol protocol : Protocol.values()) {
            second.kernelEnd.buffer(protocol).fill((byte) 5);
        }
        second.kernelEnd.recvMem().tail(99);
        long[] places = places(second.kernelEnd);
        second.free();
        TestEnd third = connected(2, 0);

        for (Protocol protocol : Protocol.values()) {
            assertEquals(places[protocol.ordinal()], places(third.kernelEnd)[protocol.ordinal()], "memory is reused");
            for (byte b : third.kernelEnd.buffer(protocol).toArray(ValueLayout.JAVA_BYTE)) {
                assertEquals(0, b);
            }
        }
        assertEquals(0, third.kernelEnd.recvMem().tail());
    }

    /** Registrations go with the connection, not with the slab, which stays: else one would be of another's memory. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRegisterAnewWhatIsUsedAnew(boolean isGlobal) {
        net.isRegistrationGlobal = isGlobal;
        TestEnd third = connected(2, 0);
        long[] places = places(third.kernelEnd);
        int registered = net.registered;
        int open = net.open;
        third.free();
        assertEquals(open - 2, net.open, "its comm and its registration are closed");
        TestEnd fourth = connected(3, 0);

        assertArrayEquals(places, places(fourth.kernelEnd));
        assertEquals(registered + 2, net.registered, "both ends are registered");
    }

    @Test
    void shouldOfferNothingToAKernelOfAConnectionThatIsFree() {
        first.free();

        assertTrue(first.kernelEnd.sendMem().head() + DeviceConnection.STEPS < 0, "no credit");
        assertTrue(first.kernelEnd.recvMem().tail() < 0, "no data");
    }

    @Test
    void shouldAccountForNothingThatFailed() {
        net.failure = "no route";
        TestEnd end = sender.end(Direction.SEND, 0, 1, 5, 0);
        TestEnd other = receiver.end(Direction.RECV, 1, 0, 5, 0);
        end.setUp();
        ByteBuffer info = other.setUp();
        assertThrows(ProxyException.class, () -> end.connect(info));
        end.free();

        assertEquals(2, counters.get(Counter.MEMORY_ACCOUNTS));
        assertEquals(2 * (OWN + ConnectionMemory.CONTROL_BYTES), sender.memory().usedBytes());
    }

    private TestEnd connected(int channel, int connIndex) {
        TestEnd send = sender.end(Direction.SEND, 0, 1, channel, connIndex);
        TestEnd.connect(send, receiver.end(Direction.RECV, 1, 0, channel, connIndex));
        return send;
    }

    private static long[] places(DeviceConnection connection) {
        long[] places = new long[Protocol.values().length];
        for (Protocol protocol : Protocol.values()) {
            places[protocol.ordinal()] = connection.buffer(protocol).address();
        }
        return places;
    }
}
