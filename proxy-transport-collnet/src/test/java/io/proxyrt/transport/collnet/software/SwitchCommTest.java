/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import io.proxyrt.transport.collnet.wire.CallHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What a comm and its switch say to each other when all is well. */
@ParameterizedClass
@ValueSource(booleans = {false, true})
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwitchCommTest extends PlayedComm {
    private static final int ROOM = 32;

    @Test
    void shouldSendAnAllReduceAndTakeItsResult() {
        long request = comm.iallreduce(send, 40, recv, 8, 1000, DataType.FLOAT32, RedOp.MAX);
        ByteBuffer header = played.receiveHeader(comm, request);
        CallHeader.check(header, 1);

        assertEquals("all_reduce of 1000 float max (call 0)", CallHeader.describe(header));
        assertEquals(4000, CallHeader.payloadBytes(header));
        assertSent(40, played.receive(4000, comm, request));
        played.result(0, bytes(4000, 3));
        finish(request);
        assertReceived(8, bytes(4000, 3));
        assertEquals(0, target.get(ValueLayout.JAVA_LONG, 0), "nothing ahead of it");
        assertEquals(0, target.get(ValueLayout.JAVA_LONG, 4008), "nothing behind it");
    }

    /** A minute is far more than a busy machine takes for one frame, and less than the wait would last. */
    @Test
    void shouldEndAWaitWhenAResultComes() {
        long request = comm.iallreduce(send, 0, recv, 0, 10, DataType.INT8, RedOp.SUM);
        played.receive(CallHeader.BYTES + 10, comm, request);
        Thread.ofPlatform().daemon().start(() -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            played.result(0, bytes(10, 1));
        });
        long startNs = System.nanoTime();
        while (comm.test(request) == 0) {
            played.net().park(TimeUnit.HOURS.toNanos(1));
        }
        assertTrue(System.nanoTime() - startNs < TimeUnit.MINUTES.toNanos(1));
    }

    @Test
    void shouldLetTheSwitchHearThatACommWasClosedWhichAThreadSleptFor() {
        long request = comm.iallreduce(send, 0, recv, 0, 10, DataType.INT8, RedOp.SUM);
        played.receive(CallHeader.BYTES + 10, comm, request);
        played.net().park(1);
        comm.close();
        played.awaitEnd();
    }

    @Test
    void shouldSendItsPartOfAnAllGathersWindowAndTakeTheWindow() {
        connect(4, 2);
        long request = comm.iallgather(send, 3, recv, 0, window.set(100, 150, 120));
        ByteBuffer header = played.receiveHeader(comm, request);
        CallHeader.check(header, 4);

        assertEquals(CollFunction.ALL_GATHER, CallHeader.function(header));
        assertEquals(150, CallHeader.windowOffset(header));
        assertEquals(120, CallHeader.windowBytes(header));
        assertEquals(100, CallHeader.bytesPerRank(header));
        assertSent(3, played.receive(70, comm, request));
        played.result(0, bytes(120, 4));
        finish(request);
        assertReceived(0, bytes(120, 4));
    }

    @Test
    void shouldSendAReduceScattersWindowAndTakeItsPartOfIt() {
        connect(4, 1);
        long request = comm.ireducescatter(send, 8, recv, 16, window.set(96, 48, 96), DataType.FLOAT64, RedOp.PROD);
        ByteBuffer header = played.receiveHeader(comm, request);
        CallHeader.check(header, 4);

        assertEquals("reduce_scatter of 12 double prod a participant, bytes 48 + 96 (call 0)",
                CallHeader.describe(header));
        assertSent(8, played.receive(96, comm, request));
        played.result(0, bytes(48, 5));
        finish(request);
        assertReceived(16, bytes(48, 5));
    }

    @Test
    void shouldTakePartInAWindowThatItsPartDoesNotMeet() {
        connect(4, 3);
        long gather = comm.iallgather(send, -1, recv, 0, window.set(100, 0, 200));
        assertEquals(0, CallHeader.payloadBytes(played.receiveHeader(comm, gather)));
        played.result(0, bytes(200, 1));
        finish(gather);
        long scatter = comm.ireducescatter(send, 0, recv, Long.MAX_VALUE, window.set(100, 0, 200), DataType.INT8,
                RedOp.SUM);
        assertEquals(200, CallHeader.payloadBytes(played.receiveHeader(comm, scatter)));
        played.receive(200, comm, scatter);
        played.result(1, new byte[0]);
        finish(scatter);
    }

    @Test
    void shouldTakeAResultInSeveralFramesBetweenThoseOfOthers() {
        long first = comm.iallreduce(send, 0, recv, 0, 300_000, DataType.INT8, RedOp.SUM);
        long second = comm.iallreduce(send, 0, recv, 300_000, 10, DataType.INT8, RedOp.SUM);
        played.receive(CallHeader.BYTES + 300_000, comm, first);
        byte[] all = bytes(300_000, 6);
        ByteBuffer frames = ByteBuffer.wrap(all);
        for (int bytes : new int[] {1, 99_999, 20, 199_980}) {
            byte[] frame = new byte[bytes];
            frames.get(frame);
            played.result(0, frame);
            assertEquals(0, comm.test(second));
        }
        played.result(1, bytes(10, 7));
        finish(second);
        finish(first);

        assertReceived(0, all);
        assertReceived(300_000, bytes(10, 7));
    }

    @Test
    void shouldWriteCallsInOrderWhateverTheirSizes() {
        int[] sizes = {1, 5000, 40_000, 3, 3_000_000, 4096, 32_768, 32_769, 1 << 20, 17};
        long[] requests = new long[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            requests[i] = comm.iallreduce(send, i, recv, 0, sizes[i], DataType.UINT8, RedOp.MIN);
        }
        for (int i = 0; i < sizes.length; i++) {
            ByteBuffer header = played.receiveHeader(comm, requests[i]);
            assertEquals(i, CallHeader.seq(header));
            assertEquals(sizes[i], CallHeader.payloadBytes(header));
            assertSent(i, played.receive(sizes[i], comm, requests[i]));
        }
    }

    /** System calls go by buffers of a gigabyte. */
    @Test
    void shouldSendFromAndReceiveAcrossAGigabyte(@TempDir Path folder) throws IOException {
        long gigabyte = 1L << 30;
        try (FileChannel sparse = FileChannel.open(folder.resolve("sparse"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment far = sparse.map(FileChannel.MapMode.READ_WRITE, 0, gigabyte + BYTES, arena);
            far.asSlice(gigabyte - 300_000, BYTES).copyFrom(source);
            CollNetMemory memory = comm.regMr(far);
            long request = comm.iallreduce(memory, gigabyte - 300_000, memory, gigabyte - 150_000, 400_000,
                    DataType.INT8, RedOp.SUM);
            played.receiveHeader(comm, request);
            assertSent(0, played.receive(400_000, comm, request));
            played.result(0, bytes(400_000, 3));
            finish(request);

            assertEquals(-1, far.asSlice(gigabyte - 150_000, 400_000)
                    .mismatch(MemorySegment.ofArray(bytes(400_000, 3))));
        }
    }

    @Test
    void shouldTakeResultsWhileItCannotWrite() {
        long first = comm.iallreduce(send, 0, recv, 0, 100, DataType.INT8, RedOp.SUM);
        CollNetMemory huge = comm.regMr(HUGE);
        long second = comm.iallreduce(huge, 0, huge, 0, HUGE_BYTES, DataType.INT8, RedOp.SUM);
        played.receive(CallHeader.BYTES + 100, comm, first);
        // The second one is not read, so it is stuck.
        for (int i = 0; i < 1000; i++) {
            assertEquals(0, comm.test(second));
        }
        played.result(0, bytes(100, 8));
        finish(first);

        assertReceived(0, bytes(100, 8));
        HUGE.set(ValueLayout.JAVA_BYTE, 0, (byte) 0);
        played.result(1, new byte[] {1});
        while (HUGE.get(ValueLayout.JAVA_BYTE, 0) == 0) {
            assertEquals(0, comm.test(second), "the result of a call that is still being written comes in");
            PlayedSwitch.turn();
        }
    }

    @Test
    void shouldKeepARequestUntilItsPayloadIsWritten() {
        connect(4, 0);
        int part = HUGE_BYTES / 4;
        long request = comm.ireducescatter(comm.regMr(HUGE), 0, recv, 0, window.set(part, part - 1000,
                3 * part + 1000), DataType.INT8, RedOp.SUM);
        played.receiveHeader(comm, request);
        played.result(0, bytes(1000, 2));
        while (target.get(ValueLayout.JAVA_BYTE, 999) != bytes(1000, 2)[999]) {
            assertEquals(0, comm.test(request));
            PlayedSwitch.turn();
        }
        for (int drained = 0; drained < 4 << 20; drained += played.drain(1 << 20)) {
            assertEquals(0, comm.test(request), "the rest of the payload is still needed");
        }
        while (comm.test(request) == 0) {
            played.drain(1 << 20);
        }
        assertEquals("", comm.failure());
    }

    @Test
    void shouldBear32RequestsAndRefuseMoreWithoutAnError() {
        long[] requests = new long[ROOM];
        for (int i = 0; i < ROOM; i++) {
            requests[i] = comm.iallreduce(send, i, recv, i, 1, DataType.INT8, RedOp.SUM);
            assertTrue(requests[i] > 0, comm.failure());
        }
        assertEquals(0, comm.iallreduce(send, 0, recv, 0, 1, DataType.INT8, RedOp.SUM));
        assertEquals("", comm.failure());
        for (int i = 0; i < ROOM; i++) {
            played.receive(CallHeader.BYTES + 1, comm, requests[ROOM - 1]);
            played.result(i, bytes(1, i));
        }
        for (int i = ROOM - 1; i > 0; i--) {
            finish(requests[i]);
            assertReceived(i, bytes(1, i));
        }
        assertEquals(0, comm.iallreduce(send, 0, recv, 0, 1, DataType.INT8, RedOp.SUM), "the oldest has its place");
        finish(requests[0]);
        assertTrue(comm.iallreduce(send, 0, recv, 0, 1, DataType.INT8, RedOp.SUM) > requests[ROOM - 1]);
    }

    @Test
    void shouldHaveNothingToFlush() {
        assertEquals(0, comm.iflush(recv, 0, 8));
    }

    @Test
    void shouldAllocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuffer result = ByteBuffer.allocateDirect(CallHeader.BYTES + 300_000);
        long least = Long.MAX_VALUE;
        long seq = 0;
        // The JVM now and then allocates on a thread's account; what calls take, they take in every round.
        for (int round = 0; round < 50 && least > 0; round++) {
            long allocated = 0;
            for (int i = 0; i < 100; i++) {
                allocated += allocatedBy(threads, i % 2 == 0 ? 8 : 100_000, result, seq++);
            }
            least = Math.min(least, allocated);
        }

        assertEquals(0, least);
    }

    /** A call, of which only what the comm does is counted. */
    private long allocatedBy(ThreadMXBean threads, int bytes, ByteBuffer wire, long seq) {
        long before = threads.getCurrentThreadAllocatedBytes();
        long request = comm.iallreduce(send, 0, recv, 0, bytes / 4, DataType.FLOAT32, RedOp.SUM);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        wire.clear().limit(CallHeader.BYTES + bytes);
        while (!played.fill(wire)) {
            before = threads.getCurrentThreadAllocatedBytes();
            comm.test(request);
            allocated += threads.getCurrentThreadAllocatedBytes() - before;
        }
        played.answer(wire, seq, bytes);
        before = threads.getCurrentThreadAllocatedBytes();
        finish(request);
        return allocated + threads.getCurrentThreadAllocatedBytes() - before;
    }
}
