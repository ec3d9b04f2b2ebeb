/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.Poller;
import io.proxyrt.core.platform.UnixSockets;
import java.lang.invoke.WrongMethodTypeException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class UnixSocketsTest {
    private static final Platform PLATFORM = Platform.find();
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(2);

    private final String address = "@proxyrt-test-" + ProcessHandle.current().pid();
    private UnixSockets.Listener listener;
    private UnixSockets.Socket left;
    private UnixSockets.Socket right;

    /** Has few descriptors, and uses up all but five before sixteen arrive. */
    static final class Child {
        private Child() {
        }

        public static void main(String[] args) throws Exception {
            UnixSocketsTest test = new UnixSocketsTest();
            test.connect();
            OwnedFd fd = PLATFORM.descriptors().memfd("x", 1);
            // Once for the classes, which take a descriptor to load.
            assertThrows(ProxyException.class, () -> PLATFORM.descriptors().duplicate(new OwnedFd(9999, no -> { })));
            new ArrayList<>(List.of(fd)).removeLast();
            test.left.send(ByteBuffer.allocate(1), Collections.nCopies(16, fd));
            List<OwnedFd> all = new ArrayList<>();
            while (true) {
                try {
                    all.add(PLATFORM.descriptors().duplicate(fd));
                } catch (ProxyException e) {
                    System.out.println(e.getMessage());
                    break;
                }
            }
            for (int i = 0; i < 5; i++) {
                all.removeLast().close();
            }
            List<OwnedFd> received = new ArrayList<>();
            System.out.println(test.right.receive(ByteBuffer.allocate(1), received::add) + " " + received.size());
            for (int i = 0; i < 5; i++) {
                all.add(PLATFORM.descriptors().duplicate(fd));
            }
            System.out.println("five left");
        }
    }

    @BeforeEach
    void connect() {
        listener = PLATFORM.unixSockets().listen(address, 4);
        left = PLATFORM.unixSockets().connect(address);
        right = listener.accept();
    }

    @AfterEach
    void close() {
        left.close();
        right.close();
        listener.close();
    }

    @Test
    void shouldCarryBytesAndSayWhenThereAreNone() {
        ByteBuffer bytes = ByteBuffer.allocate(10);
        assertEquals(0, right.receive(bytes, OwnedFd::close));
        left.send(ByteBuffer.wrap(new byte[] {1, 2, 3}), List.of());

        assertEquals(3, right.receive(bytes, OwnedFd::close));
        assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), bytes.flip());
    }

    @Test
    void shouldSayWhenThereIsNoRoomAndWhenThePeerIsGone() {
        int sent = 1;
        while (sent > 0) {
            sent = left.send(ByteBuffer.allocate(1024), List.of());
        }
        assertEquals(0, sent);
        assertFalse(PLATFORM.await(left.number(), true, 0));
        right.close();

        assertTrue(PLATFORM.await(left.number(), true, PATIENCE_NS));
        assertEquals(UnixSockets.END, left.send(ByteBuffer.allocate(1), List.of()));
        assertEquals(UnixSockets.END, left.receive(ByteBuffer.allocate(1), OwnedFd::close));
    }

    @Test
    void shouldKnowThePeer() throws Exception {
        UnixSockets.Credentials peer = right.peer();

        assertEquals(ProcessHandle.current().pid(), peer.pid());
        assertEquals(PLATFORM.userId(), peer.uid());
        assertEquals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"), peer.uid());
        assertEquals(Files.getAttribute(Path.of("/proc/self"), "unix:gid"), peer.gid());
    }

    @Test
    void shouldCarryAsManyDescriptorsAsTheKernelDoesAndNoMore() {
        try (OwnedFd fd = PLATFORM.descriptors().memfd("many", 1)) {
            List<OwnedFd> received = new ArrayList<>();
            left.send(ByteBuffer.allocate(1), Collections.nCopies(253, fd));

            assertEquals(1, right.receive(ByteBuffer.allocate(9), received::add));
            assertEquals(253, received.size());
            received.forEach(OwnedFd::close);
        }
    }

    @Test
    void shouldNeverSendWhatHasGotTheNumberOfWhatWasMeant() throws InterruptedException {
        assertEquals(NumberReuse.BYTES, NumberReuse.wrongSize(fd -> {
            List<OwnedFd> received = new ArrayList<>();
            left.send(ByteBuffer.allocate(1), List.of(fd, fd));
            right.receive(ByteBuffer.allocate(1), received::add);
            try (OwnedFd first = received.getFirst(); OwnedFd second = received.getLast()) {
                assertNotEquals(first.number(), second.number());
                return PLATFORM.descriptors().sealedBytes(second);
            }
        }));
    }

    @Test
    void shouldCloseWhatFitsWhenNotAllDescriptorsFit() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "prlimit limits the child's descriptors");
        try (ChildJvm child = new ChildJvm(List.of("/usr/bin/prlimit", "--nofile=256:256"),
                List.of(ChildJvm.NATIVE_ACCESS), Child.class)) {
            List<String> said = child.rest();

            assertTrue(said.getFirst().endsWith("EMFILE (24); this process has no file descriptor left, raise its limit"
                    + " (ulimit -n)"), said::toString);
            assertEquals(List.of("-2 0", "five left"), said.subList(1, said.size()));
        }
    }

    @Test
    void shouldAcceptNothingWhenTheBacklogIsEmpty() {
        assertNull(listener.accept());
    }

    @Test
    void shouldSayThatItIsClosed() {
        Poller poller = PLATFORM.poller();
        poller.close();
        right.close();
        listener.close();
        List<Executable> calls = List.of(() -> poller.poll(0, number -> { }), () -> poller.watch(0, true, false),
                right::peer, () -> right.send(ByteBuffer.allocate(1), List.of()),
                () -> right.receive(ByteBuffer.allocate(1), OwnedFd::close), listener::accept);

        for (Executable call : calls) {
            assertEquals("this file descriptor is closed, or was given away",
                    assertThrows(ProxyException.class, call).getMessage());
        }
    }

    @Test
    void shouldBlameTheShapeOfACallForNothingElse() {
        assertThrows(IllegalStateException.class, () -> {
            throw CLibrary.failure("poll", new IllegalStateException("already closed"));
        });
        assertEquals("cannot call poll this way", assertThrows(AssertionError.class, () -> {
            throw CLibrary.failure("poll", new WrongMethodTypeException());
        }).getMessage());
    }

    @Test
    void shouldSayWhoseAddressItIsNot() {
        assertEquals(ProxyResult.REMOTE_ERROR, assertThrows(ProxyException.class,
                () -> PLATFORM.unixSockets().connect(address + "-nobody")).result());
        assertEquals("cannot listen at " + address + ": EADDRINUSE (98)", assertThrows(ProxyException.class,
                () -> PLATFORM.unixSockets().listen(address, 1)).getMessage());
        for (String wrong : List.of("", "@", "@" + "x".repeat(107), "@a\0b")) {
            assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                    () -> PLATFORM.unixSockets().connect(wrong)).result());
        }
    }

    @Test
    void shouldReportWhatIsReadyUntilItIsNot() {
        try (Poller poller = PLATFORM.poller()) {
            List<Integer> ready = new ArrayList<>();
            poller.watch(right.number(), true, false);
            assertEquals(0, poller.poll(0, ready::add));
            left.send(ByteBuffer.allocate(1), List.of());

            assertEquals(1, poller.poll(PATIENCE_NS, ready::add));
            assertEquals(1, poller.poll(0, ready::add));
            assertEquals(List.of(right.number(), right.number()), ready);
            right.receive(ByteBuffer.allocate(1), OwnedFd::close);
            assertEquals(0, poller.poll(0, ready::add));
            poller.watch(right.number(), false, true);
            assertEquals(1, poller.poll(0, ready::add));
            poller.remove(right.number());
            assertEquals(0, poller.poll(0, ready::add));
        }
    }

    @Test
    void shouldWatchTheNextOwnerOfANumberThatItCouldNotWatch() {
        try (Poller poller = PLATFORM.poller(); UnixSockets.Socket next = PLATFORM.unixSockets().connect(address)) {
            OwnedFd memory = PLATFORM.descriptors().memfd("not to be watched", 1);
            int number = memory.number();
            assertEquals("cannot watch file descriptor " + number + ": EPERM (1)", assertThrows(ProxyException.class,
                    () -> poller.watch(number, true, false)).getMessage());
            memory.close();
            try (OwnedFd socket = PLATFORM.descriptors().duplicate(new OwnedFd(next.number(), lent -> { }))) {
                assertEquals(number, socket.number());
                poller.watch(number, false, true);

                List<Integer> ready = new ArrayList<>();
                assertEquals(1, poller.poll(PATIENCE_NS, ready::add));
                assertEquals(List.of(number), ready);
                poller.remove(number);
            }
        }
    }

    @Test
    void shouldEndOneWaitForEachWakeup() {
        try (Poller poller = PLATFORM.poller()) {
            poller.wakeup();
            poller.wakeup();
            long start = System.nanoTime();
            assertEquals(0, poller.poll(PATIENCE_NS, number -> { }));
            assertTrue(System.nanoTime() - start < PATIENCE_NS, "woken");

            long again = System.nanoTime();
            poller.poll(TimeUnit.MILLISECONDS.toNanos(2), number -> { });
            assertTrue(System.nanoTime() - again >= TimeUnit.MILLISECONDS.toNanos(2), "not woken twice");
        }
    }
}
