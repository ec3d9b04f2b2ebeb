/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuLatencyTest {
    @TempDir
    private Path folder;

    @Test
    void shouldWriteOneWordAsTheDeviceWantsIt() throws IOException {
        Path device = Files.createFile(folder.resolve("device"));

        try (CpuLatency limit = CpuLatency.limit(device, 17)) {
            assertEquals("idle CPUs wake within 17 us", limit.toString());
            assertArrayEquals(ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(17).array(),
                    Files.readAllBytes(device));
        }
    }

    @Test
    void shouldHoldTheLimitOfThisHostUntilItIsClosed() {
        Assumptions.assumeTrue(CpuLatency.isPermitted(), "this process may not write " + CpuLatency.DEVICE);
        int before;
        try (CpuLatency any = CpuLatency.limit(CpuLatency.DEVICE, 1_000_000)) {
            before = any.effectiveUs();
        }
        Assumptions.assumeTrue(before > 3, "another process holds a limit of " + before + " us");

        try (CpuLatency first = CpuLatency.limit(CpuLatency.DEVICE, 3)) {
            assertEquals(3, first.effectiveUs());
            try (CpuLatency second = CpuLatency.limit(CpuLatency.DEVICE, 1_000_000)) {
                assertEquals(3, second.effectiveUs());
            }
        }
        try (CpuLatency third = CpuLatency.limit(CpuLatency.DEVICE, 1_000_000)) {
            assertEquals(before, third.effectiveUs());
        }
    }

    @Test
    void shouldSayWhatToDoWithoutTheDevice() {
        ProxyException e = assertThrows(ProxyException.class, () -> CpuLatency.limit(folder.resolve("none"), 0));

        assertEquals(ProxyResult.INVALID_USAGE, e.result());
        assertEquals("there is no " + folder.resolve("none")
                + "; only Linux has it, and a container only if it is given to it", e.getMessage());
    }

    @Test
    void shouldSayWhatToDoIfTheDeviceCannotBeWritten() {
        ProxyException e = assertThrows(ProxyException.class, () -> CpuLatency.limit(folder, 0));

        assertEquals(ProxyResult.SYSTEM_ERROR, e.result());
        assertTrue(e.getMessage().endsWith("; run as root, or let this user read and write it"), e::getMessage);
    }

    @Test
    void shouldLeaveTheHostAsItIsUnlessAsked() {
        assertNull(CpuLatency.of(ProxyConfig.builder().environment(Map.of()).build(), 3));
    }
}
