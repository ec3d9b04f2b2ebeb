/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every network must do; each network extends this once. One thread plays both ends. The methods are public
 * because the networks live in packages of their own.
 */
public abstract class NetPluginConformance {
    private static final int MAX_BYTES = (1 << 20) + 1;
    private static final int TAG = 7;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment source = arena.allocate(MAX_BYTES, 4096);
    private final MemorySegment target = arena.allocate(MAX_BYTES, 4096);
    private final NetMemory[] targets = new NetMemory[1];
    private final long[] offsets = new long[1];
    private final long[] sizes = new long[1];
    private final int[] tags = {TAG};
    private final long[] actual = new long[1];
    private NetPlugin net;
    private NetSendComm send;
    private NetRecvComm recv;
    private NetMemory sendMemory;

    /** For subclasses. */
    protected NetPluginConformance() {
    }

    /** A network with at least one device; closed by the test. */
    protected abstract NetPlugin open();

    @BeforeEach
    public void connect() {
        net = open();
        NetListenComm listen = net.listen(0);
        NetConnectComm connect = net.connect(0, listen.handle());
        while (send == null || recv == null) {
            send = send == null ? connect.connect() : send;
            recv = recv == null ? listen.accept() : recv;
        }
        connect.close();
        listen.close();
        sendMemory = send.regMr(source);
        targets[0] = recv.regMr(target);
        byte[] content = new byte[MAX_BYTES];
        new Random(1).nextBytes(content);
        source.copyFrom(MemorySegment.ofArray(content));
    }

    @AfterEach
    public void close() {
        sendMemory.close();
        targets[0].close();
        send.close();
        recv.close();
        net.close();
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 129, 4079, 4080, 4095, 4096, 4097, 16383, 16384, 16385, 16400, 16401, 32767,
            32768, 32769, 65535, 65536, 65537, MAX_BYTES})
    public void shouldCarryMessagesOfEverySize(int bytes) {
        long request = irecv(0, bytes);
        finish(isend(0, bytes), request);

        assertEquals(bytes, actual[0]);
        assertEquals(-1, source.asSlice(0, bytes).mismatch(target.asSlice(0, bytes)));
    }

    @Test
    public void shouldReportTheSizeOfAMessageShorterThanItsReceive() {
        long request = irecv(0, 1000);
        finish(isend(0, 10), request);

        assertEquals(10, actual[0]);
    }

    @Test
    public void shouldTouchNothingBeyondTheMessage() {
        target.fill((byte) 0x5a);
        long first = irecv(100, 50);
        long second = irecv(1000, 70_000);
        isend(0, 30);
        finish(isend(500, 60_000), second);

        assertEquals(1, recv.test(first, actual));
        assertTarget(0, 100, 0x5a);
        assertTarget(130, 870, 0x5a);
        assertTarget(61_000, 30_000, 0x5a);
    }

    @Test
    public void shouldKeepTheOrderOfManyMessagesOfMixedSizes() {
        Random random = new Random(42);
        int[] bytes = random.ints(400, 0, 3000).map(size -> size % 20 == 0 ? size * 40 : size).toArray();
        long[] sends = new long[bytes.length];
        long[] recvs = new long[bytes.length];
        int sent = 0;
        int posted = 0;
        int done = 0;
        int tested = 0;
        while (done < bytes.length) {
            if (sent < bytes.length && random.nextBoolean()) {
                sends[sent] = isend(sent, bytes[sent]);
                sent += sends[sent] > 0 ? 1 : 0;
            }
            if (posted < bytes.length && posted < done + 8) {
                recvs[posted] = irecv(posted % 8 * 130_000L, bytes[posted] + posted % 3);
                posted += recvs[posted] > 0 ? 1 : 0;
            }
            if (tested < sent && random.nextBoolean()) {
                tested += checked(send, send.test(sends[tested], actual));
            }
            if (done < posted && checked(recv, recv.test(recvs[done], actual)) == 1) {
                assertEquals(bytes[done], actual[0]);
                assertEquals(-1, source.asSlice(done, bytes[done])
                        .mismatch(target.asSlice(done % 8 * 130_000L, bytes[done])), "message " + done);
                done++;
            }
        }
    }

    @Test
    public void shouldCarryAMessageThatWasSentBeforeItsReceiveWasPosted() {
        long request = isend(3, 2000);

        finish(request, irecv(0, 2000));

        assertEquals(-1, source.asSlice(3, 2000).mismatch(target.asSlice(0, 2000)));
    }

    @Test
    public void shouldRefuseRequestsWithoutAnErrorWhenTooManyAreOutstanding() {
        int room = 0;
        while (irecv(room, 1) > 0) {
            room++;
        }
        assertTrue(room >= 8, "a comm must bear 8 requests, this one bears " + room);

        long[] sends = new long[room];
        for (int i = 0; i < room; i++) {
            sends[i] = isend(i, 1);
        }
        assertEquals(0, irecv(0, 1));
        finish(sends[0], 1);
        assertTrue(irecv(0, 1) > 0);
    }

    @Test
    public void shouldLetRequestsBeTestedInAnyOrder() {
        long[] sends = {isend(0, 100), isend(100, 100_000), isend(7, 5)};
        long[] recvs = {irecv(0, 100), irecv(100, 100_000), irecv(200_000, 5)};
        finish(sends[2], recvs[2]);
        finish(sends[0], recvs[0]);
        finish(sends[1], recvs[1]);

        assertEquals(-1, source.asSlice(0, 100_100).mismatch(target.asSlice(0, 100_100)));
        assertEquals(-1, source.asSlice(7, 5).mismatch(target.asSlice(200_000, 5)));
    }

    @Test
    public void shouldHoldTheSenderBackWhileNothingIsReceived() {
        long request = 1;
        int sends = 0;
        while (request > 0 && sends < 1000) {
            request = isend(0, MAX_BYTES);
            checked(send, (int) Math.min(request, 0));
            sends++;
        }

        assertEquals(0, request, "the sender was never refused");
        assertEquals("", send.failure());
    }

    @Test
    public void shouldFailAMessageThatIsLongerThanItsReceive() {
        long request = irecv(0, 4096);
        isend(0, 4097);
        int result = await(recv, request);

        assertEquals(-ProxyResult.INVALID_USAGE.code(), result);
        assertTrue(recv.failure().contains("4097") && recv.failure().contains("4096"), recv.failure());
        assertEquals(result, recv.test(request, actual), "the failure must stick");
        assertEquals(result, irecv(0, 4096));
    }

    @Test
    public void shouldFailReceivesWhenThePeerCloses() {
        long complete = irecv(0, 10);
        long request = irecv(0, 10);
        isend(0, 10);
        send.close();

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(recv, request));
        assertTrue(recv.failure().contains("closed by the peer"), recv.failure());
        assertEquals(1, recv.test(complete, actual), "what was complete before stays so");
    }

    @Test
    public void shouldFailSendsWhenThePeerCloses() {
        recv.close();
        int result = 0;
        while (result >= 0) {
            long request = isend(0, 10);
            result = request <= 0 ? (int) request : send.test(request, actual);
        }

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), result);
        assertFalse(send.failure().isEmpty());
    }

    @Test
    public void shouldFailSendsWhenThePeerClosesAfterAThreadWasParked() {
        long request = irecv(0, 10);
        net.park(1);
        finish(isend(0, 10), request);
        net.park(1);
        shouldFailSendsWhenThePeerCloses();
    }

    @Test
    public void shouldEndAParkWhenDataCome() {
        long request = irecv(0, 10);
        net.park(1);
        long sending = isend(0, 10);
        long beforeNs = System.nanoTime();
        net.park(TimeUnit.SECONDS.toNanos(30));

        assertTrue(System.nanoTime() - beforeNs < TimeUnit.SECONDS.toNanos(10));
        finish(sending, request);
    }

    @Test
    public void shouldEndAParkInTimeWhenNothingComes() {
        irecv(0, 10);
        for (int i = 0; i < 20; i++) {
            net.park(1000);
        }
    }

    @Test
    public void shouldCloseWithoutCompletingWhatIsOutstanding() {
        irecv(0, 10);
        isend(0, MAX_BYTES);
        send.close();
        recv.close();
        send.close();
        recv.close();
    }

    @Test
    public void shouldRefuseTestsOfWhatIsNotOutstanding() {
        long request = irecv(0, 10);
        finish(isend(0, 10), request);

        assertRefused(recv, recv.test(0, actual));
        assertRefused(recv, recv.test(-1, actual));
        assertRefused(recv, recv.test(request, actual));
        assertRefused(recv, recv.test(request + 1, actual));
        finish(isend(0, 10), irecv(0, 10));
    }

    @Test
    public void shouldRefuseRangesOutsideTheMemory() {
        assertRefused(send, isend(MAX_BYTES - 9, 10));
        assertRefused(send, isend(-1, 10));
        assertRefused(send, isend(0, -1));
        assertRefused(send, isend(1, Long.MAX_VALUE));
        assertRefused(recv, irecv(MAX_BYTES, 1));
        finish(isend(MAX_BYTES - 10, 10), irecv(MAX_BYTES - 10, 10));
    }

    @Test
    public void shouldRefuseGroupsItCannotReceive() {
        int maxRecvs = net.properties(0).maxRecvs();

        assertRefused(recv, recv.irecv(0, targets, offsets, sizes, tags));
        assertRefused(recv, recv.irecv(maxRecvs + 1, targets, offsets, sizes, tags));
    }

    @Test
    public void shouldRefuseMemoryItCannotReach() {
        assertThrows(ProxyException.class, () -> send.regMr(MemorySegment.ofArray(new byte[10])));
        assertThrows(ProxyException.class, () -> recv.regMr(target.asReadOnly()));
    }

    @Test
    public void shouldRefuseDevicesThatAreNotThere() {
        for (int dev : new int[] {-1, net.devices(), Integer.MIN_VALUE}) {
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    assertThrows(ProxyException.class, () -> net.listen(dev)).result());
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    assertThrows(ProxyException.class, () -> net.properties(dev)).result());
            assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                    () -> net.connect(dev, ByteBuffer.allocate(NetPlugin.HANDLE_BYTES))).result());
        }
    }

    @Test
    public void shouldRefuseBrokenHandlesAndLeaveGoodOnesAsTheyAre() {
        try (NetListenComm listen = net.listen(0)) {
            ByteBuffer handle = listen.handle();
            byte[] before = bytes(handle.duplicate());
            net.connect(0, handle).close();

            assertArrayEquals(before, bytes(handle));
            assertTrue(before.length > 0 && before.length <= NetPlugin.HANDLE_BYTES);
            assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                    () -> net.connect(0, ByteBuffer.wrap(before, 0, before.length - 1))).result());
            assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                    () -> net.connect(0, ByteBuffer.allocate(NetPlugin.HANDLE_BYTES))).result());
        }
    }

    @Test
    public void shouldAcceptNobodyAsLongAsNobodyConnects() {
        try (NetListenComm listen = net.listen(0)) {
            for (int i = 0; i < 100; i++) {
                assertNull(listen.accept());
            }
        }
    }

    @Test
    public void shouldDescribeItsDevices() {
        assertTrue(net.describe().contains(net.properties(0).name()), net.describe());
        assertTrue(net.properties(0).speedMbps() > 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 100_000})
    public void shouldAllocateNothingPerMessage(int bytes) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemoryEnabled());
        int messages = bytes < 1000 ? 100_000 : 10_000;
        exchange(messages / 5, bytes);
        long before = threads.getCurrentThreadAllocatedBytes();
        exchange(messages, bytes);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertTrue(allocated < messages / 10, allocated + " bytes for " + messages + " messages");
    }

    private void exchange(int messages, int bytes) {
        for (int i = 0; i < messages; i++) {
            long request = irecv(0, bytes);
            finish(isend(0, bytes), request);
        }
    }

    private long isend(long offset, long bytes) {
        return send.isend(sendMemory, offset, bytes, TAG);
    }

    private long irecv(long offset, long bytes) {
        offsets[0] = offset;
        sizes[0] = bytes;
        return recv.irecv(1, targets, offsets, sizes, tags);
    }

    /** Drives both ends until both requests are done; leaves the received size in {@code actual}. */
    private void finish(long sending, long receiving) {
        boolean isSent = false;
        boolean isReceived = false;
        while (!isSent || !isReceived) {
            isSent = isSent || checked(send, send.test(sending, sizes)) == 1;
            isReceived = isReceived || checked(recv, recv.test(receiving, actual)) == 1;
        }
    }

    private int await(NetComm comm, long request) {
        int result = 0;
        while (result == 0) {
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

    private static void assertRefused(NetComm comm, long result) {
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), result);
        assertFalse(comm.failure().isEmpty());
    }

    private void assertTarget(int offset, int bytes, int value) {
        for (int i = offset; i < offset + bytes; i++) {
            assertEquals(value, target.get(ValueLayout.JAVA_BYTE, i));
        }
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
