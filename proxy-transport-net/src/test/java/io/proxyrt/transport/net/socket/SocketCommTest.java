/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What connections of the socket network do beyond what every network does. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SocketCommTest {
    private static final int BYTES = 4 << 20;
    private static final String[] HELPERS = {"net.socket.threads", "2", "net.socket.sockets.per.thread", "2"};

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Arena arena = opened(Arena.ofShared());
    private final MemorySegment memory = arena.allocate(BYTES);
    private final long[] sizes = new long[1];

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @Test
    void shouldEndHelperThreadsWithTheConnection() throws InterruptedException {
        Loopback.Pair pair = connect(HELPERS);
        transfer(pair, BYTES);
        List<Thread> helpers = helpers();
        pair.close();

        assertEquals(4, helpers.size(), helpers.toString());
        assertTrue(helpers().isEmpty(), "helpers outlived their connection");
    }

    @Test
    void shouldStartNoHelperThreadForSmallMessages() {
        Loopback.Pair pair = connect(HELPERS);
        transfer(pair, 32 << 10);

        assertEquals(List.of(), helpers());
        transfer(pair, (32 << 10) + 1);
        assertEquals(4, helpers().size());
    }

    @Test
    void shouldLetHelperThreadsSleepWhenThereIsNothingToMove() {
        Loopback.Pair pair = connect(HELPERS);
        transfer(pair, BYTES);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<Thread> helpers = helpers();
        long startNs = System.nanoTime();
        long busyNs = helpers.stream().mapToLong(helper -> threads.getThreadCpuTime(helper.threadId())).sum();
        while (System.nanoTime() - startNs < TimeUnit.MILLISECONDS.toNanos(100)) {
            Thread.onSpinWait();
        }
        busyNs = helpers.stream().mapToLong(helper -> threads.getThreadCpuTime(helper.threadId())).sum() - busyNs;

        assertTrue(busyNs < TimeUnit.MILLISECONDS.toNanos(10), "idle helpers used " + busyNs + " ns in 100 ms");
    }

    @Test
    void shouldEndAParkWhenAHelperThreadIsThrough() {
        SocketNet net = opened(Loopback.net(HELPERS));
        Loopback.Pair pair = opened(Loopback.connect(net, net));
        transfer(pair, BYTES);
        long receive = irecv(pair, BYTES);
        long send = pair.send().isend(pair.send().regMr(memory), 0, BYTES, 0);
        long beforeNs = System.nanoTime();
        while (pair.recv().test(receive, sizes) == 0) {
            net.park(TimeUnit.SECONDS.toNanos(20));
        }
        while (pair.send().test(send, sizes) == 0) {
            net.park(TimeUnit.SECONDS.toNanos(20));
        }

        assertTrue(System.nanoTime() - beforeNs < TimeUnit.SECONDS.toNanos(10));
    }

    @Test
    void shouldCarryStamps() {
        for (String setting : new String[] {"net.socket.checksum=0", "net.socket.checksum=1", "net.socket.resume=10s",
            "net.socket.sockets.per.thread=2"}) {
            Loopback.Pair pair = connect(setting.split("="));
            for (int bytes : new int[] {0, 8, BYTES}) {
                long receive = irecv(pair, bytes);
                finish(pair, pair.send().isend(pair.send().regMr(memory), 0, bytes, 0, ~bytes), receive);
                assertEquals(~bytes, pair.recv().stamp(receive, 0), setting);
            }
        }
    }

    /** The receiver asks for two, so it reads on and finds the end before the first is in place. */
    @Test
    void shouldReceiveWhatWasSentBeforeThePeerClosed() {
        Loopback.Pair pair = connect("net.socket.engine", "nio", "net.socket.threads", "0",
                "net.socket.sockets.per.thread", "2");
        long first = irecv(pair, BYTES);
        long second = irecv(pair, BYTES);
        long sending = pair.send().isend(pair.send().regMr(memory), 0, BYTES, 0);
        while (pair.send().test(sending, sizes) == 0) {
            assertEquals(0, pair.recv().test(first, sizes), "before the last of it was sent");
        }
        pair.send().close();

        assertEquals(1, await(pair.recv(), first), pair.recv().failure());
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(pair.recv(), second));
    }

    @Test
    void shouldTellWhyAHelperThreadFailed() {
        Loopback.Pair pair = connect(HELPERS);
        transfer(pair, BYTES);
        irecv(pair, BYTES);
        pair.recv().close();
        NetMemory source = pair.send().regMr(memory);
        int result = 0;
        while (result >= 0) {
            long request = pair.send().isend(source, 0, BYTES, 0);
            result = request <= 0 ? (int) request : await(pair.send(), request);
        }

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), result);
        assertTrue(pair.send().failure().contains("rank 3 at 127.0.0.1:"), pair.send().failure());
        assertTrue(pair.send().failure().contains("in message "), pair.send().failure());
    }

    @Test
    void shouldRefuseMemoryThatItsHelperThreadsCannotReach() {
        Loopback.Pair pair = connect(HELPERS);
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment own = confined.allocate(8);
            ProxyException failure = assertThrows(ProxyException.class, () -> pair.send().regMr(own));
            assertTrue(failure.getMessage().contains("confined"), failure.getMessage());
        }
    }

    @Test
    void shouldRefuseMemoryThatIsRegisteredWithAnotherKindOfConnection() {
        Loopback.Pair one = connect();
        Loopback.Pair two = connect(HELPERS);

        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), two.send().isend(one.send().regMr(memory), 0, 1, 0));
        assertTrue(two.send().failure().contains("another connection"), two.send().failure());
    }

    @Test
    void shouldGiveUpAPeerThatTakesNothingForLongerThanTheTimeout() {
        Loopback.Pair pair = connect("net.socket.timeout", "30ms");
        NetMemory source = pair.send().regMr(memory);
        int result = 0;
        while (result >= 0) {
            long request = pair.send().isend(source, 0, BYTES, 0);
            result = request <= 0 ? (int) request : await(pair.send(), request);
        }

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), result);
        assertTrue(pair.send().failure().contains("stood still for 30 ms in message"), pair.send().failure());
    }

    @Test
    void shouldGiveUpAPeerThatStopsInAMessage() {
        Loopback.Pair pair = connect("net.socket.timeout", "30ms", "net.socket.sndbuf", "16K",
                "net.socket.rcvbuf", "16K");
        long request = irecv(pair, BYTES);
        pair.send().isend(pair.send().regMr(memory), 0, BYTES, 0);

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(pair.recv(), request));
        assertTrue(pair.recv().failure().contains("stood still"), pair.recv().failure());
    }

    @Test
    void shouldWaitForAPeerThatHasSentNothingForAsLongAsItTakes() {
        Loopback.Pair pair = connect("net.socket.timeout", "5ms");
        long request = irecv(pair, 10);
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(30);
        while (System.nanoTime() - untilNs < 0) {
            assertEquals(0, pair.recv().test(request, sizes));
        }
        transferSent(pair, request);
    }

    /** Two comms whose threads used one registration would move each other's buffers. */
    @Test
    void shouldRefuseMemoryOfAnotherConnection() {
        Loopback.Pair one = connect(HELPERS);
        Loopback.Pair other = connect(HELPERS);
        NetMemory registered = one.send().regMr(memory);

        assertTrue(one.send().isend(registered, 0, 8, 0) > 0);
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), other.send().isend(registered, 0, 8, 0));
        assertTrue(other.send().failure().contains("registered with another connection"), other.send().failure());
    }

    @Test
    void shouldAllocateNothingWithSeveralSocketsInAnyThread() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemoryEnabled());
        Loopback.Pair pair = connect(HELPERS);
        int messages = 2000;
        NetMemory source = pair.send().regMr(memory);
        NetMemory[] targets = {pair.recv().regMr(memory)};
        transferAll(pair, source, targets, messages);
        long[] ids = helpers().stream().mapToLong(Thread::threadId).toArray();
        long least = Long.MAX_VALUE;
        // The JVM now and then allocates on a thread's account; what messages take, they take in every round.
        for (int round = 0; round < 50 && least >= 1000; round++) {
            long before = allocated(threads, ids);
            transferAll(pair, source, targets, messages);
            least = Math.min(least, allocated(threads, ids) - before);
        }

        assertEquals(4, ids.length);
        assertTrue(least < 1000, least + " bytes for " + messages + " messages");
    }

    private static long allocated(ThreadMXBean threads, long... ids) {
        long bytes = threads.getCurrentThreadAllocatedBytes();
        for (long id : ids) {
            bytes += threads.getThreadAllocatedBytes(id);
        }
        return bytes;
    }

    private void transferAll(Loopback.Pair pair, NetMemory source, NetMemory[] targets, int messages) {
        long[] offsets = {0};
        long[] lengths = {100_000};
        int[] tags = {0};
        for (int i = 0; i < messages; i++) {
            long receive = pair.recv().irecv(1, targets, offsets, lengths, tags);
            long send = pair.send().isend(source, 1 << 20, 100_000, 0);
            finish(pair, send, receive);
        }
    }

    private void transfer(Loopback.Pair pair, int bytes) {
        long receive = irecv(pair, bytes);
        finish(pair, pair.send().isend(pair.send().regMr(memory), 0, bytes, 0), receive);
    }

    private void transferSent(Loopback.Pair pair, long receive) {
        finish(pair, pair.send().isend(pair.send().regMr(memory), 0, 10, 0), receive);
    }

    private void finish(Loopback.Pair pair, long send, long receive) {
        boolean isSent = false;
        boolean isReceived = false;
        while (!isSent || !isReceived) {
            isSent = isSent || checked(pair.send(), pair.send().test(send, sizes)) == 1;
            isReceived = isReceived || checked(pair.recv(), pair.recv().test(receive, sizes)) == 1;
        }
    }

    private long irecv(Loopback.Pair pair, int bytes) {
        return pair.recv().irecv(1, new NetMemory[] {pair.recv().regMr(memory)}, new long[1], new long[] {bytes},
                new int[1]);
    }

    private int await(NetComm comm, long request) {
        int result = 0;
        while (result == 0) {
            result = comm.test(request, sizes);
        }
        return result;
    }

    private static int checked(NetComm comm, int result) {
        if (result < 0) {
            throw new AssertionError(ProxyResult.of(-result) + ": " + comm.failure());
        }
        return result;
    }

    private static List<Thread> helpers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("proxy-socket-" + Loopback.RANK)).toList();
    }

    private Loopback.Pair connect(String... options) {
        SocketNet net = opened(Loopback.net(options));
        return opened(Loopback.connect(net, net));
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.add(resource);
        return resource;
    }
}
