/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.DeregisterRequest;
import io.proxyrt.core.service.message.RegisterRequest;
import io.proxyrt.core.service.message.RegisterRequest.Source;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory that goes from rank to rank by descriptor. */
class MemorySharingTest {
    private static final long BYTES = 1 << 16;

    @TempDir
    Path directory;

    @Test
    void shouldShareMemoryBetweenTwoJvmsAndGiveEverythingBack() throws IOException {
        shareWithAnotherJvm();
        // The first time leaves what classes keep for good.
        Holdings before = Holdings.now();
        shareWithAnotherJvm();
        assertEquals(before, Holdings.now());
    }

    private void shareWithAnotherJvm() throws IOException {
        try (ProxyState proxy = Ranks.start(0, directory, ScriptedTransport.stuck(), Map.of());
                ChildJvm child = new ChildJvm(List.of(), ChildRank.class, "1", Integer.toString(Ranks.port(proxy)),
                        directory.toString())) {
            child.expect("ready");
            DeviceMemory memory = proxy.device().allocateShareable(BYTES);
            String open = "open " + proxy.memory().address() + " "
                    + Long.toHexString(proxy.memory().export(memory, Set.of(1, 2)));
            child.tell(open);
            child.expect("opened " + BYTES);
            child.tell("read");
            child.expect("(nothing)");
            memory.segment().setString(0, "hello");
            child.tell("read");
            child.expect("hello");
            child.tell("write goodbye");
            child.expect("written");
            assertEquals("goodbye", ChildRank.text(memory.segment()));
        }
    }

    @Test
    void shouldRefuseRanksThatTheMemoryIsNotForAndHandlesThatWereRevoked() throws IOException {
        try (ProxyState proxy = Ranks.start(0, directory, ScriptedTransport.stuck(), Map.of());
                ChildJvm child = new ChildJvm(List.of(), ChildRank.class, "1", Integer.toString(Ranks.port(proxy)),
                        directory.toString())) {
            child.expect("ready");
            DeviceMemory memory = proxy.device().allocateShareable(BYTES);
            long forAnother = proxy.memory().export(memory, Set.of(2));
            child.tell("open " + proxy.memory().address() + " " + Long.toHexString(forAnother));
            String answer = child.line();
            assertTrue(answer.startsWith("INVALID_USAGE") && answer.contains("to others, not to rank 1"), answer);
            long revoked = proxy.memory().export(memory, Set.of(1));
            assertTrue(proxy.memory().revoke(revoked));
            child.tell("open " + proxy.memory().address() + " " + Long.toHexString(revoked));
            answer = child.line();
            assertTrue(answer.startsWith("INVALID_ARGUMENT") && answer.contains("exports no memory"), answer);
            long good = proxy.memory().export(memory, Set.of(1));
            child.tell("open " + proxy.memory().address() + " " + Long.toHexString(good));
            child.expect("opened " + BYTES);
        }
    }

    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
    void shouldPassDescriptorsInEveryThreadingMode(ThreadingMode mode) {
        try (ProxyState proxy = Ranks.start(0, directory, ScriptedTransport.stuck(),
                Map.of("threading", mode.name()))) {
            DeviceMemory memory = proxy.device().allocateShareable(BYTES);
            long handle = proxy.memory().export(memory, Set.of(0));
            try (DeviceMemory other = proxy.memory().open(proxy.memory().address(), handle, Ranks.TIMEOUT)) {
                memory.segment().setString(8, "both");
                assertEquals("both", other.segment().getString(8));
            }
        }
    }

    @Test
    void shouldRegisterMemoryThatWasSentByDescriptor() {
        ScriptedTransport transport = ScriptedTransport.stuck();
        try (ProxyState service = Ranks.start(0, directory, transport, Map.of());
                ProxyState caller = Ranks.start(1, directory, ScriptedTransport.stuck(), Map.of());
                ServiceClient client = caller.client(service.serviceAddress())) {
            long id = Ranks.connect(client, 3);
            DeviceMemory memory = caller.device().allocateShareable(BYTES);
            try (OwnedFd fd = caller.device().exportFd(memory)) {
                int number = caller.memory().queryFd(service.memory().address(), Ranks.TIMEOUT, List.of(fd))[0];
                RegisterRequest request = new RegisterRequest(Source.FD, number, 4096, 4096);
                long handle = client.callBlocking(id, request, Ranks.TIMEOUT);
                assertEquals(1, transport.registered());
                client.callBlocking(id, new DeregisterRequest(handle), Ranks.TIMEOUT);
                assertEquals(0, transport.registered());
                ProxyException twice = assertThrows(ProxyException.class,
                        () -> client.callBlocking(id, request, Ranks.TIMEOUT));
                assertEquals(ProxyResult.INVALID_ARGUMENT, twice.result());
            }
        }
    }

    @Test
    void shouldCloseADescriptorThatIsNeverUsed() {
        try (ProxyState service = Ranks.start(0, directory, ScriptedTransport.stuck(),
                Map.of("uds.fd.timeout", "50ms"));
                ProxyState caller = Ranks.start(1, directory, ScriptedTransport.stuck(), Map.of())) {
            DeviceMemory memory = caller.device().allocateShareable(BYTES);
            try (OwnedFd fd = caller.device().exportFd(memory)) {
                int number = caller.memory().queryFd(service.memory().address(), Ranks.TIMEOUT, List.of(fd))[0];
                long deadline = System.nanoTime() + Ranks.TIMEOUT.toNanos();
                while (isOpen(number)) {
                    assertTrue(System.nanoTime() - deadline < 0, "descriptor " + number + " is still open");
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Test
    void shouldNotMapMemoryThatCouldShrink() throws IOException {
        Path file = java.nio.file.Files.write(directory.resolve("file"), new byte[4096]);
        try (ProxyState proxy = Ranks.start(0, directory, ScriptedTransport.stuck(), Map.of());
                java.nio.channels.FileChannel channel = java.nio.channels.FileChannel.open(file)) {
            int number = descriptorOf(file);
            assertTrue(channel.isOpen());
            OwnedFd fd = Platform.find().descriptors().duplicate(new OwnedFd(number, any -> { }));
            ProxyException refusal = assertThrows(ProxyException.class, () -> proxy.device().importFd(fd));
            assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
            assertThrows(ProxyException.class, fd::number, "it is closed");
        }
    }

    private static boolean isOpen(int number) {
        return java.nio.file.Files.exists(Path.of("/proc/self/fd/" + number), java.nio.file.LinkOption.NOFOLLOW_LINKS);
    }

    private static int descriptorOf(Path file) throws IOException {
        try (var all = java.nio.file.Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(fd -> {
                try {
                    return java.nio.file.Files.readSymbolicLink(fd).equals(file.toRealPath());
                } catch (IOException e) {
                    return false;
                }
            }).mapToInt(fd -> Integer.parseInt(fd.getFileName().toString())).findFirst().orElseThrow();
        }
    }
}
