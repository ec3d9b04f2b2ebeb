/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.progress.ProxyArgs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of ops on shared connections, pass by pass. */
class SharedProgressTest {
    private static final int CHUNK = 1024;
    private static final int FIRST_RANK = 10;

    @TempDir
    Path folder;

    private ManualNet net;
    private Counters counters;
    private TestProxy sender;
    private TestProxy receiver;
    private final List<TestEnd> sends = new ArrayList<>();
    private final List<TestEnd> recvs = new ArrayList<>();

    /** Connections of as many ranks to rank 1. */
    private void connect(int connections, int maxRecvs) {
        open(maxRecvs, 1);
        for (int i = 0; i < connections; i++) {
            add(FIRST_RANK + i);
        }
    }

    private void open(int maxRecvs, int sharedComms) {
        net = new ManualNet(maxRecvs);
        counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.BUFFER_BYTES, 32L << 10)
                .set(NetOptions.SHARED_BUFFERS, 1).set(NetOptions.P2P_CHUNK_BYTES, (long) CHUNK)
                .set(NetOptions.SHARED_COMMS, sharedComms).build();
        sender = new TestProxy(0, config, net, counters);
        receiver = new TestProxy(1, config, net, counters);
    }

    private void add(int from) {
        sends.add(sender.end(Direction.SEND, from, 1, 1, 1));
        recvs.add(receiver.end(Direction.RECV, 1, from, 1, 1));
        TestEnd.connect(sends.getLast(), recvs.getLast());
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        counters.close();
        assertEquals(0, net.open, "something of the network was not closed");
        assertEquals(0, sender.shared() + receiver.shared());
    }

    private static ProxyArgs group(List<TestEnd> ends, int nsteps) {
        ProxyArgs args = ProxyArgs.of(ends.getFirst().connection, 3, nsteps, 1, 1, CHUNK);
        ends.stream().skip(1).forEach(end -> args.add(end.connection, nsteps, CHUNK));
        return args;
    }

    private void written(int sub, long step, long bytes) {
        sends.get(sub).kernelEnd.recvMem().size((int) (step % 8), bytes);
        sends.get(sub).kernelEnd.recvMem().tail(step + 1);
    }

    @Test
    void shouldTellTheKernelItsSlotBeforeItsCredit() {
        connect(2, 1);
        ProxyArgs args = group(sends, 20);
        assertEquals(2, sender.advance(args));
        for (int i = 0; i < 2; i++) {
            assertEquals(-7, sends.get(i).kernelEnd.sendMem().head());
            assertEquals((SharedPool.SLOTS + i) * CHUNK, sends.get(i).kernelEnd.slotOffset(Protocol.SIMPLE, 0),
                    "slots of channel 1 begin behind those of channel 0");
        }
    }

    @Test
    void shouldTellTheReceivingKernelItsSlotWithTail() {
        connect(1, 1);
        ProxyArgs in = group(recvs, 20);
        for (int step = 0; step < 8; step++) {
            assertEquals(1, receiver.advance(in));
            assertEquals((SharedPool.SLOTS + step) * CHUNK, recvs.getFirst().kernelEnd.slotOffset(Protocol.SIMPLE,
                    step));
        }
        assertEquals(0, receiver.advance(in));
    }

    @Test
    void shouldGroupReceivesOfOneComm() {
        connect(6, 4);
        ProxyArgs in = group(recvs, 1);
        receiver.advance(in);
        assertEquals(2, net.wire().posted, "4 and 2");
    }

    @Test
    void shouldNotGroupReceivesOfDifferentComms() {
        open(4, 0);
        add(FIRST_RANK);
        add(FIRST_RANK + 1);
        ProxyArgs in = group(recvs, 1);
        receiver.advance(in);
        assertEquals(2, net.wires.size());
        net.wires.forEach(wire -> assertEquals(1, wire.posted));
    }

    @Test
    void shouldNotGroupTwoReceivesFromOneRank() {
        connect(1, 4);
        add(FIRST_RANK);
        ProxyArgs in = group(recvs, 1);
        receiver.advance(in);
        assertEquals(1, net.wires.size());
        assertEquals(2, net.wire().posted, "their tags could not be told apart");
    }

    @Test
    void shouldLeaveOutOfAnIrecvWhoCannotTakeAStep() {
        connect(2, 2);
        ProxyArgs out = group(sends, 12);
        ProxyArgs in = group(recvs, 12);
        // The kernel of the first reads nothing, that of the second all.
        for (int pass = 0; pass < 200; pass++) {
            for (int i = 0; i < 2; i++) {
                long posted = out.sub(i).posted;
                if (posted > out.sub(i).transmitted) {
                    written(i, out.sub(i).transmitted, 5);
                }
            }
            sender.advance(out);
            receiver.advance(in);
            net.wire().deliver();
            net.wire().complete();
            recvs.get(1).kernelEnd.sendMem().head(recvs.get(1).kernelEnd.recvMem().tail());
        }
        assertEquals(8, in.sub(0).posted, "as far as it may");
        assertTrue(in.sub(1).isDone(), () -> "the other one is held up: " + in);
    }

    @Test
    void shouldKeepTheSlotsOfAFailedConnectionUntilItsCommIsClosed() {
        connect(3, 1);
        ProxyArgs failing = group(sends.subList(0, 2), 20);
        for (int pass = 0; pass < 8; pass++) {
            sender.advance(failing);
        }
        net.failure = "the cable is out";
        written(0, 0, 5);
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), sender.advance(failing));
        net.failure = "";
        ProxyArgs next = group(sends.subList(2, 3), 20);
        assertEquals(0, sender.advance(next), "the failed ones may still be sending from all 16 slots");
        sends.get(0).free();
        assertEquals(1, sender.advance(next));
        for (int pass = 0; pass < 7; pass++) {
            sender.advance(next);
        }
        assertEquals(8, next.sub(0).posted);
    }

    @Test
    void shouldKeepWhatARequestMayTouchUntilTheSharedCommIsClosed() {
        connect(2, 4);
        ProxyArgs in = group(recvs.subList(0, 1), 20);
        for (int pass = 0; pass < 8; pass++) {
            receiver.advance(in);
        }
        recvs.get(0).free();
        ProxyArgs next = group(recvs.subList(1, 2), 20);
        for (int pass = 0; pass < 8; pass++) {
            receiver.advance(next);
        }
        assertEquals(8, next.sub(0).posted);
        for (int step = 0; step < 8; step++) {
            assertTrue(recvs.get(1).kernelEnd.slotOffset(Protocol.SIMPLE, step) >= (SharedPool.SLOTS + 8) * CHUNK,
                    "the first eight belong to irecvs that no op waits for");
        }
        recvs.get(1).free();
        assertEquals(0, receiver.shared());
    }

    @Test
    void shouldMoveAGroupOf128WithOneSlotLeft() {
        connect(129, 1);
        ProxyArgs failing = group(sends.subList(0, 1), 20);
        for (int pass = 0; pass < 8; pass++) {
            sender.advance(failing);
        }
        SharedPool pool = ((NetSlots.Pooled) sends.get(0).resources().slots[Protocol.SIMPLE.ordinal()]).pool();
        for (int i = 0; i < 7; i++) {
            assertTrue(pool.take(1) >= 0);
        }
        ProxyArgs args = group(sends.subList(1, 129), 2);
        for (int pass = 0; pass < 10_000 && args.done < 128; pass++) {
            assertTrue(sender.advance(args) >= 0);
            for (int i = 0; i < 128; i++) {
                if (args.sub(i).posted > args.sub(i).transmitted) {
                    assertEquals(i, args.done, "only the oldest has the slot");
                    written(i + 1, args.sub(i).transmitted, 1);
                }
            }
            for (ManualWire wire : net.wires) {
                wire.completed = wire.sent;
            }
        }
        assertEquals(128, args.done);
        assertEquals(1, pool.usable(1));
    }
}
