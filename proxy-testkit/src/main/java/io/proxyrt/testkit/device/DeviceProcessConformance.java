/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceMemoryKind;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.testkit.ChildJvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that two processes share, by descriptor and by handle; and what is handed over that is no such thing. */
abstract class DeviceProcessConformance extends DeviceForeignConformance {
    private static final int BYTES = 100_003;

    @Test
    void shouldShareMemoryByDescriptor() throws IOException {
        assume(DeviceCapability.SHAREABLE_MEMORY);
        DeviceMemory memory = filled(device.allocateShareable(BYTES));
        byte[] before = content(memory);
        String address = "@proxyrt-device-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
        try (ChildJvm child = child(); OwnedFd fd = device.exportFd(memory)) {
            FdPost.send(address, fd, () -> child.tell("importFd " + address + " " + BYTES));
            child.expect(Integer.toString(BYTES));
            exchange(child, memory, before);
            child.signal("KILL");
        }
        assertInverted(before, memory);
    }

    @Test
    void shouldShareMemoryByHandle() throws IOException {
        assume(DeviceCapability.IPC_HANDLES);
        DeviceMemory memory = filled(device.allocateIpc(BYTES));
        byte[] before = content(memory);
        byte[] handle = device.ipcHandle(memory);
        assertArrayEquals(handle, device.ipcHandle(memory));
        try (ChildJvm child = child()) {
            child.tell("openIpc " + HexFormat.of().formatHex(handle));
            assertTrue(Long.parseLong(child.line()) >= BYTES);
            exchange(child, memory, before);
            memory.close();
            child.tell("openIpc " + HexFormat.of().formatHex(handle));
            child.expect(ProxyResult.REMOTE_ERROR.name());
        }
    }

    @Test
    void shouldNotOpenMemoryWhoseOwnerFreedItOrEnded() throws IOException {
        assume(DeviceCapability.IPC_HANDLES);
        try (ChildJvm child = child()) {
            child.tell("allocateIpc " + BYTES);
            byte[] first = HexFormat.of().parseHex(child.line());
            DeviceMemory opened = device.openIpc(first);
            assertEquals(DeviceMemoryKind.IMPORTED, opened.kind());
            filled(opened);
            child.tell("hash " + BYTES);
            child.expect(Integer.toString(Arrays.hashCode(Arrays.copyOf(content(opened), BYTES))));
            opened.close();
            child.tell("free");
            child.expect("freed");
            assertThrown(ProxyResult.REMOTE_ERROR, () -> device.openIpc(first));

            // The number of the descriptor may be the same, but it is other memory.
            child.tell("allocateIpc " + BYTES);
            byte[] second = HexFormat.of().parseHex(child.line());
            assertThrown(ProxyResult.REMOTE_ERROR, () -> device.openIpc(first));
            device.openIpc(second).close();
            child.signal("KILL");
            assertThrown(ProxyResult.REMOTE_ERROR, () -> device.openIpc(second));
        }
    }

    @Test
    void shouldRefuseHandlesThatAreNone() {
        assume(DeviceCapability.IPC_HANDLES);
        DeviceMemory memory = device.allocateIpc(64);
        byte[] good = device.ipcHandle(memory);
        assertTrue(good.length > 0 && good.length <= 128, good.length + " bytes");
        for (int length = 0; length < good.length; length++) {
            byte[] part = Arrays.copyOf(good, length);
            assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.openIpc(part));
        }
        Random random = new Random(3);
        for (int i = 0; i < 200; i++) {
            byte[] junk = new byte[random.nextInt(2 * good.length)];
            random.nextBytes(junk);
            assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.openIpc(junk));
        }
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.ipcHandle(new ForeignMemory(arena.allocate(64))));
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.ipcHandle(host(64)));
        memory.close();
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.ipcHandle(memory));
    }

    /** Closes them all the same. */
    @Test
    void shouldRefuseDescriptorsThatAreNone(@TempDir Path folder) throws IOException {
        assume(DeviceCapability.SHAREABLE_MEMORY);
        Path file = Files.write(folder.resolve("file"), new byte[5000]);
        for (Path path : List.of(file, Path.of("/dev/null"), Path.of("/dev/zero"))) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                assertTrue(channel.isOpen());
                OwnedFd fd = Platform.find().descriptors().open(path);
                assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.importFd(fd, 64));
                assertEquals("no file descriptor", fd.toString());
            }
        }
    }

    private ChildJvm child() throws IOException {
        ChildJvm child = new ChildJvm(List.of(), DeviceChild.class, factory().getClass().getName());
        child.expect("ready");
        return child;
    }

    private DeviceMemory filled(DeviceMemory memory) {
        try (DeviceStream stream = stream("proxy-filled"); DeviceMemory source = random(BYTES, 77)) {
            assertEquals(1, stream.copy(memory, 0, source, 0, BYTES));
            stream.synchronize(LONG);
        }
        return memory;
    }

    private void exchange(ChildJvm child, DeviceMemory memory, byte[] before) {
        child.tell("hash " + BYTES);
        child.expect(Integer.toString(Arrays.hashCode(before)));
        child.tell("invert " + BYTES);
        child.expect(Integer.toString(Arrays.hashCode(before)));
        assertInverted(before, memory);
    }

    private void assertInverted(byte[] before, DeviceMemory memory) {
        byte[] expected = before.clone();
        for (int i = 0; i < BYTES; i++) {
            expected[i] = (byte) ~expected[i];
        }
        assertArrayEquals(expected, Arrays.copyOf(content(memory), BYTES));
    }
}
