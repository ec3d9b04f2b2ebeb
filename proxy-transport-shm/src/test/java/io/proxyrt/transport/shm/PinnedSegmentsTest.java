/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.KernelAddresses;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.ProxyRegistration;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments on a GPU: memory of the host that it registers. */
class PinnedSegmentsTest {
    @TempDir
    Path folder;

    private final TestHost host = new TestHost();
    private final PinningDevice gpu = new PinningDevice();
    private final PinningDevice otherGpu = new PinningDevice();
    private TestProxy one;
    private TestProxy other;
    private TestEnd sender;
    private TestEnd receiver;

    /** Buffers that do not end with a page. */
    private void open(String kind) {
        Map<String, String> options = Map.of("shm.segment", kind, "shm.directory", folder.toString(),
                "ll.buffer.bytes", "9K");
        one = new TestProxy(0, host, gpu, folder, options);
        other = new TestProxy(1, host, otherGpu, folder, options);
        sender = one.end(Direction.SEND, 1, 0);
        receiver = other.end(Direction.RECV, 0, 0);
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
        assertEquals(0, host.exports(), "a segment could still be mapped");
    }

    @ParameterizedTest
    @ValueSource(strings = {"memfd", "file"})
    void shouldRegisterEachSegmentOnceAndTellKernelsWhereTheDeviceHasIt(String kind) {
        open(kind);
        TestEnd.connect(sender, receiver);

        assertEquals(2, gpu.pinned.size(), "its own and its peer's");
        assertEquals(2, otherGpu.pinned.size());
        for (DeviceConnection end : List.of(sender.kernelEnd, receiver.kernelEnd)) {
            KernelAddresses addresses = end.addresses();
            end.sendMem().head(77);
            end.recvMem().tail(78);
            for (Protocol protocol : Protocol.values()) {
                assertEquals(end.buffer(protocol).address() + PinningDevice.SHIFT, addresses.buffer(protocol));
            }
            assertEquals(77, word(end == sender.kernelEnd ? gpu : otherGpu, addresses.sendMem()));
            assertEquals(78, word(end == sender.kernelEnd ? gpu : otherGpu, addresses.recvMem()));
        }
        sender.free();
        receiver.free();
        assertEquals(Map.of(), gpu.pinned, "unregistered, before they were unmapped");
        assertEquals(Map.of(), otherGpu.pinned);
    }

    /** What a kernel finds at an address. */
    private static long word(PinningDevice device, long address) {
        for (DeviceMemory memory : device.pinned.values()) {
            long offset = address - memory.address();
            if (offset >= 0 && offset < memory.bytes()) {
                return memory.segment().get(ValueLayout.JAVA_LONG, offset);
            }
        }
        throw new AssertionError("nothing is there");
    }

    @Test
    void shouldLeaveMemoryThatPeersRegisterToOtherTransports() {
        open("memfd");
        TestEnd.connect(sender, receiver);
        assertNull(sender.kernelEnd.peerMemory(), "its kernels do not ask");
        try (HostDevice device = new HostDevice(5); DeviceMemory memory = device.allocate(4096)) {
            ProxyRegistration registration = new ProxyRegistration(1, memory, false, 0, 4096);
            TestEnd end = one.endOf(1);
            ProxyException refusal = assertThrows(ProxyException.class,
                    () -> one.transport.proxyRegister(end.connection, registration));
            assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
        }
    }

    @Test
    void shouldSayWhyADeviceThatRegistersNothingCannot() {
        gpu.capabilities.clear();
        open("memfd");
        String reason = one.transport.whyNot(TestProxy.info(0), TestProxy.info(1));
        assertTrue(reason.contains("pinning:0 has no " + DeviceCapability.HOST_REGISTRATION), reason);
        assertEquals("", other.transport.whyNot(TestProxy.info(1), TestProxy.info(0)));
    }
}
