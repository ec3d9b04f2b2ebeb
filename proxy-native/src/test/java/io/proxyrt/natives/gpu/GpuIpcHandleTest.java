/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.platform.Platform;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GpuIpcHandleTest {
    private final byte[] driver = new byte[GpuApi.IPC_HANDLE_BYTES];

    GpuIpcHandleTest() {
        new Random(1).nextBytes(driver);
    }

    @Test
    void shouldSayTheSameAfterItsWay() {
        try (OwnedFd token = token()) {
            GpuIpcHandle handle = GpuIpcHandle.of("cuda", token, 512, 4096, driver);
            byte[] encoded = handle.encode();
            assertTrue(encoded.length <= Device.MAX_IPC_HANDLE_BYTES);
            GpuIpcHandle decoded = GpuIpcHandle.decode("cuda", encoded);
            assertArrayEquals(encoded, decoded.encode());
            assertArrayEquals(driver, decoded.driver());
            assertEquals(512, decoded.offset());
            assertEquals(4096, decoded.bytes());
            assertRefused(ProxyResult.INVALID_ARGUMENT, () -> GpuIpcHandle.decode("hip", encoded));
        }
    }

    @Test
    void shouldRefuseNumbersThatCannotBe() {
        ProcessIdentity owner = ProcessIdentity.current();
        for (GpuIpcHandle wrong : new GpuIpcHandle[] {
            new GpuIpcHandle("cuda", owner, 1, 1, 0, 0, driver), new GpuIpcHandle("cuda", owner, 1, 1, 0, -1, driver),
            new GpuIpcHandle("cuda", owner, 1, 1, 0, Long.MAX_VALUE, driver),
            new GpuIpcHandle("cuda", owner, 1, 1, 4096, 1, driver),
            new GpuIpcHandle("cuda", owner, 1, 1, Long.MAX_VALUE, 1, driver),
            new GpuIpcHandle("cuda", owner, 1, 1, -1, 1, driver), new GpuIpcHandle("cuda", owner, -1, 1, 0, 1, driver),
            new GpuIpcHandle("cuda", new ProcessIdentity(0, 1, 1), 1, 1, 0, 1, driver)}) {
            assertRefused(ProxyResult.INVALID_ARGUMENT, () -> GpuIpcHandle.decode("cuda", wrong.encode()));
        }
    }

    /** As another process finds it: only the process's number and start are what they would be there. */
    @Test
    void shouldBeGoodAsLongAsItsTokenIsOpen() {
        long parent = ProcessHandle.current().parent().orElseThrow().pid();
        ProcessIdentity own = ProcessIdentity.current();
        OwnedFd token = token();
        GpuIpcHandle handle = GpuIpcHandle.of("cuda", token, 0, 1, driver);
        assertRefused(ProxyResult.INVALID_USAGE, handle::check);
        assertRefused(ProxyResult.INVALID_USAGE, () -> of(new ProcessIdentity(own.pid(), own.start(), 1), handle)
                .check());
        assertRefused(ProxyResult.REMOTE_ERROR, () -> of(new ProcessIdentity(parent, 1, own.namespace()), handle)
                .check());
        assertDoesNotThrow(handle::checkToken);
        token.close();
        assertRefused(ProxyResult.REMOTE_ERROR, handle::checkToken);
        try (OwnedFd other = token()) {
            assertRefused(ProxyResult.REMOTE_ERROR, new GpuIpcHandle("cuda", own, other.number(), handle.inode(), 0, 1,
                    driver)::checkToken);
        }
    }

    private static GpuIpcHandle of(ProcessIdentity owner, GpuIpcHandle handle) {
        return new GpuIpcHandle(handle.kind(), owner, handle.fd(), handle.inode(), 0, 1, handle.driver());
    }

    private static OwnedFd token() {
        return Platform.find().descriptors().memfd(GpuIpcHandle.token("cuda:0"), 1);
    }

    private static void assertRefused(ProxyResult result, Runnable call) {
        ProxyException failure = assertThrows(ProxyException.class, call::run);
        assertEquals(result, failure.result(), failure.getMessage());
    }
}
