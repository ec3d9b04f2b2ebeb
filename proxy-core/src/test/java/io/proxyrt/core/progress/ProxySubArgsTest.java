/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.host.HostDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may still use registered memory. */
class ProxySubArgsTest {
    private final HostDevice device = new HostDevice(0);
    private final DeviceMemory memory = device.allocate(4096);
    private final ProxyConnection connection =
            new ProxyConnection(1, new ScriptedTransport(args -> 0), Direction.RECV, 1);
    private final ProxyRegistration registration = new ProxyRegistration(7, memory, false, 0, 4096);

    @AfterEach
    void close() {
        device.close();
    }

    /** Requests of an op that ended badly may still be under way. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4})
    void shouldHoldMemoryBeyondAnOpThatDidNotEndWell(int done) {
        ProxyArgs args = held();
        args.sub(0).done = done;

        args.recycle();

        assertEquals(done == 4, registration.retire());
    }

    @Test
    void shouldNotHoldMemoryThatIsRetired() {
        assertTrue(registration.retire());
        connection.add(registration);
        ProxyArgs args = ProxyArgs.of(connection, 0, 4, 1, 1, 64);
        args.sub(0).recvMhandle = 7;

        assertTrue(args.sub(0).hold().contains("no registered memory with handle 7"));
        assertFalse(args.sub(0).reg);
    }

    private ProxyArgs held() {
        connection.add(registration);
        ProxyArgs args = ProxyArgs.of(connection, 0, 4, 1, 1, 64);
        args.sub(0).recvMhandle = 7;
        assertNull(args.sub(0).hold());
        assertFalse(registration.retire());
        return args;
    }
}
