/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyRegistration;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A network that reads and writes a GPU's own memory: what is registered, and what is flushed before kernels look. */
class GdrTest {
    private static final long BYTES = 1 << 20;

    @TempDir
    Path folder;

    private final ManualNet net = new ManualNet();
    private final GdrDevice near = new GdrDevice();
    private final GdrDevice far = new GdrDevice();
    private Counters counters;
    private TestProxy sender;
    private TestProxy receiver;
    private TestEnd send;
    private TestEnd recv;

    private void connect(int connIndex, Map<String, String> options) {
        net.devices.add(near);
        net.devices.add(far);
        counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
        ProxyConfig.Builder builder = ProxyConfig.builder().environment(Map.of());
        options.forEach(builder::set);
        sender = new TestProxy(0, builder.build(), net, counters, near);
        receiver = new TestProxy(1, builder.build(), net, counters, far);
        send = sender.end(Direction.SEND, 0, 1, 0, connIndex);
        recv = receiver.end(Direction.RECV, 1, 0, 0, connIndex);
        TestEnd.connect(send, recv);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        assertEquals(0, counters.get(Counter.MEMORY_IDLE));
        counters.close();
        assertEquals(0, net.open, "something of the network was not closed");
        assertEquals(Set.of(), near.exported.keySet(), "descriptors are needed for registering only");
        assertEquals(Set.of(), far.exported.keySet());
    }

    @Test
    void shouldPutSimpleSlotsIntoTheDevicesMemoryAndLinesIntoTheHosts() {
        connect(0, Map.of());

        assertEquals(2, net.dmaBufs, "one for each end");
        for (TestEnd end : new TestEnd[] {send, recv}) {
            GdrDevice device = (GdrDevice) end.proxy.device;
            assertTrue(device.isFar(end.kernelEnd.buffer(Protocol.SIMPLE)));
            assertFalse(device.isFar(end.kernelEnd.buffer(Protocol.LL)), "the proxy looks at flags");
            assertFalse(device.isFar(end.kernelEnd.buffer(Protocol.LL128)));
            for (Protocol protocol : Protocol.values()) {
                assertEquals(end.kernelEnd.buffer(protocol).address(), end.kernelEnd.addresses().buffer(protocol));
            }
        }
    }

    @Test
    void shouldAccountForBothMemories() {
        connect(0, Map.of());
        TestEnd shared = sender.end(Direction.SEND, 0, 1, 1, 1);
        TestEnd.connect(shared, receiver.end(Direction.RECV, 1, 0, 1, 1));

        assertEquals(2 * send.kernelEnd.buffer(Protocol.SIMPLE).byteSize(), counters.get(Counter.MEMORY_SIMPLE));
        assertEquals(2 * send.kernelEnd.buffer(Protocol.LL).byteSize(), counters.get(Counter.MEMORY_LL));
        assertTrue(near.isFar(shared.kernelEnd.buffer(Protocol.SIMPLE)), "the pool too");
        assertEquals(2 * shared.kernelEnd.buffer(Protocol.SIMPLE).byteSize(), counters.get(Counter.MEMORY_SHARED_POOL));
        assertEquals("", sender.memory().audit());
    }

    @Test
    void shouldUseTheHostsMemoryIfItIsToldTo() {
        connect(0, Map.of("net.gdr", "0"));

        assertEquals(0, net.dmaBufs);
        assertFalse(near.isFar(send.kernelEnd.buffer(Protocol.SIMPLE)));
        assertNull(send.resources().flushed);
        assertFalse(recv.resources().needsFlush);
    }

    @Test
    void shouldPublishWhenTheNetworkHasFlushed() {
        net.isFlushing = true;
        far.capabilities.add(DeviceCapability.WRITE_FLUSH);
        connect(0, Map.of());
        ProxyArgs in = arrived();
        for (int pass = 0; pass < 4; pass++) {
            receiver.advance(in);
        }
        assertEquals(1, in.sub(0).received);
        assertEquals(0, recv.kernelEnd.recvMem().tail(), "not yet");
        net.wire().completeFlush();
        receiver.advance(in);
        assertEquals(1, recv.kernelEnd.recvMem().tail());
        assertEquals(0, far.flushes, "the network did it");
    }

    @Test
    void shouldFlushByTheDeviceWhereTheNetworkDoesNot() {
        far.capabilities.add(DeviceCapability.WRITE_FLUSH);
        connect(0, Map.of());
        ProxyArgs in = arrived();
        receiver.advance(in);
        assertEquals(1, far.flushes);
        assertEquals(1, recv.kernelEnd.recvMem().tail());
    }

    @Test
    void shouldFlushByOneReadInPlaceOfTheNetworksFlush() {
        net.isFlushing = true;
        far.capabilities.addAll(Set.of(DeviceCapability.WRITE_FLUSH, DeviceCapability.GDRCOPY_FLUSH));
        connect(0, Map.of());
        ProxyArgs in = arrived();
        receiver.advance(in);
        assertEquals(1, far.flushes);
        assertEquals(0, net.wire().flushes, "the network was not asked");
        assertEquals(1, recv.kernelEnd.recvMem().tail(), "in the pass that received it");
    }

    @Test
    void shouldFailAnOpWhoseDataTheDeviceCannotFlush() {
        far.capabilities.add(DeviceCapability.WRITE_FLUSH);
        far.flushResult = -ProxyResult.UNHANDLED_DEVICE_ERROR.code();
        connect(0, Map.of());
        ProxyArgs in = arrived();
        assertEquals(-ProxyResult.UNHANDLED_DEVICE_ERROR.code(), receiver.advance(in));
        assertEquals(0, recv.kernelEnd.recvMem().tail(), "the kernel is not told of data that it may not see");
    }

    @Test
    void shouldPokeTheHdpRegisterOfADeviceThatHasOne() {
        near.capabilities.add(DeviceCapability.HDP_REGISTER);
        far.capabilities.add(DeviceCapability.HDP_REGISTER);
        connect(0, Map.of());
        ProxyArgs out = ProxyArgs.of(send.connection, 2, 8, 1, 1, 1 << 17).protocol(Protocol.SIMPLE);
        for (int pass = 0; pass < 8; pass++) {
            sender.advance(out);
        }
        assertEquals(0, near.hdp.get(ValueLayout.JAVA_INT, 0));
        send.kernelEnd.recvMem().size(0, 8);
        send.kernelEnd.recvMem().tail(1);
        sender.advance(out);
        assertEquals(1, near.hdp.get(ValueLayout.JAVA_INT, 0), "before the network reads");
        ProxyArgs in = ProxyArgs.of(recv.connection, 2, 8, 1, 1, 1 << 17).protocol(Protocol.SIMPLE);
        receiver.advance(in);
        net.wire().deliver();
        for (int pass = 0; pass < 10; pass++) {
            receiver.advance(in);
        }
        assertEquals(1, far.hdp.get(ValueLayout.JAVA_INT, 0), "after the network wrote");
    }

    @Test
    void shouldRegisterThePagesAroundTheUsersMemory() {
        connect(0, Map.of());
        DeviceMemory memory = near.allocate(BYTES);
        int before = net.dmaBufs;
        ProxyRegistration registration = send.register(memory, 5000, 10_000);
        assertEquals(before + 1, net.dmaBufs);
        memory.range().set(ValueLayout.JAVA_BYTE, 5000 + 777, (byte) 99);

        ProxyArgs out = ProxyArgs.of(send.connection, 2, 1, 1, 1, BYTES);
        out.sub(0).reg = true;
        out.sub(0).sendMhandle = registration.handle();
        sender.advance(out);
        send.kernelEnd.recvMem().place(0, RecvMem.MODE_PTR, RecvMem.IN_SEND_BUFFER, 777);
        send.kernelEnd.recvMem().size(0, 1);
        send.kernelEnd.recvMem().tail(1);
        sender.advance(out);
        assertEquals(5000 + 777 - 4096, net.wire().sourceOffset(0), "from the page on");
        net.wire().posted = 1;
        net.wire().completed = 1;
        sender.advance(out);
        assertEquals(State.NONE, out.state);
    }

    @Test
    void shouldRefuseUserMemoryThatTheNetworkDoesNotReach() {
        connect(0, Map.of("net.gdr", "0"));
        DeviceMemory own = near.allocate(BYTES);
        ProxyException refusal = assertThrows(ProxyException.class, () -> send.register(own, 0, BYTES));
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
        assertNotNull(send.register(near.allocateHost(BYTES), 0, BYTES).mhandle(), "pinned memory of the host it does");
    }

    /** An op of which the network has received the first slice. */
    private ProxyArgs arrived() {
        ProxyArgs in = ProxyArgs.of(recv.connection, 2, 8, 1, 1, 1 << 17).protocol(Protocol.SIMPLE);
        for (int pass = 0; pass < 8; pass++) {
            receiver.advance(in);
        }
        net.wire().send(send.kernelEnd.buffer(Protocol.SIMPLE), 0, 10, 0);
        net.wire().deliver(net.isFlushing);
        return in;
    }
}
