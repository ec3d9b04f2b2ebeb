/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections whose sockets are cut, as often and wherever it may be. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SocketResumeTest {
    private static final int MAX_BYTES = 200_000;
    private static final int SLOTS = 8;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment source = arena.allocate(2 * MAX_BYTES);
    private final MemorySegment target = arena.allocate((long) SLOTS * MAX_BYTES);
    private final CuttingProxy proxy = new CuttingProxy();
    private final long[] actual = new long[1];
    private final long[] offsets = new long[1];
    private final long[] lengths = new long[1];
    private final int[] tags = new int[1];
    private SocketNet net;
    private NetSendComm send;
    private NetRecvComm recv;
    private NetMemory sendMemory;
    private NetMemory[] recvMemory;

    @AfterEach
    void close() {
        send.close();
        recv.close();
        proxy.close();
        net.close();
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1, 0", "0, 1, 2, 1", "0, 3, 3, 0", "0, 2, 4, 1", "1, 1, 5, 0", "2, 2, 6, 0"})
    void shouldLoseAndRepeatNothingHoweverOftenItsSocketsAreCut(int threads, int sockets, int seed, int checksum) {
        Random random = new Random(seed);
        connect("net.socket.resume", "20s", "net.socket.threads", "" + threads,
                "net.socket.sockets.per.thread", "" + sockets, "net.socket.inline", "2000",
                "net.socket.chunk", "8K", "net.socket.checksum", "" + checksum);
        proxy.limit(() -> random.nextInt(4) == 0 ? random.nextInt(1, SocketHello.BYTES + SocketAnswer.BYTES + 40)
                : random.nextInt(200, 300_000));
        proxy.cutAll();
        int messages = 0;
        while (proxy.cuts() < 150) {
            exchange(random, 100, messages);
            messages += 100;
        }

        assertTrue(messages >= 100);
        assertEquals("", send.failure());
        assertEquals("", recv.failure());
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 2"})
    void shouldNotPaceWhatIsDialledAgain(int threads, int sockets) {
        AtomicInteger found = new AtomicInteger();
        connect(Loopback.counting(found), "net.socket.resume", "10s", "net.socket.threads", "" + threads,
                "net.socket.sockets.per.thread", "" + sockets);
        int dialled = sockets == 1 ? 1 : 1 + threads * sockets;
        assertEquals(2 * dialled, found.get(), "sockets of both ends");
        exchange(new Random(1), 10, 0);
        proxy.cutAll();
        exchange(new Random(2), 10, 10);
        assertEquals(3 * dialled, found.get(), "and those of the sender again");
    }

    @Test
    void shouldComeBackWhenItIsCutWhileItIsNotUsed() {
        connect("net.socket.resume", "10s");
        exchange(new Random(1), 10, 0);
        proxy.cutAll();
        while (proxy.links() == 0) {
            proxy.pump();
        }
        proxy.refuse(true);
        exchange(new Random(2), 10, 10);
    }

    @Test
    void shouldCompleteASendWhoseAcknowledgementWasLostThoughItsReceiverDoesNothingAnyMore() {
        connect("net.socket.resume", "10s");
        long receiving = irecv(0, 1000);
        long sending = isend(0, 1000);
        while (recv.test(receiving, actual) == 0) {
            proxy.pump();
        }
        proxy.cutAll();
        int result = 0;
        while (result == 0) {
            proxy.pump();
            result = send.test(sending, actual);
        }

        assertEquals(1, result, send.failure());
    }

    @Test
    void shouldAcknowledgeThoughItsReceiverAsksForNothingMore() {
        connect("net.socket.resume", "10s");
        long first = irecv(0, 10);
        irecv(1000, 10);
        long sending = isend(0, 10);

        assertEquals(1, await(recv, first), recv.failure());
        assertEquals(1, await(send, sending), send.failure());
    }

    @Test
    void shouldGiveUpWhenTheBudgetIsUsedUp() {
        connect("net.socket.resume", "60ms");
        exchange(new Random(1), 10, 0);
        proxy.cutAll();
        proxy.refuse(true);
        long sending = isend(0, MAX_BYTES);
        long receiving = irecv(0, MAX_BYTES);
        long beforeNs = System.nanoTime();
        assertGivenUp(send, sending);
        assertGivenUp(recv, receiving);

        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beforeNs);
        assertTrue(tookMs < 2000, "it took " + tookMs + " ms");
    }

    @Test
    void shouldGiveUpWhenItComesBackAgainAndAgainButGetsNowhere() {
        connect("net.socket.resume", "300ms");
        proxy.limit(() -> SocketHello.BYTES + SocketAnswer.BYTES + 16);
        proxy.cutAll();
        long sending = isend(0, MAX_BYTES);
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        int result = 0;
        while (result == 0 && System.nanoTime() - untilNs < 0) {
            proxy.pump();
            result = send.test(sending, actual);
        }

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), result, "after " + proxy.cuts() + " cuts");
        assertTrue(proxy.cuts() > 1, proxy.cuts() + " cuts");
        assertTrue(send.failure().contains("it did not come back within 300 ms"), send.failure());
    }

    @Test
    void shouldFailAtOnceIfItIsNotToBeResumed() {
        connect();
        proxy.cutAll();
        long receiving = irecv(0, 1);

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(recv, receiving));
    }

    @Test
    void shouldKnowAPeerThatClosesFromOneThatIsCutOff() {
        connect("net.socket.resume", "60m");
        exchange(new Random(1), 10, 0);
        long receiving = irecv(0, 1);
        send.close();

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(recv, receiving));
        assertTrue(recv.failure().contains("was closed by the peer in message 11"), recv.failure());
    }

    @Test
    void shouldKnowAReceiverThatClosesFromOneThatIsCutOff() {
        connect("net.socket.resume", "60m");
        exchange(new Random(1), 10, 0);
        recv.close();
        int result = 0;
        while (result >= 0) {
            proxy.pump();
            long request = send.isend(sendMemory, 0, 10, 0);
            result = request <= 0 ? (int) request : await(send, request);
        }

        assertTrue(send.failure().contains("was closed by the peer"), send.failure());
    }

    /** While the second data socket is away, a message passes it by: its receiver knows that first. */
    @ParameterizedTest
    @CsvSource({"0", "2"})
    void shouldGoOnWithASocketThatMessagesPassedByMeanwhile(int threads) {
        connect("net.socket.resume", "20s", "net.socket.threads", "" + threads, "net.socket.sockets.per.thread",
                threads == 0 ? "2" : "1", "net.socket.inline", "100", "net.socket.chunk", "8K");
        transfer(1000);
        transfer(1000);
        proxy.refuse(true);
        proxy.cut(1);
        long inline = isend(0, 10);
        while (proxy.refusals() == 0) {
            proxy.pump();
            assertEquals(0, send.test(inline, actual));
        }
        long sending = isend(0, 1000);
        assertEquals(1, await(recv, irecv(0, 10)));
        assertEquals(1, await(send, inline), send.failure());
        long receiving = irecv(0, 1000);
        while (recv.test(receiving, actual) == 0) {
            checked(send, send.test(sending, actual));
            proxy.pump();
        }
        proxy.refuse(false);

        assertEquals(1, await(send, sending), send.failure());
        exchange(new Random(1), 20, 4);
    }

    @Test
    void shouldCompleteASendThatWasAcknowledgedBeforeItsReceiverClosed() {
        connect("net.socket.resume", "20s");
        long receiving = irecv(0, 1000);
        irecv(1000, 1000);
        long sending = isend(0, 1000);
        while (recv.test(receiving, actual) == 0) {
            proxy.pump();
        }
        recv.close();

        assertEquals(1, await(send, sending), send.failure());
    }

    /** How long data may stand still is one thing, how long a socket may be away is another. */
    @Test
    void shouldNotTakeARepairForAStandstill() {
        connect("net.socket.resume", "20s", "net.socket.timeout", "50ms");
        exchange(new Random(1), 10, 0);
        proxy.cutAll();
        proxy.refuse(true);
        long receiving = irecv(0, MAX_BYTES);
        long sending = isend(0, MAX_BYTES);
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
        while (System.nanoTime() < untilNs) {
            proxy.pump();
            assertEquals(0, send.test(sending, actual), send.failure());
            assertEquals(0, recv.test(receiving, actual), recv.failure());
        }
        proxy.refuse(false);
        int sent = 0;
        int received = 0;
        while (sent == 0 || received == 0) {
            proxy.pump();
            sent += sent == 0 ? checked(send, send.test(sending, actual)) : 0;
            received += received == 0 ? checked(recv, recv.test(receiving, actual)) : 0;
        }
    }

    /** Between the breaks it is up, for longer than it may be away, and nothing is sent. */
    @Test
    void shouldHaveItsWholeBudgetForEachBreak() {
        connect("net.socket.resume", "300ms");
        exchange(new Random(1), 3, 0);
        for (int i = 0; i < 4; i++) {
            breakOnce();
            long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(350);
            while (System.nanoTime() < untilNs) {
                proxy.pump();
            }
        }
        exchange(new Random(2), 3, 3);
    }

    /** The one who closes has the connection, and the one who parks is about to ask it what it waits for. */
    @Test
    void shouldCloseWhileAnotherThreadParks() throws InterruptedException {
        connect("net.socket.resume", "20s");
        AtomicBoolean isOver = new AtomicBoolean();
        Thread parker = Thread.ofPlatform().daemon().start(() -> {
            while (!isOver.get()) {
                net.park(1);
            }
        });
        Thread closer = Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; i < 200; i++) {
                Loopback.connect(net, net).close();
            }
        });
        boolean isClosed = closer.join(Duration.ofSeconds(20));
        isOver.set(true);

        assertTrue(isClosed, "closing and parking wait for each other");
        assertTrue(parker.join(Duration.ofSeconds(20)));
    }

    /** The receiver closes, which its sender has nothing to ask about. */
    @ParameterizedTest
    @CsvSource({"0", "2"})
    void shouldSleepThoughAnUnusedConnectionBroke(int sockets) {
        connect("net.socket.resume", "20s", "net.socket.threads", "0", "net.socket.sockets.per.thread", "" + sockets);
        exchange(new Random(1), 10, 0);
        recv.close();
        proxy.pump();

        assertParksFor(100);
    }

    @Test
    void shouldSleepThoughAConnectionFailed() {
        connect("net.socket.threads", "0", "net.socket.sockets.per.thread", "2");
        long receiving = irecv(0, MAX_BYTES);
        isend(0, MAX_BYTES);
        while (proxy.carried() < MAX_BYTES / 4) {
            proxy.pump();
            assertEquals(0, recv.test(receiving, actual));
        }
        net.park(1);
        proxy.cutAll();
        while (recv.test(receiving, actual) == 0) {
            Thread.onSpinWait();
        }
        while (send.test(1, actual) == 0) {
            Thread.onSpinWait();
        }

        assertParksFor(100);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "0, 2", "1, 1"})
    void shouldNameTheHopThatCorruptedAMessage(int threads, int sockets) {
        connect("net.socket.checksum", "1", "net.socket.threads", "" + threads,
                "net.socket.sockets.per.thread", "" + sockets);
        exchange(new Random(1), 3, 0);
        proxy.flipAfter(1_500_000);
        int result = 0;
        for (int i = 0; result >= 0; i++) {
            long receiving = irecv(0, MAX_BYTES);
            isend(i, MAX_BYTES);
            result = await(recv, receiving);
        }

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), result);
        assertTrue(recv.failure().matches("message \\d+ of 200000 bytes from rank 3 at 127.0.0.1:\\d+ to rank 3 was "
                + "corrupted on its way: its CRC32C is [0-9a-f]+, and was sent as [0-9a-f]+"), recv.failure());
    }

    @Test
    void shouldCarryChecksumsIfEitherEndWantsThem() {
        assertEquals(Stream.of(0, 1, 1, 1).toList(), Stream.of(0, 1, 2, 3).map(bits ->
                new SocketTerms(0, 1, bits & 1).with(bits >> 1).flags() & SocketHandle.CHECKED).toList());
        connect();
    }

    @Test
    void shouldResumeOnlyIfBothEndsWantThat() {
        int on = SocketHandle.RESUMABLE;
        assertEquals(Stream.of(false, false, false, true).toList(), Stream.of(0, 1, 2, 3).map(bits ->
                new SocketTerms(0, 1, (bits & 1) * on).with((bits >> 1) * on).isResumable()).toList());
        connect();
    }

    private void transfer(int bytes) {
        long receiving = irecv(0, bytes);
        long sending = isend(0, bytes);
        assertEquals(1, await(recv, receiving), recv.failure());
        assertEquals(1, await(send, sending), send.failure());
    }

    private void breakOnce() {
        proxy.cutAll();
        while (proxy.links() == 0) {
            proxy.pump();
            assertEquals("", send.failure());
        }
    }

    private void assertParksFor(long ms) {
        long beforeNs = System.nanoTime();
        int parks = 0;
        while (System.nanoTime() - beforeNs < TimeUnit.MILLISECONDS.toNanos(ms)) {
            net.park(TimeUnit.MILLISECONDS.toNanos(10));
            parks++;
        }
        assertTrue(parks < 3 * ms / 10, parks + " parks of 10 ms in " + ms + " ms");
    }

    private void connect(String... options) {
        connect(Platform.find(), options);
    }

    private void connect(Platform platform, String... options) {
        net = Loopback.net(InetAddress.getLoopbackAddress(), platform, options);
        try (NetListenComm listen = net.listen(0);
                NetConnectComm connect = net.connect(0, proxy.before(SocketHandle.decode(listen.handle())).encode())) {
            while (send == null || recv == null) {
                proxy.pump();
                send = send == null ? connect.connect() : send;
                recv = recv == null ? listen.accept() : recv;
            }
        }
        sendMemory = send.regMr(source);
        recvMemory = new NetMemory[] {recv.regMr(target)};
        byte[] content = new byte[2 * MAX_BYTES];
        new Random(7).nextBytes(content);
        source.copyFrom(MemorySegment.ofArray(content));
    }

    /** Sends messages of random sizes, several at a time, and compares every byte. */
    private void exchange(Random random, int messages, int first) {
        int[] bytes = random.ints(messages, 0, MAX_BYTES).map(n -> n % 3 == 0 ? n % 4000 : n).toArray();
        long[] sends = new long[messages];
        long[] recvs = new long[messages];
        int sent = 0;
        int tested = 0;
        int posted = 0;
        int done = 0;
        while (done < messages || tested < messages) {
            proxy.pump();
            if (sent < messages && sent < tested + SLOTS) {
                sends[sent] = isend(first + sent, bytes[sent]);
                sent += sends[sent] == 0 ? 0 : 1;
            }
            if (posted < messages && posted < done + SLOTS) {
                recvs[posted] = irecv(posted % SLOTS * MAX_BYTES, bytes[posted]);
                posted += recvs[posted] == 0 ? 0 : 1;
            }
            tested += tested < sent ? checked(send, send.test(sends[tested], actual)) : 0;
            if (done < posted && checked(recv, recv.test(recvs[done], actual)) == 1) {
                compare(first + done, done, bytes[done]);
                done++;
            }
        }
    }

    private void compare(int message, int slot, int bytes) {
        assertEquals(bytes, actual[0]);
        long offset = (long) slot % SLOTS * MAX_BYTES;
        assertEquals(-1, source.asSlice(message % 1000, bytes).mismatch(target.asSlice(offset, bytes)),
                "message " + message);
        target.asSlice(offset, bytes).fill((byte) 0);
    }

    private long isend(int message, int bytes) {
        long request = send.isend(sendMemory, message % 1000, bytes, 0);
        checked(send, (int) Math.min(request, 0));
        return request;
    }

    private long irecv(int offset, int bytes) {
        offsets[0] = offset;
        lengths[0] = bytes;
        long request = recv.irecv(1, recvMemory, offsets, lengths, tags);
        checked(recv, (int) Math.min(request, 0));
        return request;
    }

    private void assertGivenUp(NetComm comm, long request) {
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(comm, request));
        assertTrue(comm.failure().contains("it did not come back within 60 ms"), comm.failure());
        assertTrue(comm.failure().contains("rank 3 at 127.0.0.1:"), comm.failure());
        assertTrue(comm.failure().contains("in message "), comm.failure());
    }

    private int await(NetComm comm, long request) {
        int result = 0;
        while (result == 0) {
            proxy.pump();
            result = comm.test(request, actual);
        }
        return result;
    }

    private static int checked(NetComm comm, int result) {
        if (result < 0) {
            throw new AssertionError(ProxyResult.of(-result) + ": " + comm.failure());
        }
        return result;
    }
}
