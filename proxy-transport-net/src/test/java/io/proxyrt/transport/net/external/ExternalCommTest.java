/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A comm keeps the promises of the SPI over a plug-in that keeps those of NCCL's interface, or not even these. */
class ExternalCommTest extends ExternalCommFixture {
    private static final int MESSAGES = 20_000;
    private static final long[] OFFSETS = {0};
    private static final long[] LENGTHS = {1};
    private static final int[] TAGS = {0};

    @Test
    void shouldAskThePlugInForItsOldestRequestOnly() {
        NetSendComm send = send();
        NetMemory memory = send.regMr(buffer);
        long first = send.isend(memory, 0, 10, 0);
        long second = send.isend(memory, 10, 20, 0);
        long third = send.isend(memory, 30, 30, 0);

        assertEquals(0, send.test(third, sizes));
        completes(2);
        assertEquals(0, send.test(third, sizes));
        assertEquals(1, send.test(second, sizes));
        assertEquals(20, sizes[0]);
        completes(1);
        assertEquals(1, send.test(third, sizes));
        assertEquals(1, send.test(first, sizes));
        assertEquals(10, sizes[0]);
        assertEquals(REFUSED, send.test(first, sizes));
        assertTrue(send.isend(memory, 0, 1, 0) > 0, "a refused test is no failure of the comm");
    }

    @Test
    void shouldNotAskBeyondTheRequestInQuestion() {
        NetSendComm send = send();
        NetMemory memory = send.regMr(buffer);
        long first = send.isend(memory, 0, 10, 0);
        send.isend(memory, 0, 10, 0);
        completes(2);

        assertEquals(1, send.test(first, sizes));
        assertEquals(1, library.tests);
    }

    @Test
    void shouldHaveNoMoreUnderWayThanEveryPlugInBears() {
        NetSendComm send = send();
        NetMemory memory = send.regMr(buffer);
        long first = send.isend(memory, 0, 1, 0);
        for (int i = 1; i < 8; i++) {
            assertTrue(send.isend(memory, i, 1, 0) > 0);
        }
        assertEquals(0, send.isend(memory, 0, 1, 0));
        assertEquals(8, library.outstanding);
        completes(1);
        assertEquals(1, send.test(first, sizes));
        assertTrue(send.isend(memory, 0, 1, 0) > 0);
    }

    @Test
    void shouldHaveUpTo32UnderWayWhereReceivesAreGrouped() {
        NetRecvComm recv = recvOfGroups(8);
        NetMemory memory = recv.regMr(buffer);
        for (int i = 0; i < 32; i++) {
            assertTrue(irecv(recv, memory, 8) > 0);
        }
        assertEquals(0, irecv(recv, memory, 8));
    }

    @Test
    void shouldRefuseWhatThePlugInRefuses() {
        library.room = 1;
        NetSendComm send = send();
        NetRecvComm recv = recv();
        NetMemory out = send.regMr(buffer);
        NetMemory in = recv.regMr(buffer);

        assertTrue(send.isend(out, 0, 1, 0) > 0);
        assertEquals(0, send.isend(out, 0, 1, 0));
        assertEquals(0, irecv(recv, in, 0, 1));
    }

    @Test
    void shouldTakeASizeThatIsNotReportedForThatOfTheReceive() {
        NetRecvComm recv = recvOfGroups(3);
        NetMemory memory = recv.regMr(buffer);
        long request = irecv(recv, memory, 3);
        completes(1, 7);

        assertEquals(1, recv.test(request, sizes));
        assertEquals(List.of(7L, 100L, 100L), List.of(sizes[0], sizes[1], sizes[2]));
    }

    @Test
    void shouldFailAMessageLongerThanItsReceive() {
        NetRecvComm recv = recv();
        NetMemory memory = recv.regMr(buffer);
        long request = irecv(recv, memory, 0, 100);
        completes(1, 101);

        assertEquals(-ProxyResult.INVALID_USAGE.code(), recv.test(request, sizes));
        assertTrue(recv.failure().contains("101") && recv.failure().contains("100"), recv.failure());
        assertEquals(-ProxyResult.INVALID_USAGE.code(), recv.test(request, sizes));
        assertEquals(-ProxyResult.INVALID_USAGE.code(), irecv(recv, memory, 0, 1));
    }

    @Test
    void shouldFailASizeThatCannotBe() {
        NetRecvComm recv = recv();
        long request = irecv(recv, recv.regMr(buffer), 0, 100);
        completes(1, -2);

        assertEquals(-ProxyResult.INTERNAL_ERROR.code(), recv.test(request, sizes));
        assertTrue(recv.failure().contains("-2 bytes"), recv.failure());
    }

    @Test
    void shouldNotMindTheSizeOfAMessageThatNeedNotBeTracked() {
        NetRecvComm recv = recv();
        NetMemory[] memories = {recv.regMr(buffer)};
        long request = recv.irecvUntracked(memories, new long[1], new long[] {100}, new int[1]);
        completes(1, -77);

        assertEquals(NetLibrary.OPTIONAL_RECV_COMPLETION, library.hint);
        assertEquals(1, recv.test(request, sizes));
        assertEquals(100, sizes[0]);
        irecv(recv, memories[0], 0, 1);
        assertEquals(0, library.hint);
    }

    @Test
    void shouldNotTakeTheHintForARequest() {
        library.isRequestUntouched = true;
        NetRecvComm recv = recv();
        NetMemory[] memories = {recv.regMr(buffer)};

        assertEquals(0, recv.irecvUntracked(memories, new long[1], new long[1], new int[1]));
        assertEquals(0, library.outstanding);
    }

    @Test
    void shouldTellThePlugInWhatWasConsumed() {
        NetRecvComm recv = recvOfGroups(3);
        long request = irecv(recv, recv.regMr(buffer), 3);
        assertEquals(0, recv.test(request, sizes));
        assertEquals(0, library.consumed);
        completes(1);
        assertEquals(1, recv.test(request, sizes));
        assertEquals(3, library.consumed);
    }

    @Test
    void shouldFlushWhatHasBytes() {
        NetRecvComm recv = recvOfGpu(2);
        NetMemory memory = recv.regMr(buffer);
        long receive = irecv(recv, memory, 2);
        completes(1, 0, 50);
        assertEquals(1, recv.test(receive, sizes));
        long flush = recv.iflush(2, new NetMemory[] {memory, memory}, new long[2], sizes);
        assertEquals(List.of(1L, 50L), List.of((long) library.flushed, library.flushedBytes));
        completes(1);
        assertEquals(1, recv.test(flush, sizes));
        assertEquals(REFUSED, recv.test(flush, sizes));
        assertEquals(0, recv.iflush(1, new NetMemory[] {memory}, new long[1], new long[1]));
    }

    @Test
    void shouldTestAFlushBeforeAnOlderReceive() {
        NetRecvComm recv = recvOfGpu(1);
        NetMemory memory = recv.regMr(buffer);
        long receive = irecv(recv, memory, 0, 10);
        library.oldest = 1001;
        library.outstanding = 0;
        long flush = recv.iflush(1, new NetMemory[] {memory}, new long[1], new long[] {10});
        completes(1);

        assertEquals(1, recv.test(flush, sizes));
        library.oldest = 1000;
        library.outstanding = 1;
        completes(1);
        assertEquals(1, recv.test(receive, sizes));
    }

    @Test
    void shouldNotAskAPlugInToFlushThatReachesTheHostAlone() {
        NetRecvComm recv = recv();
        NetMemory memory = recv.regMr(buffer);

        assertEquals(0, recv.iflush(1, new NetMemory[] {memory}, new long[1], new long[] {10}));
        assertEquals(0, library.flushed);
    }

    @Test
    void shouldHaveNothingToWaitForIfAFlushGivesNoRequest() {
        NetRecvComm recv = recvOfGpu(1);
        NetMemory memory = recv.regMr(buffer);
        library.room = 0;

        assertEquals(0, recv.iflush(1, new NetMemory[] {memory}, new long[1], new long[] {10}));
    }

    @Test
    void shouldFailForGoodWithThePlugInsReason() {
        library.warning = "the cable is cut";
        NetSendComm send = send();
        NetMemory memory = send.regMr(buffer);
        long done = send.isend(memory, 0, 1, 0);
        long lost = send.isend(memory, 0, 1, 0);
        completes(1);
        assertEquals(0, send.test(lost, sizes));
        library.codes.put("test", 2);

        assertEquals(-ProxyResult.SYSTEM_ERROR.code(), send.test(lost, sizes));
        for (String part : List.of("test of fake0", "Fake", "libfake.so", "2", "the cable is cut")) {
            assertTrue(send.failure().contains(part), send.failure());
        }
        library.codes.clear();
        assertEquals(-ProxyResult.SYSTEM_ERROR.code(), send.test(lost, sizes));
        assertEquals(-ProxyResult.SYSTEM_ERROR.code(), send.isend(memory, 0, 1, 0));
        assertEquals(1, send.test(done, sizes), "what was complete before stays so");
    }

    @Test
    void shouldFailForEachFunctionThatFails() {
        for (String function : List.of("isend", "irecv", "iflush", "irecvConsumed")) {
            library.codes.clear();
            NetComm comm = function.equals("isend") ? send() : recvOfGpu(1);
            NetMemory memory = comm.regMr(buffer);
            library.codes.put(function, 99);
            long result = fail(function, comm, memory);
            assertEquals(-ProxyResult.INTERNAL_ERROR.code(), result, function);
            assertTrue(comm.failure().startsWith(function + " of fake0"), comm.failure());
            assertTrue(comm.failure().contains("99"), comm.failure());
        }
    }

    private long fail(String function, NetComm comm, NetMemory memory) {
        if (comm instanceof NetSendComm send) {
            return send.isend(memory, 0, 1, 0);
        }
        NetRecvComm recv = (NetRecvComm) comm;
        if (function.equals("iflush")) {
            return recv.iflush(1, new NetMemory[] {memory}, new long[1], new long[] {1});
        }
        library.outstanding = 0;
        long request = irecv(recv, memory, 0, 1);
        completes(1);
        return request < 0 ? request : recv.test(request, sizes);
    }

    @Test
    void shouldTakeInProgressForNoFailure() {
        library.codes.put("isend", ProxyResult.IN_PROGRESS.code());
        library.codes.put("test", ProxyResult.IN_PROGRESS.code());
        NetSendComm send = send();
        long request = send.isend(send.regMr(buffer), 0, 1, 0);

        assertTrue(request > 0);
        assertEquals(0, send.test(request, sizes));
    }

    @Test
    void shouldRefuseWhatIsNotOutstanding() {
        NetRecvComm recv = recv();
        NetMemory memory = recv.regMr(buffer);
        long request = irecv(recv, memory, 0, 1);
        for (long wrong : new long[] {0, 1, -1, request + 1, request + 2, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertEquals(REFUSED, recv.test(wrong, sizes), "request " + wrong);
        }
        completes(1);
        assertEquals(1, recv.test(request, sizes));
        assertEquals(REFUSED, recv.test(request, sizes));
    }

    @Test
    void shouldRefuseMessagesLongerThanTheDeviceCarries() {
        library.devices.set(0, FakeNetLibrary.device("fake0", "", 1, 500));
        NetSendComm send = send();
        NetMemory memory = send.regMr(buffer);

        assertEquals(REFUSED, send.isend(memory, 0, 501, 0));
        assertTrue(send.failure().contains("501") && send.failure().contains("500"), send.failure());
        assertTrue(send.isend(memory, 0, 500, 0) > 0);
    }

    @Test
    void shouldRefuseGroupsThatTheDeviceDoesNotReceive() {
        NetRecvComm recv = recvOfGroups(2);
        NetMemory memory = recv.regMr(buffer);

        assertEquals(REFUSED, irecv(recv, memory, 0));
        assertEquals(REFUSED, irecv(recv, memory, 3));
        assertTrue(irecv(recv, memory, 2) > 0);
    }

    @Test
    void shouldAllocateNothingPerMessage() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        NetSendComm send = send();
        NetRecvComm recv = recvOfGpu(1);
        NetMemory out = send.regMr(buffer);
        NetMemory[] in = {recv.regMr(buffer)};
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 100 && allocated > MESSAGES; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < MESSAGES; i++) {
                exchange(send, out, recv, in);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated <= MESSAGES, MESSAGES + " messages allocated " + allocated + " bytes");
    }

    private void exchange(NetSendComm send, NetMemory out, NetRecvComm recv, NetMemory[] in) {
        long sending = send.isend(out, 0, 1, 0);
        library.ready = 1;
        int results = send.test(sending, sizes);
        long receiving = recv.irecv(1, in, OFFSETS, LENGTHS, TAGS);
        library.ready = 1;
        results += recv.test(receiving, sizes);
        long flushing = recv.iflush(1, in, OFFSETS, LENGTHS);
        library.ready = 1;
        results += recv.test(flushing, sizes);
        assertEquals(3, results);
    }
}
