/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.progress.ProxyArgs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What makes data visible that kernels or networks wrote: flushes, the HDP register; receives that need neither. */
class FlushTest {
    @TempDir
    Path folder;

    private final ManualNet net = new ManualNet();
    private final MemorySegment register = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
    private Counters counters;
    private TestProxy sender;
    private TestProxy receiver;
    private TestEnd send;
    private TestEnd recv;

    private void connect(Map<String, String> environment) {
        counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
        ProxyConfig config = ProxyConfig.builder().environment(environment).build();
        sender = new TestProxy(0, config, net, counters);
        receiver = new TestProxy(1, config, net, counters);
        send = sender.end(Direction.SEND, 0, 1, 0, 0);
        recv = receiver.end(Direction.RECV, 1, 0, 0, 0);
        TestEnd.connect(send, recv);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        counters.close();
    }

    private static ProxyArgs op(TestEnd end, Protocol protocol) {
        return ProxyArgs.of(end.connection, 2, 8, 1, 1, 1 << 17).protocol(protocol);
    }

    private void arrive(long bytes) {
        assertEquals(1, net.wire().send(send.kernelEnd.buffer(Protocol.SIMPLE), 0, bytes, 0) - net.wire().delivered);
        net.wire().deliver(net.isFlushing);
    }

    @Test
    void shouldPublishWhenTheFlushIsDone() {
        net.isFlushing = true;
        connect(Map.of("NCCL_NET_FORCE_FLUSH", "1"));
        ProxyArgs in = op(recv, Protocol.SIMPLE);
        receiver.advance(in);
        receiver.advance(in);
        arrive(10);
        for (int pass = 0; pass < 12; pass++) {
            receiver.advance(in);
        }
        assertEquals(1, in.sub(0).received);
        assertEquals(0, recv.kernelEnd.recvMem().tail());
        net.wire().completeFlush();
        receiver.advance(in);
        assertEquals(1, recv.kernelEnd.recvMem().tail());
    }

    @Test
    void shouldGoOnReceivingWhileAFlushIsUnderWay() {
        net.isFlushing = true;
        connect(Map.of("NCCL_NET_FORCE_FLUSH", "1"));
        ProxyArgs in = op(recv, Protocol.SIMPLE);
        for (int pass = 0; pass < 8; pass++) {
            receiver.advance(in);
        }
        arrive(10);
        receiver.advance(in);
        arrive(20);
        receiver.advance(in);
        assertEquals(2, in.sub(0).received);
        assertEquals(0, in.sub(0).transmitted);
        assertEquals(2, net.wire().flushes);
    }

    @Test
    void shouldNotFlushWhatIsEmptyOrHasFlags() {
        net.isFlushing = true;
        connect(Map.of("NCCL_NET_FORCE_FLUSH", "1", "NCCL_NET_OPTIONAL_RECV_COMPLETION", "0"));
        ProxyArgs in = op(recv, Protocol.SIMPLE);
        ProxyArgs lines = op(recv, Protocol.LL128);
        for (int pass = 0; pass < 8; pass++) {
            receiver.advance(in);
        }
        arrive(0);
        receiver.advance(in);
        assertEquals(1, recv.kernelEnd.recvMem().tail());
        receiver.advance(lines);
        assertEquals(0, net.wire().flushes);
    }

    @Test
    void shouldPublishLinesBeforeTheyAreThereWhereTheNetworkMay() {
        connect(Map.of());
        ProxyArgs in = op(recv, Protocol.LL);
        for (int pass = 0; pass < 9; pass++) {
            receiver.advance(in);
        }
        assertEquals(1, in.sub(0).received, "the lines say themselves when they are there");
        assertEquals(0, in.sub(0).done, "the kernel still waits for them");
    }

    @Test
    void shouldWaitForLinesWhereTheOptionForbidsIt() {
        connect(Map.of("NCCL_NET_OPTIONAL_RECV_COMPLETION", "0"));
        ProxyArgs in = op(recv, Protocol.LL);
        for (int pass = 0; pass < 9; pass++) {
            receiver.advance(in);
        }
        assertEquals(0, in.sub(0).received);
    }

    @Test
    void shouldPokeTheHdpRegisterOnceForTheStepsThatTailCovers() {
        connect(Map.of());
        send.resources().hdp = new HdpRegister(register);
        ProxyArgs out = op(send, Protocol.SIMPLE);
        for (int pass = 0; pass < 8; pass++) {
            sender.advance(out);
        }
        assertEquals(0, poked());
        for (int slot = 0; slot < 3; slot++) {
            send.kernelEnd.recvMem().size(slot, 8);
        }
        send.kernelEnd.recvMem().tail(2);
        sender.advance(out);
        assertEquals(1, poked(), "before the first isend");
        sender.advance(out);
        assertEquals(0, poked(), "the second step was covered");
        send.kernelEnd.recvMem().tail(3);
        sender.advance(out);
        assertEquals(1, poked());
        assertEquals(3, net.wire().sent);
    }

    @Test
    void shouldPokeTheHdpRegisterAfterAReceiveThatIsFlushed() {
        net.isFlushing = true;
        connect(Map.of("NCCL_NET_FORCE_FLUSH", "1"));
        recv.resources().hdp = new HdpRegister(register);
        ProxyArgs in = op(recv, Protocol.SIMPLE);
        for (int pass = 0; pass < 8; pass++) {
            receiver.advance(in);
        }
        arrive(10);
        receiver.advance(in);
        assertEquals(1, poked());
    }

    /** Since it was last asked. */
    private int poked() {
        int value = register.get(ValueLayout.JAVA_INT, 0);
        register.set(ValueLayout.JAVA_INT, 0, 0);
        return value;
    }
}
