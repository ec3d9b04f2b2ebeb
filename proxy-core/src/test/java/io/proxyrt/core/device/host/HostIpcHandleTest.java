/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Handles as another process may make them. */
class HostIpcHandleTest {
    private static final int STDOUT = 1;

    private final ProcessIdentity self = ProcessIdentity.current();

    @Test
    void shouldSayTheSameAfterItTravelled() {
        HostIpcHandle handle = new HostIpcHandle(self, 7, 1L << 40, 12_345);

        assertEquals(handle, HostIpcHandle.decode(handle.encode()));
        assertTrue(handle.encode().length <= Device.MAX_IPC_HANDLE_BYTES);
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        ProcessIdentity dead = new ProcessIdentity(0, self.start(), self.namespace());
        for (HostIpcHandle handle : new HostIpcHandle[] {new HostIpcHandle(dead, 7, 1, 64),
            new HostIpcHandle(self, -1, 1, 64), new HostIpcHandle(self, 7, 1, 0),
            new HostIpcHandle(self, 7, 1, -1)}) {
            assertFailure(ProxyResult.INVALID_ARGUMENT, () -> HostIpcHandle.decode(handle.encode()));
        }
        byte[] other = new HostIpcHandle(self, 7, 1, 64).encode();
        other[4]++;
        assertFailure(ProxyResult.INVALID_ARGUMENT, () -> HostIpcHandle.decode(other));
    }

    /** Opening it might have effects, even if it is refused then. */
    @Test
    void shouldNotEvenOpenWhatIsNoMemoryOfADevice() {
        HostIpcHandle handle = HostIpcHandle.of(STDOUT, 64);

        assertTrue(handle.isIt(STDOUT));
        assertFailure(ProxyResult.REMOTE_ERROR, handle::path);
    }

    @Test
    void shouldSeeThatTheProcessIsAnotherOne() {
        HostIpcHandle handle = HostIpcHandle.of(STDOUT, 64);
        ProcessIdentity earlier = new ProcessIdentity(self.pid(), self.start() - 1, self.namespace());
        ProcessIdentity elsewhere = new ProcessIdentity(self.pid(), self.start(), self.namespace() + 1);
        ProcessIdentity gone = new ProcessIdentity(Integer.MAX_VALUE, self.start(), self.namespace());

        assertFalse(new HostIpcHandle(earlier, STDOUT, handle.inode(), 64).isIt(STDOUT));
        assertFalse(new HostIpcHandle(self, STDOUT, handle.inode() + 1, 64).isIt(STDOUT));
        assertFailure(ProxyResult.REMOTE_ERROR, () -> new HostIpcHandle(gone, STDOUT, 1, 64).path());
        assertTrue(assertFailure(ProxyResult.INVALID_USAGE, () -> new HostIpcHandle(elsewhere, STDOUT, 1, 64).path())
                .contains("pass a file descriptor"));
    }

    private static String assertFailure(ProxyResult result, Executable call) {
        ProxyException failure = assertThrows(ProxyException.class, call);
        assertEquals(result, failure.result(), failure.getMessage());
        return failure.getMessage();
    }
}
