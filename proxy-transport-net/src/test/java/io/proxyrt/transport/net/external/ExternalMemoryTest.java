/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is registered with a plug-in, how long, and by which comm it ends. */
class ExternalMemoryTest extends ExternalCommFixture {
    @Test
    void shouldRefuseMemoryThatIsNotRegisteredHere() {
        ExternalNet net = net();
        NetSendComm send = send(net);
        NetSendComm other = send(net);
        NetMemory memory = send.regMr(buffer);
        assertEquals(REFUSED, other.isend(memory, 0, 1, 0));
        assertEquals(REFUSED, send.isend(null, 0, 1, 0));
        assertEquals(REFUSED, send.isend(memory, 991, 10, 0));
        assertEquals(REFUSED, send.isend(memory, -1, 1, 0));
        assertEquals(REFUSED, send.isend(memory, 0, -1, 0));
        assertTrue(send.isend(memory, 990, 10, 0) > 0);
        assertEquals(buffer.address() + 990, library.lastAddress);
        memory.close();
        memory.close();
        assertEquals(REFUSED, send.isend(memory, 0, 1, 0));
        NetMemory freed = send.regMr(buffer);
        arena.close();
        assertEquals(REFUSED, send.isend(freed, 0, 1, 0));
    }

    @Test
    void shouldRegisterOnlyWhatThePlugInCanReach() {
        NetSendComm send = send();
        assertUnregistrable(send, MemorySegment.ofArray(new byte[8]));
        assertUnregistrable(send, buffer.asReadOnly());
        MemorySegment freed = arena.allocate(8);
        arena.close();
        assertUnregistrable(send, freed);
        assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                () -> send.regMrDmaBuf(buffer, null)).result());
    }

    private static void assertUnregistrable(NetComm comm, MemorySegment memory) {
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                assertThrows(ProxyException.class, () -> comm.regMr(memory)).result());
    }

    @Test
    void shouldRegisterOtherMemoryInPlaceOfNone() {
        NetSendComm send = send();
        NetMemory nothing = send.regMr(buffer.asSlice(1000, 0));

        assertTrue(library.calls.getLast().matches("regMr\\[\\d+, 16]"), library.calls::toString);
        assertTrue(send.isend(nothing, 0, 0, 0) > 0);
        assertEquals(REFUSED, send.isend(nothing, 0, 1, 0));
    }

    @Test
    void shouldRegisterADmaBufWhereTheDeviceTakesIt() {
        library.devices.set(0, new NetLibraryProperties("fake0", "", 1, 5, false, 1, 1, 1, 0, 0, 100, 0));
        NetSendComm send = send();
        OwnedFd fd = new OwnedFd(3, number -> { });
        NetMemory memory = send.regMrDmaBuf(MemorySegment.ofAddress(4096), new DmaBuf(fd, 64));

        assertTrue(library.calls.getLast().startsWith("regMrDmaBuf["), library.calls::toString);
        assertTrue(library.calls.getLast().endsWith(", 4096, 0, 64, 3]"), library.calls::toString);
        memory.close();
    }

    @Test
    void shouldDeregisterBeforeItCloses() {
        NetSendComm send = send();
        send.regMr(buffer).close();
        NetMemory left = send.regMr(buffer);
        send.isend(left, 0, 1, 0);
        library.calls.clear();
        send.close();
        send.close();
        left.close();

        assertEquals(2, library.calls.size(), library.calls::toString);
        assertTrue(library.calls.getFirst().startsWith("deregMr[") && library.calls.getLast().startsWith("closeSend["),
                library.calls::toString);
        assertEquals(-ProxyResult.INVALID_USAGE.code(), send.isend(left, 0, 1, 0));
        assertThrows(ProxyException.class, () -> send.regMr(buffer));
    }

    @Test
    void shouldCloseDespiteAPlugInThatFailsToClose() {
        NetRecvComm recv = recv();
        recv.regMr(buffer);
        library.codes.put("deregMr", 3);
        library.codes.put("closeRecv", 3);
        recv.close();

        assertTrue(library.calls.getLast().startsWith("closeRecv["), library.calls::toString);
    }

    @Test
    void shouldKeepAGlobalRegistrationAsLongAsTheDeviceHasAConnection() {
        library.devices.set(0, new NetLibraryProperties("fake0", "", 1, 1, true, 1, 1, 1, 0, 0, 100, 0));
        ExternalNet net = net();
        NetSendComm first = send(net);
        NetSendComm second = send(net);
        NetMemory shared = first.regMr(buffer);
        NetMemory left = first.regMr(buffer);
        assertTrue(second.isend(shared, 0, 1, 0) > 0);
        first.close();
        assertTrue(second.isend(shared, 0, 1, 0) > 0);
        library.calls.clear();
        shared.close();
        long secondComm = comm(library.calls.getFirst());
        second.close();
        left.close();

        assertEquals(List.of("deregMr", "deregMr", "closeSend"), library.calls.stream()
                .map(call -> call.replaceAll("\\[.*", "")).toList());
        assertTrue(library.calls.stream().allMatch(call -> comm(call) == secondComm), library.calls::toString);
    }

    private static long comm(String call) {
        return Long.parseLong(call.replaceAll(".*\\[(\\d+).*", "$1"));
    }
}
