/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.KernelAddresses;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.transport.net.ConnectMap.Bank;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a proxy tells of a connection's memory, and what of it a client believes. */
class ConnectMapTest {
    private static final long SIMPLE = 8192;

    private final HostDevice device = new HostDevice(0);
    private final DeviceMemory own = device.allocate(64 << 10);
    private final DeviceMemory pool = device.allocate(32 << 10);

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void shouldNameTheBankAndTheOffsetInAWord() {
        assertEquals(0x20000000, ConnectMap.word(Bank.HOST, 0));
        assertEquals(0x60001000, ConnectMap.word(Bank.DEVICE, 4096));
        assertEquals(0xa0000008, ConnectMap.word(Bank.SHARED_HOST, 8));
        assertEquals(0xffffffff, ConnectMap.word(Bank.SHARED_DEVICE, (1 << 29) - 1));
    }

    @Test
    void shouldRefuseAnOffsetThatHasNoRoomInAWord() {
        for (long offset : new long[] {-1, 1 << 29, 1L << 40}) {
            assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class,
                    () -> ConnectMap.word(Bank.HOST, offset)).result());
        }
    }

    @Test
    void shouldTellOfADedicatedConnectionWithAllProtocols() {
        ConnectMap map = dedicated();
        map.buffer(Protocol.LL, ConnectMap.word(Bank.HOST, 16384), 1024);
        map.buffer(Protocol.LL128, ConnectMap.word(Bank.HOST, 17408), 2048);
        DeviceConnection connection = sent(map).resolve(device);

        assertFalse(connection.isShared());
        assertEquals(128, connection.stepBytes(Protocol.LL));
        assertEquals(256, connection.stepBytes(Protocol.LL128));
        assertEquals(own.segment().address() + 17408, connection.buffer(Protocol.LL128).address());
        assertEquals(own.segment().address() + 24576, connection.buffer(Protocol.SIMPLE).address());
    }

    /** As segments on the host device; elsewhere they need not be. */
    @Test
    void shouldTellKernelsTheDevicesAddresses() {
        ConnectMap map = dedicated();
        map.buffer(Protocol.LL, ConnectMap.word(Bank.HOST, 16384), 1024);
        DeviceConnection connection = sent(map).resolve(device);
        KernelAddresses addresses = connection.addresses();

        long start = own.segment().address();
        assertEquals(new KernelAddresses(start, start + 4096, start + 16384, 0, start + 24576), addresses);
        assertEquals(connection.buffer(Protocol.LL).address(), addresses.buffer(Protocol.LL));
        assertEquals(pool.segment().address(), sent(shared(1024)).resolve(device).addresses().simple());
    }

    @Test
    void shouldTellOfASharedConnection() {
        DeviceConnection connection = sent(shared(1024)).resolve(device);

        assertTrue(connection.isShared());
        assertNull(connection.buffer(Protocol.LL));
        assertEquals(1024, connection.stepBytes(Protocol.SIMPLE));
        assertEquals(pool.segment().address(), connection.buffer(Protocol.SIMPLE).address());
        assertEquals(pool.segment().byteSize(), connection.buffer(Protocol.SIMPLE).byteSize());
    }

    @Test
    void shouldRefuseAMapThatPointsOutsideOfItsMemory() {
        refuse(map -> map.control(own, 65536 - 120, 4096));
        refuse(map -> map.control(own, 0, 1 << 28));
        refuse(map -> map.buffer(Protocol.SIMPLE, ConnectMap.word(Bank.HOST, 57352), SIMPLE));
        refuse(map -> map.buffer(Protocol.SIMPLE, ConnectMap.word(Bank.HOST, 0), Long.MAX_VALUE - 7));
        refuse(map -> map.buffer(Protocol.LL, ConnectMap.word(Bank.HOST, 61440), SIMPLE));
    }

    @Test
    void shouldRefuseAMapWhoseFieldsMakeNoSense() {
        refuse(map -> map.control(own, -8, 4096));
        refuse(map -> map.control(own, 4, 4096));
        refuse(map -> map.buffer(Protocol.SIMPLE, 12345, SIMPLE));
        refuse(map -> map.buffer(Protocol.SIMPLE, 0, SIMPLE));
        refuse(map -> map.buffer(Protocol.SIMPLE, ConnectMap.word(Bank.HOST, 24576), -8));
        refuse(map -> map.buffer(Protocol.SIMPLE, ConnectMap.word(Bank.HOST, 24576), 0));
        refuse(map -> map.buffer(Protocol.SIMPLE, ConnectMap.word(Bank.HOST, 24576), SIMPLE + 1));
        refuse(map -> map.buffer(Protocol.SIMPLE, ConnectMap.word(Bank.DEVICE, 24576), SIMPLE));
        for (long stepBytes : new long[] {0, -1, (32 << 10) + 1}) {
            assertThrows(ProxyException.class, () -> sent(shared(stepBytes)).resolve(device));
        }
    }

    @Test
    void shouldRefuseAnotherLengthOrVersion() {
        ByteBuffer body = ByteBuffer.allocate(ConnectMap.BYTES + 1);
        dedicated().encode(body);
        assertThrows(ProxyException.class, () -> ConnectMap.decode(body.duplicate().rewind()));
        assertThrows(ProxyException.class, () -> ConnectMap.decode(body.duplicate().flip().limit(12)));
        body.putInt(0, 77).flip();
        assertThrows(ProxyException.class, () -> ConnectMap.decode(body));
    }

    private ConnectMap dedicated() {
        ConnectMap map = new ConnectMap();
        map.bank(Bank.HOST, own);
        map.control(own, 0, 4096);
        map.buffer(Protocol.SIMPLE, ConnectMap.word(Bank.HOST, 24576), SIMPLE);
        return map;
    }

    private ConnectMap shared(long stepBytes) {
        ConnectMap map = dedicated();
        map.bank(Bank.SHARED_HOST, pool);
        map.buffer(Protocol.SIMPLE, ConnectMap.word(Bank.SHARED_HOST, 0), pool.segment().byteSize());
        map.stepBytes(stepBytes);
        return map;
    }

    private void refuse(Consumer<ConnectMap> spoiling) {
        ConnectMap map = dedicated();
        spoiling.accept(map);
        assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                () -> sent(map).resolve(device)).result());
    }

    private static ConnectMap sent(ConnectMap map) {
        ByteBuffer body = ByteBuffer.allocate(ConnectMap.BYTES);
        map.encode(body);
        return ConnectMap.decode(body.flip());
    }
}
