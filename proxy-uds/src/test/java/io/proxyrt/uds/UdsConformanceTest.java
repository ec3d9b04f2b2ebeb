/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.UdsClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What both implementations do, with peers that mean well. */
@ParameterizedClass
@EnumSource(names = {"JUNIXSOCKET", "NATIVE"})
class UdsConformanceTest {
    private final SocketsKind kind;
    private final FakeHandler handler = new FakeHandler();
    private Rig rig;
    private UdsService service;
    private UdsService caller;

    UdsConformanceTest(SocketsKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() {
        rig = new Rig(kind);
        service = rig.open(1, handler);
        caller = rig.open(0, new FakeHandler());
    }

    @AfterEach
    void close() {
        rig.close();
        handler.close();
    }

    @Test
    void shouldShareMemoryByGetFd() {
        OwnedFd exported = handler.export(5);
        try (UdsClient client = rig.connect(caller, service)) {
            OwnedFd fd = client.getFd(Rig.PATIENCE, rig::turn, 5).getFirst();

            assertEquals(5, Rig.read(fd));
            Rig.write(fd, 77);
            assertEquals(77, Rig.read(exported));
            assertEquals(4096, Rig.DESCRIPTORS.sealedBytes(fd));
            assertTrue(isClosedOnExec(fd), "closed on exec");
            fd.close();
        }
        assertEquals(List.of(new PeerId(0, 100)), handler.askers);
    }

    @Test
    void shouldCarrySixteenDescriptorsAtOnceBothWays() {
        long[] handles = LongStream.range(0, 16).toArray();
        LongStream.of(handles).forEach(handler::export);
        try (UdsClient client = rig.connect(caller, service)) {
            List<OwnedFd> fds = client.getFd(Rig.PATIENCE, rig::turn, handles);

            assertArrayEquals(handles, fds.stream().mapToLong(Rig::read).toArray());
            int[] numbers = client.queryFd(Rig.PATIENCE, rig::turn, fds);
            assertArrayEquals(handler.received.stream().mapToInt(OwnedFd::number).toArray(), numbers);
            assertArrayEquals(handles, handler.received.stream().mapToLong(Rig::read).toArray());
            fds.forEach(OwnedFd::close);
        }
    }

    @Test
    void shouldLeaveTheSentDescriptorToItsOwner() {
        try (UdsClient client = rig.connect(caller, service); OwnedFd fd = Rig.DESCRIPTORS.memfd("mine", 4096)) {
            Rig.write(fd, 9);
            int number = client.queryFd(Rig.PATIENCE, rig::turn, List.of(fd))[0];

            assertNotEquals(fd.number(), number);
            handler.received.getFirst().close();
            assertEquals(9, Rig.read(fd));
        }
    }

    @Test
    void shouldKeepTheNumberOfDescriptorsOverManyCallsOfWhichManyFail() throws Exception {
        handler.export(1);
        try (UdsClient client = rig.connect(caller, service)) {
            client.getFd(Rig.PATIENCE, rig::turn, 1).getFirst().close();
            long before = Rig.openDescriptors();
            int mappings = Files.readAllLines(Path.of("/proc/self/maps")).size();
            int threads = Thread.getAllStackTraces().size();
            int failed = 0;
            for (int i = 0; i < 10_000; i++) {
                failed += isFailing(client, i % 7) ? 1 : 0;
            }
            assertEquals(10_000 / 7 * 3 + 3, failed);
            assertEquals(before, Rig.openDescriptors());
            assertTrue(Files.readAllLines(Path.of("/proc/self/maps")).size() < mappings + 200, "mappings");
            assertTrue(Thread.getAllStackTraces().size() <= threads + 2, "threads");
        }
    }

    /** Every seventh call each: an unknown handle first, and last, and a handler that fails. */
    private boolean isFailing(UdsClient client, int which) {
        long[] handles = which == 0 ? new long[] {2, 1} : which == 1 ? new long[] {1, 1, 2} : new long[] {1};
        if (which == 2) {
            handler.next = new ProxyException(ProxyResult.SYSTEM_ERROR, "injected");
        }
        try {
            client.getFd(Rig.PATIENCE, rig::turn, handles).forEach(OwnedFd::close);
            return false;
        } catch (ProxyException e) {
            assertEquals(which == 2 ? ProxyResult.SYSTEM_ERROR : ProxyResult.INVALID_ARGUMENT, e.result());
            return true;
        }
    }

    @Test
    void shouldAnswerFailuresAndGoOn() {
        handler.export(1);
        try (UdsClient client = rig.connect(caller, service); OwnedFd fd = Rig.DESCRIPTORS.memfd("x", 8)) {
            ProxyException unknown = Rig.failure(() -> client.getFd(Rig.PATIENCE, rig::turn, 4711));
            assertEquals(ProxyResult.INVALID_ARGUMENT, unknown.result());
            assertEquals("rank 0: GetFd at " + service.address() + " failed: no export has handle 4711",
                    unknown.getMessage());
            handler.next = new ProxyException(ProxyResult.INVALID_USAGE, "not today");
            assertEquals(ProxyResult.INVALID_USAGE,
                    Rig.failure(() -> client.queryFd(Rig.PATIENCE, rig::turn, List.of(fd))).result());

            client.getFd(Rig.PATIENCE, rig::turn, 1).getFirst().close();
        }
    }

    @Test
    void shouldAnswerWhatEscapesFromTheHandlerAndThrowIt() {
        try (UdsClient client = rig.connect(caller, service)) {
            IllegalStateException bug = new IllegalStateException("a bug");
            handler.next = bug;
            List<RuntimeException> thrown = new ArrayList<>();

            ProxyException failure = Rig.failure(() -> client.getFd(Rig.PATIENCE, () -> {
                try {
                    rig.turn();
                } catch (IllegalStateException e) {
                    thrown.add(e);
                }
            }, 1));

            assertEquals(ProxyResult.INTERNAL_ERROR, failure.result());
            assertSame(bug, thrown.getFirst());
            assertEquals(1, thrown.size());
        }
    }

    @Test
    void shouldRefuseWhatCannotBeAsked() {
        try (UdsClient client = rig.connect(caller, service)) {
            for (int count : new int[] {0, 17}) {
                assertEquals(ProxyResult.INVALID_ARGUMENT,
                        Rig.failure(() -> client.getFd(Rig.PATIENCE, null, new long[count])).result());
            }
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    Rig.failure(() -> client.queryFd(Rig.PATIENCE, null, List.of())).result());
        }
    }

    @Test
    void shouldEndTheSessionWhenTheServiceDoesNotAnswerInTime() {
        try (UdsClient client = rig.connect(caller, service)) {
            ProxyException late = Rig.failure(() -> client.getFd(Duration.ofMillis(20), null, 1));

            assertEquals(ProxyResult.TIMEOUT, late.result());
            assertTrue(late.getMessage().endsWith("not done within 20 ms"), late.getMessage());
            ProxyException later = Rig.failure(() -> client.getFd(Rig.PATIENCE, rig::turn, 1));
            assertEquals(ProxyResult.INVALID_USAGE, later.result(), "nothing was sent");
            assertTrue(later.getMessage().contains("has ended"), later.getMessage());
        }
    }

    @Test
    void shouldNoticeThatTheServiceIsGone() {
        FakeHandler other = new FakeHandler();
        UdsService leaving = Rig.endpoint(kind, 2, Rig.SECRET, other);
        UdsClient client = caller.connect(leaving.address(), Rig.PATIENCE, leaving::doWork);
        leaving.onClose();

        ProxyException failure = Rig.failure(() -> client.getFd(Rig.PATIENCE, null, 1));
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result(), failure::getMessage);
        assertEquals(List.of(new PeerId(0, 100)), other.gone);
        assertEquals(ProxyResult.REMOTE_ERROR, Rig.failure(() -> caller.connect(leaving.address(), Rig.PATIENCE, null))
                .result());
    }

    @Test
    void shouldEndWhenInterrupted() {
        try (UdsClient client = rig.connect(caller, service)) {
            Thread.currentThread().interrupt();

            assertEquals(ProxyResult.INVALID_USAGE, Rig.failure(() -> client.getFd(Rig.PATIENCE, null, 1)).result());
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void shouldServeThoughItsThreadIsInterrupted() {
        handler.export(1);
        Runnable interrupted = () -> {
            Thread.currentThread().interrupt();
            rig.turn();
            assertTrue(Thread.interrupted(), "still interrupted");
        };
        for (int i = 0; i < 3; i++) {
            try (UdsClient client = caller.connect(service.address(), Rig.PATIENCE, interrupted)) {
                client.getFd(Rig.PATIENCE, interrupted, 1).getFirst().close();
            }
        }
    }

    @Test
    void shouldCloseOnceAndForAll() {
        UdsClient client = rig.connect(caller, service);
        long before = Rig.openDescriptors();
        client.close();
        client.close();

        assertEquals(before - 1, Rig.openDescriptors());
        assertEquals(ProxyResult.INVALID_USAGE, Rig.failure(() -> client.getFd(Rig.PATIENCE, null, 1)).result());
        rig.await(() -> service.peers() == 0);
        assertEquals(List.of(new PeerId(0, 100)), handler.gone);
    }

    @Test
    void shouldReportAPeerGoneWithItsLastSession() {
        UdsClient first = rig.connect(caller, service);
        UdsClient second = rig.connect(caller, service);
        assertEquals(2, service.peers());

        first.close();
        rig.await(() -> service.peers() == 1);
        assertEquals(List.of(), handler.gone);
        second.close();
        rig.await(() -> service.peers() == 0);
        assertEquals(List.of(new PeerId(0, 100)), handler.gone);
    }

    @Test
    void shouldEndItsClientsWithTheRuntime() {
        UdsService closing = Rig.endpoint(kind, 3, Rig.SECRET, handler);
        UdsClient client = closing.connect(service.address(), Rig.PATIENCE, rig::turn);
        closing.onClose();

        assertEquals(ProxyResult.INVALID_USAGE, Rig.failure(() -> client.getFd(Rig.PATIENCE, null, 1)).result());
        assertEquals(ProxyResult.INVALID_USAGE,
                Rig.failure(() -> closing.connect(service.address(), Rig.PATIENCE, rig::turn)).result());
    }

    @Test
    void shouldRefuseOnePeerTooManyAndKeepTheRest() {
        handler.export(1);
        UdsService full = rig.open(4, handler, "uds.max.connections", "2");
        UdsClient second = rig.connect(caller, full);
        try (UdsClient first = rig.connect(caller, full)) {
            ProxyException refused = Rig.failure(() -> rig.connect(caller, full));
            assertEquals(ProxyResult.REMOTE_ERROR, refused.result());
            assertTrue(refused.getMessage().contains("is one peer too many; proxyrt.uds.max.connections"),
                    refused.getMessage());
            first.getFd(Rig.PATIENCE, rig::turn, 1).getFirst().close();
            second.close();
            rig.await(() -> full.peers() == 1);
            rig.connect(caller, full).close();
        }
    }

    @Test
    void shouldHaveAnAbstractNameWithNothingBehindIt() throws Exception {
        assertTrue(service.address().matches("@proxyrt-socket-1-[0-9a-f]{16}"), service.address());
        assertTrue(Files.readAllLines(Path.of("/proc/net/unix")).stream()
                .anyMatch(line -> line.endsWith(" " + service.address())), "not in /proc/net/unix by that name");
    }

    @Test
    void shouldHaveAPathForItsOwnerOnlyAndRemoveIt(@TempDir Path directory) throws Exception {
        handler.export(3);
        UdsService listening = Rig.endpoint(kind, 6, Rig.SECRET, handler, "uds.namespace", "path", "uds.directory",
                directory.toString());
        Path path = Path.of(listening.address());

        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path.getParent())));
        try (UdsClient client = caller.connect(listening.address(), Rig.PATIENCE, listening::doWork)) {
            client.getFd(Rig.PATIENCE, listening::doWork, 3).getFirst().close();
        }
        listening.onClose();
        try (var left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void shouldSayThatAPathIsTooLong(@TempDir Path directory) throws Exception {
        Path deep = Files.createDirectory(directory.resolve("x".repeat(100)));

        ProxyException failure = Rig.failure(() -> Rig.endpoint(kind, 6, Rig.SECRET, handler, "uds.namespace", "path",
                "uds.directory", deep.toString()));

        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
        assertTrue(failure.getMessage().contains("the system takes 107; choose a shorter folder"),
                failure.getMessage());
        try (var left = Files.list(deep)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void shouldWakeFromItsParkOnACallAndOnAConnection() throws Exception {
        UdsService parked = Rig.endpoint(kind, 7, Rig.SECRET, handler);
        Thread thread = Thread.ofPlatform().start(() -> parked.park(Rig.PATIENCE.toNanos()));
        parked.wakeup(thread);
        assertTrue(thread.join(Rig.PATIENCE.dividedBy(2)), "woken");

        Thread second = Thread.ofPlatform().start(() -> parked.park(Rig.PATIENCE.toNanos()));
        RawPeer peer = new RawPeer(parked.address(), parked::doWork);
        assertTrue(second.join(Rig.PATIENCE.dividedBy(2)), "a peer connects");
        peer.close();
        parked.onClose();
        parked.wakeup(thread);
    }

    @Test
    void shouldServeSixteenClientsAtOnce() throws Exception {
        handler.export(1);
        UdsService busy = Rig.endpoint(kind, 8, Rig.SECRET, handler);
        Driven driven = new Driven(busy);
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (int i = 0; i < 16; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                try (UdsClient client = caller.connect(busy.address(), Rig.PATIENCE, null)) {
                    for (int call = 0; call < 50; call++) {
                        try (OwnedFd fd = client.getFd(Rig.PATIENCE, null, 1).getFirst()) {
                            assertEquals(1, Rig.read(fd));
                        }
                    }
                } catch (Throwable t) {
                    failures.add(t);
                }
            }));
        }
        for (Thread thread : threads) {
            assertTrue(thread.join(Rig.PATIENCE));
        }
        driven.close();
        assertEquals(List.of(), failures);
        assertEquals(800, handler.askers.size());
    }

    @Test
    void shouldShareOneSessionAmongThreads() throws Exception {
        for (long handle = 0; handle < 4; handle++) {
            handler.export(handle);
        }
        UdsService busy = Rig.endpoint(kind, 9, Rig.SECRET, handler);
        Driven driven = new Driven(busy);
        List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
        try (UdsClient client = caller.connect(busy.address(), Rig.PATIENCE, null)) {
            List<Thread> threads = LongStream.range(0, 4).mapToObj(handle -> Thread.ofPlatform().start(() -> {
                try {
                    for (int call = 0; call < 100; call++) {
                        try (OwnedFd fd = client.getFd(Rig.PATIENCE, null, handle).getFirst()) {
                            assertEquals(handle, Rig.read(fd));
                        }
                    }
                } catch (Throwable t) {
                    failures.add(t);
                }
            })).toList();
            for (Thread thread : threads) {
                assertTrue(thread.join(Rig.PATIENCE));
            }
        }
        driven.close();
        assertEquals(List.of(), failures);
    }

    @Test
    void shouldSayWhichSocketsItUses() {
        assertEquals(kind == SocketsKind.NATIVE ? "native" : "junixsocket 2.10.1", service.describe());
        assertFalse(service.name().isEmpty());
        assertThrows(ProxyException.class, () -> Rig.config(kind, "uds.sockets", "carrier-pigeon"));
    }

    private static boolean isClosedOnExec(OwnedFd fd) {
        try {
            String flags = Files.readAllLines(Path.of("/proc/self/fdinfo/" + fd.number())).stream()
                    .filter(line -> line.startsWith("flags:")).findFirst().orElseThrow().substring(6).strip();
            return (Integer.parseInt(flags, 8) & 0_2000000) != 0;
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
