/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import io.proxyrt.transport.collnet.wire.CallHeader;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What a comm refuses, and what it says when the switch goes, or says what it must not. */
@ParameterizedClass
@ValueSource(booleans = {false, true})
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwitchCommFailureTest extends PlayedComm {
    @Test
    void shouldRefuseTestsOfWhatIsNotOutstanding() {
        long request = comm.iallreduce(send, 0, recv, 0, 1, DataType.INT8, RedOp.SUM);
        played.receive(CallHeader.BYTES + 1, comm, request);
        played.result(0, bytes(1, 1));
        finish(request);
        for (long wrong : new long[] {0, -1, request, request + 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), comm.test(wrong));
            assertTrue(comm.failure().contains("request " + wrong + " is not outstanding"), comm.failure());
        }
        assertTrue(comm.iallreduce(send, 0, recv, 0, 1, DataType.INT8, RedOp.SUM) > 0, "the comm is none the worse");
    }

    @Test
    void shouldRefuseRangesThatAreNotWithinTheMemory() {
        for (long[] wrong : new long[][] {{-1, 1}, {0, BYTES + 1L}, {BYTES, 1}, {Long.MAX_VALUE, 4}, {1, BYTES}}) {
            assertRefused(comm.iallreduce(send, wrong[0], recv, 0, wrong[1], DataType.INT8, RedOp.SUM));
            assertRefused(comm.iallreduce(send, 0, recv, wrong[0], wrong[1], DataType.INT8, RedOp.SUM));
        }
        for (long wrong : new long[] {0, -1, SwitchComm.MAX_BYTES / 8 + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertRefused(comm.iallreduce(send, 0, recv, 0, wrong, DataType.INT64, RedOp.SUM));
        }
    }

    @Test
    void shouldRefuseWindowsThatAreNone() {
        connect(4, 1);
        for (long[] wrong : new long[][] {{100, 0, 0}, {100, 0, 401}, {100, 400, 1}, {100, -1, 10}, {0, 0, 1},
            {-4, 0, 1}, {100, 0, -1}, {Long.MAX_VALUE, 0, 8}, {1 << 30, 0, SwitchComm.MAX_BYTES + 1},
            {100, Long.MAX_VALUE, 8}}) {
            window.set(wrong[0], wrong[1], wrong[2]);
            assertRefused(comm.iallgather(send, 0, recv, 0, window));
            assertRefused(comm.ireducescatter(send, 0, recv, 0, window, DataType.INT8, RedOp.SUM));
        }
        for (long[] broken : new long[][] {{98, 4, 4}, {100, 2, 4}, {100, 4, 2}}) {
            window.set(broken[0], broken[1], broken[2]);
            assertRefused(comm.ireducescatter(send, 0, recv, 0, window, DataType.FLOAT32, RedOp.SUM));
        }
    }

    @Test
    void shouldRefuseToAverage() {
        assertRefused(comm.iallreduce(send, 0, recv, 0, 1, DataType.INT8, RedOp.AVG));
        assertRefused(comm.ireducescatter(send, 0, recv, 0, window.set(8, 0, 8), DataType.INT8, RedOp.AVG));
    }

    @Test
    void shouldRefuseMemoryThatIsNotItsOwn() {
        PlayedSwitch other = played.keep(new PlayedSwitch());
        CollNetMemory foreign = other.connect(platform()).regMr(source);
        assertRefused(comm.iallreduce(foreign, 0, recv, 0, 1, DataType.INT8, RedOp.SUM));
        assertTrue(comm.failure().contains("another comm"), comm.failure());
        assertRefused(comm.iallreduce(send, 0, null, 0, 1, DataType.INT8, RedOp.SUM));
        CollNetMemory closed = comm.regMr(source);
        closed.close();
        closed.close();
        assertRefused(comm.iallreduce(closed, 0, recv, 0, 1, DataType.INT8, RedOp.SUM));
        Arena freed = Arena.ofShared();
        CollNetMemory gone = comm.regMr(freed.allocate(8));
        freed.close();
        assertRefused(comm.iallreduce(send, 0, gone, 0, 1, DataType.INT8, RedOp.SUM));
        for (MemorySegment wrong : new MemorySegment[] {MemorySegment.ofArray(new byte[8]), source.asReadOnly(),
            gone.segment()}) {
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    assertThrows(ProxyException.class, () -> comm.regMr(wrong)).result());
        }
    }

    @Test
    void shouldFailWhenMemoryIsFreedWhileACallUsesIt() {
        Arena freed = Arena.ofShared();
        CollNetMemory gone = comm.regMr(freed.allocate(HUGE_BYTES));
        long request = comm.iallreduce(gone, 0, gone, 0, HUGE_BYTES, DataType.INT8, RedOp.SUM);
        freed.close();

        int result = 0;
        while (result == 0) {
            played.drain(1 << 20);
            result = comm.test(request);
        }
        assertEquals(-ProxyResult.INVALID_USAGE.code(), result);
        assertTrue(comm.failure().contains("memory was freed while call 0 used it"), comm.failure());
    }

    @Test
    void shouldTellWhyTheSwitchEndsTheGroupAndStayFailed() {
        long first = comm.iallreduce(send, 0, recv, 0, 1, DataType.INT8, RedOp.SUM);
        long second = comm.iallreduce(send, 0, recv, 0, 1, DataType.INT8, RedOp.SUM);
        played.receive(2 * (CallHeader.BYTES + 1), comm, first);
        played.result(0, bytes(1, 1));
        played.abort(ProxyResult.INVALID_USAGE, "the participants disagree");
        int code = -ProxyResult.INVALID_USAGE.code();

        assertEquals(code, await(second));
        assertEquals("switch " + played.address() + ": the participants disagree", comm.failure());
        assertEquals(1, comm.test(first), "what was complete before stays so");
        assertEquals(code, comm.test(second));
        assertEquals(code, comm.iallreduce(send, 0, recv, 0, 1, DataType.INT8, RedOp.SUM));
        assertEquals(code, comm.iallreduce(send, 0, recv, 0, -1, DataType.INT8, RedOp.SUM));
        assertEquals("switch " + played.address() + ": the participants disagree", comm.failure());
    }

    @Test
    void shouldTellTheReasonThatIsBehindABrokenConnection() {
        long request = postHuge();
        played.abort(ProxyResult.REMOTE_ERROR, "participant 1, rank 5 (pid 9 at there) is gone");
        // With bytes in it the connection is reset.
        played.hangUp();
        int result = 0;
        while (result == 0) {
            result = (int) comm.iallreduce(send, 0, recv, 0, 8, DataType.INT8, RedOp.SUM);
            result = result < 0 ? result : comm.test(request);
        }

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), result);
        assertEquals("switch " + played.address() + ": participant 1, rank 5 (pid 9 at there) is gone", comm.failure());
    }

    @Test
    void shouldFailWhenTheSwitchGoesAmidAResult() {
        long request = comm.iallreduce(send, 0, recv, 0, 1000, DataType.INT8, RedOp.SUM);
        played.receive(CallHeader.BYTES + 1000, comm, request);
        played.resultHeader(0, 1000);
        played.send(ByteBuffer.wrap(bytes(999, 1)));
        played.hangUp();

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(request));
        assertEquals("switch " + played.address() + ": it closed the connection, in call 0", comm.failure());
    }

    @Test
    void shouldFailWhenTheSwitchGoesWhileACallIsWritten() {
        long request = postHuge();
        played.receiveHeader(comm, request);
        played.hangUp();

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(request));
        assertTrue(comm.failure().startsWith("switch " + played.address() + ": "), comm.failure());
    }

    @Test
    void shouldNotBelieveResultsThatCannotBe() {
        assertBroken(() -> played.result(1, bytes(8, 1)));
        assertBroken(() -> played.result(-1, bytes(8, 1)));
        assertBroken(() -> played.result(0, bytes(9, 1)));
        assertBroken(() -> played.result(0, new byte[0]));
        assertBroken(() -> played.resultHeader(0, -1));
        assertBroken(() -> played.resultHeader(0, Long.MAX_VALUE));
        assertBroken(() -> played.resultHeader(0, Long.MIN_VALUE));
        assertBroken(() -> played.send(WireDescriptor.ready()));
        assertBroken(() -> played.send(ByteBuffer.allocate(24).put(0, (byte) 99)));
        assertBroken(() -> {
            played.result(0, bytes(7, 1));
            played.result(0, bytes(2, 1));
        });
    }

    @Test
    void shouldNotBelieveAResultThatWasNotAskedFor() {
        long request = comm.iallreduce(send, 0, recv, 0, 8, DataType.INT8, RedOp.SUM);
        played.receive(CallHeader.BYTES + 8, comm, request);
        played.result(0, bytes(8, 1));
        played.result(1, bytes(8, 1));
        finish(request);
        long next = comm.iallreduce(send, 0, recv, 0, 16, DataType.INT8, RedOp.SUM);

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), next < 0 ? next : await(next));
        assertTrue(comm.failure().contains("it broke the protocol"), comm.failure());
    }

    @Test
    void shouldCloseWithRequestsOutstandingAndMoreThanOnce() {
        long request = postHuge();
        comm.close();
        comm.close();

        assertEquals(-ProxyResult.INVALID_USAGE.code(), comm.test(request));
        assertEquals("switch " + played.address(), comm.network());
    }

    private void assertBroken(Runnable frames) {
        connect(1, 0);
        long request = comm.iallreduce(send, 0, recv, 0, 8, DataType.INT8, RedOp.SUM);
        played.receive(CallHeader.BYTES + 8, comm, request);
        frames.run();

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(request));
        assertTrue(comm.failure().startsWith("switch " + played.address() + ": it broke the protocol: it sent "),
                comm.failure());
    }

    private void assertRefused(long result) {
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), result);
        assertFalse(comm.failure().isEmpty());
    }
}
