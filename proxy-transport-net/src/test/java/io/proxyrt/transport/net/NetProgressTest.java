/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The progress functions, pass by pass, against a network and kernels that move when told. */
class NetProgressTest {
    @TempDir
    Path folder;

    private final ManualNet net = new ManualNet();
    private TestRank sender;
    private TestRank receiver;

    @BeforeEach
    void connect() {
        sender = new TestRank(Direction.SEND, net, folder);
        receiver = new TestRank(Direction.RECV, net, folder);
        TestRank.connect(sender, receiver);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        assertEquals(0, net.open, "something of the network was not closed");
    }

    @Test
    void shouldSendASliceInThreeMoves() {
        ProxyArgs args = sender.op(1, 1, 1);
        assertEquals(1, sender.advance(args));
        assertSend(args, 1, 0, 0);
        assertEquals(0, sender.advance(args), "the kernel has written nothing");
        write(0, 10);
        assertEquals(1, sender.advance(args));
        assertSend(args, 1, 1, 0);
        assertEquals(0, sender.kernelEnd().sendMem().head(), "no credit before the network is done");
        assertEquals(10, sender.kernelEnd().recvMem().size(0));
        assertEquals(0, sender.advance(args));
        net.wire().posted = 1;
        net.wire().completed = 1;
        assertEquals(1, sender.advance(args));

        assertSend(args, 1, 1, 1);
        assertEquals(1, sender.kernelEnd().sendMem().head());
        assertEquals(RecvMem.EMPTY, sender.kernelEnd().recvMem().size(0));
        assertEquals(State.NONE, args.state);
        assertEquals(1, args.done);
    }

    @Test
    void shouldCompleteASliceInThePassThatTransmitsIt() {
        ProxyArgs args = sender.op(1, 1, 1);
        sender.advance(args);
        write(0, 10);
        net.wire().completed = 1;

        assertEquals(2, sender.advance(args));
        assertEquals(State.NONE, args.state);
    }

    @Test
    void shouldNotTransmitUntilBothTailAndSizeAreThere() {
        ProxyArgs args = sender.op(1, 1, 1);
        sender.advance(args);
        sender.kernelEnd().recvMem().size(0, 10);
        assertEquals(0, sender.advance(args));
        sender.kernelEnd().recvMem().size(0, RecvMem.EMPTY);
        sender.kernelEnd().recvMem().tail(1);
        assertEquals(0, sender.advance(args));
        sender.kernelEnd().recvMem().size(0, 10);

        assertEquals(1, sender.advance(args));
    }

    @Test
    void shouldExpectNoMoreThanEightStepsAheadOfTheNetwork() {
        ProxyArgs args = sender.op(20, 2, 4);
        for (int step = 0; step < 8; step += 2) {
            assertEquals(1, sender.advance(args));
            write(step, 1);
        }
        for (int pass = 0; pass < 4; pass++) {
            sender.advance(args);
        }
        assertSend(args, 8, 8, 0);
        assertEquals(0, sender.advance(args));
    }

    @Test
    void shouldTryAgainWhenTheNetworkRefuses() {
        ProxyArgs args = sender.op(1, 1, 1);
        sender.advance(args);
        write(0, 10);
        net.refusedSends = 3;
        for (int pass = 0; pass < 3; pass++) {
            assertEquals(0, sender.advance(args));
        }
        assertEquals(1, sender.advance(args));
        assertEquals(3, sender.counters.get(Counter.NET_BACK_PRESSURE));
        assertEquals(1, sender.counters.get(Counter.NET_ISENDS));
        assertEquals(10, sender.counters.get(Counter.NET_BYTES_SENT));
    }

    @Test
    void shouldGoOnCompletingWhileTheNetworkRefuses() {
        ProxyArgs args = sender.op(2, 1, 1);
        sender.advance(args);
        sender.advance(args);
        write(0, 1);
        write(1, 1);
        sender.advance(args);
        net.refusedSends = 1;
        net.wire().completed = 1;

        assertEquals(1, sender.advance(args));
        assertSend(args, 2, 1, 1);
    }

    @Test
    void shouldRoundTheBaseOfAnOpUpToAChunk() {
        ProxyArgs first = sender.op(3, 1, 1);
        ProxyArgs second = sender.op(6, 2, 4);
        sender.advance(first);
        sender.advance(second);

        assertEquals(0, first.sub(0).base);
        assertEquals(4, second.sub(0).base);
        write(4, 5);
        sender.advance(second);
        sender.advance(second);
        sender.advance(second);
        assertEquals(2, second.sub(0).transmitted, "step 4 is the op's first");
    }

    @Test
    void shouldRefuseAnOpWhoseKernelWouldNeverGetCredit() {
        assertEquals(1, sender.advance(sender.op(1, 1, 1)));

        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), sender.advance(sender.op(8, 2, 8)));
        assertEquals(1, sender.advance(sender.op(8, 1, 8)));
    }

    @Test
    void shouldRefuseSlicesThatWouldRunBeyondTheBuffer() {
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), receiver.advance(receiver.op(6, 3, 3)));
    }

    @Test
    void shouldFailASendWithTheReasonOfTheNetwork() {
        ProxyArgs args = sender.op(1, 1, 1);
        sender.advance(args);
        write(0, 10);
        net.failure = "the cable is out";

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), sender.advance(args));
    }

    @Test
    void shouldFailASendOfMoreThanTheSlotHolds() {
        ProxyArgs args = sender.op(1, 1, 1);
        sender.advance(args);
        write(0, TestRank.BUFFER_BYTES / 8 + 1);

        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), sender.advance(args));
        assertEquals(0, net.wire().sent);
    }

    @Test
    void shouldReceiveASliceInThreePhases() {
        ProxyArgs args = receiver.op(1, 1, 1);
        assertEquals(1, receiver.advance(args));
        assertRecv(args, 1, 0, 0, 0);
        assertEquals(0, receiver.advance(args));
        receiver.kernelEnd().recvMem().size(0, 0);
        arrive(10);
        assertEquals(1, receiver.advance(args));
        assertRecv(args, 1, 1, 1, 0);
        assertEquals(1, receiver.kernelEnd().recvMem().tail());
        assertEquals(RecvMem.EMPTY, receiver.kernelEnd().recvMem().size(0));
        assertEquals(0, receiver.advance(args), "the kernel has not read it");
        receiver.kernelEnd().sendMem().head(1);
        assertEquals(1, receiver.advance(args));

        assertRecv(args, 1, 1, 1, 1);
        assertEquals(State.NONE, args.state);
        assertEquals(10, receiver.counters.get(Counter.NET_BYTES_RECEIVED));
    }

    @Test
    void shouldPostNoMoreThanEightStepsAheadOfTheKernel() {
        ProxyArgs args = receiver.op(20, 1, 1);
        for (int pass = 0; pass < 8; pass++) {
            assertEquals(1, receiver.advance(args));
        }
        assertEquals(0, receiver.advance(args));
        arrive(1);
        assertEquals(1, receiver.advance(args));
        assertEquals(0, receiver.advance(args), "a slot is free only when the kernel has read it");
        receiver.kernelEnd().sendMem().head(1);
        assertEquals(1, receiver.advance(args));
        assertEquals(1, receiver.advance(args));
        assertRecv(args, 9, 1, 1, 1);
    }

    @Test
    void shouldConsumeAllThatTheKernelHasRead() {
        ProxyArgs args = receiver.op(6, 2, 2);
        for (int slice = 0; slice < 3; slice++) {
            receiver.advance(args);
        }
        for (int slice = 0; slice < 3; slice++) {
            arrive(1);
            receiver.advance(args);
        }
        receiver.kernelEnd().sendMem().head(6);

        assertEquals(3, receiver.advance(args));
        assertEquals(State.NONE, args.state);
    }

    @Test
    void shouldTryAgainWhenTheNetworkRefusesAReceive() {
        ProxyArgs args = receiver.op(1, 1, 1);
        net.refusedRecvs = 2;
        assertEquals(0, receiver.advance(args));
        assertEquals(0, receiver.advance(args));
        assertEquals(1, receiver.advance(args));
        assertEquals(2, receiver.counters.get(Counter.NET_BACK_PRESSURE));
        assertEquals(1, receiver.counters.get(Counter.NET_IRECVS));
    }

    @Test
    void shouldFailAReceiveWithTheReasonOfTheNetwork() {
        ProxyArgs args = receiver.op(1, 1, 1);
        receiver.advance(args);
        net.failure = "the cable is out";

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), receiver.advance(args));
    }

    @Test
    void shouldShareTheDepthAmongTheSubsOfAGroup() {
        assertEquals(8, NetSteps.depth(1, 16));
        assertEquals(8, NetSteps.depth(2, 16));
        assertEquals(5, NetSteps.depth(3, 16));
        assertEquals(1, NetSteps.depth(16, 16));
        assertEquals(1, NetSteps.depth(128, 16), "a great group still moves");
    }

    /** The sender's kernel fills the slot of an absolute step. */
    private void write(long step, long bytes) {
        sender.kernelEnd().recvMem().size((int) (step % 8), bytes);
        sender.kernelEnd().recvMem().tail(step + 2);
    }

    /** A message comes in from somewhere. */
    private void arrive(long bytes) {
        ProxyArgs args = sender.op(1, 1, 1);
        sender.advance(args);
        write(args.sub(0).base, bytes);
        sender.advance(args);
        assertTrue(net.wire().deliver());
    }

    private static void assertSend(ProxyArgs args, long posted, long transmitted, long done) {
        ProxySubArgs sub = args.sub(0);
        assertEquals(posted + " " + transmitted + " " + done, sub.posted + " " + sub.transmitted + " " + sub.done);
    }

    private static void assertRecv(ProxyArgs args, long posted, long received, long transmitted, long done) {
        ProxySubArgs sub = args.sub(0);
        assertEquals(posted + " " + received + " " + transmitted + " " + done,
                sub.posted + " " + sub.received + " " + sub.transmitted + " " + sub.done);
    }
}
