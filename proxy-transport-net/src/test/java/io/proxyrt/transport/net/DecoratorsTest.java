/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyProgress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The network with faults, and the progress function that tells what it does. */
class DecoratorsTest {
    @TempDir
    Path folder;

    private final ManualNet net = new ManualNet();
    private final List<TestProxy> proxies = new ArrayList<>();
    private Counters counters;

    @BeforeEach
    void open() {
        counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
    }

    @AfterEach
    void close() {
        proxies.forEach(TestProxy::close);
        counters.close();
        assertEquals(0, net.open, "something of the network was not closed");
    }

    private TestEnd end(Direction direction, String faults) {
        int rank = direction == Direction.SEND ? 0 : 1;
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).build();
        Faults parsed = Faults.parse(faults);
        TestProxy proxy = new TestProxy(rank, config, parsed == null ? net : new FaultyNet(net, parsed), counters);
        proxies.add(proxy);
        return proxy.end(direction, rank, 1 - rank, 0, 0);
    }

    @Test
    void shouldReadFaults() {
        assertNull(Faults.parse(""));
        assertNull(Faults.parse("0"));
        assertEquals(new Faults(-3, 0.25, 0, 1, 1e-3), Faults.parse(" seed=-3, connect=1,refuse = 0.25,test=0.001"));
        for (String broken : List.of("refuse", "refuse=", "refuse=2", "refuse=-0.1", "delay=NaN", "seed=x", "flood=1",
                "refuse=0.1,,")) {
            assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                    () -> Faults.parse(broken)).result(), broken);
        }
    }

    @Test
    void shouldPutFaultsBeforeTheNetworkThatIsChosen() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("RCCL_INJECT_FAULTS", "refuse=0.5",
                "NCCL_SOCKET_IFNAME", "=lo")).build();
        NetSelection selection = NetSelection.of(config, 0);
        assertTrue(selection.plugin().describe().contains("refuse=0.5"), selection.plugin().describe());
        selection.plugin().close();
        assertThrows(ProxyException.class, () -> NetSelection.of(ProxyConfig.builder()
                .environment(Map.of("RCCL_INJECT_FAULTS", "nonsense")).build(), 0));
    }

    @Test
    void shouldCarryAllDataDespiteRefusalsAndDelays() {
        TestEnd send = end(Direction.SEND, "seed=5,refuse=0.5,delay=0.5");
        TestEnd recv = end(Direction.RECV, "seed=6,refuse=0.5,delay=0.5");
        TestEnd.connect(send, recv);
        ProxyArgs out = ProxyArgs.of(send.connection, 2, 100, 1, 1, 1 << 17);
        ProxyArgs in = ProxyArgs.of(recv.connection, 2, 100, 1, 1, 1 << 17);
        SimulatedKernel writer = SimulatedKernel.sending(send.kernelEnd, 100, 1, 1, 9);
        SimulatedKernel reader = SimulatedKernel.receiving(recv.kernelEnd, 100, 1, 1, 9);
        while (out.state != State.NONE || in.state != State.NONE) {
            writer.step();
            reader.step();
            net.wire().deliver();
            net.wire().complete();
            assertTrue(send.proxy.advance(out) >= 0 && recv.proxy.advance(in) >= 0);
        }
        assertTrue(reader.isDone());
        assertTrue(counters.get(Counter.NET_BACK_PRESSURE) > 50);
    }

    @Test
    void shouldHaveTheSameFaultsForTheSameSeed() {
        assertEquals(refusals("seed=5,refuse=0.5"), refusals("seed=5,refuse=0.5"));
        assertTrue(!refusals("seed=5,refuse=0.5").equals(refusals("seed=6,refuse=0.5")));
    }

    private List<Integer> refusals(String faults) {
        TestEnd send = end(Direction.SEND, "");
        TestEnd recv = end(Direction.RECV, faults);
        TestEnd.connect(send, recv);
        ProxyArgs in = ProxyArgs.of(recv.connection, 2, 8, 1, 1, 1 << 17);
        List<Integer> moved = new ArrayList<>();
        for (int pass = 0; pass < 30; pass++) {
            moved.add(recv.proxy.advance(in));
        }
        return moved;
    }

    @Test
    void shouldFailConnectingAsOftenAsAsked() {
        TestEnd send = end(Direction.SEND, "connect=1");
        send.setUp();
        TestEnd recv = end(Direction.RECV, "");
        ByteBuffer info = recv.setUp();
        for (int i = 0; i < 3; i++) {
            ProxyException failure = assertThrows(ProxyException.class, () -> send.connect(info));
            assertTrue(failure.getMessage().contains("proxyrt.net.faults"), failure.getMessage());
        }
    }

    @Test
    void shouldFailAnOpAndItsCommForGood() {
        TestEnd send = end(Direction.SEND, "");
        TestEnd recv = end(Direction.RECV, "test=1");
        TestEnd.connect(send, recv);
        ProxyArgs in = ProxyArgs.of(recv.connection, 2, 8, 1, 1, 1 << 17);
        assertEquals(1, recv.proxy.advance(in));
        int moved = 1;
        while (moved > 0) {
            moved = recv.proxy.advance(in);
        }
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), moved);
        assertEquals(-ProxyResult.REMOTE_ERROR.code(),
                recv.proxy.advance(ProxyArgs.of(recv.connection, 4, 8, 1, 1, 1 << 17)));
    }

    @Test
    void shouldTraceEachMoveOfACounter() {
        List<String> lines = new ArrayList<>();
        TestEnd send = end(Direction.SEND, "");
        TestEnd recv = end(Direction.RECV, "");
        TestEnd.connect(send, recv);
        ProxyProgress traced = new TracingProgress(7, send.proxy.transport.progress(Direction.SEND), lines::add);
        ProxyArgs out = ProxyArgs.of(send.connection, 4, 2, 2, 4, 1 << 17);
        assertEquals(1, traced.advance(out));
        assertEquals(0, traced.advance(out));
        send.kernelEnd.recvMem().size(0, 3);
        send.kernelEnd.recvMem().tail(2);
        net.wire().completed = 1;
        assertEquals(2, traced.advance(out));

        assertEquals(List.of("rank 7 op 4 connection 1 to rank 1, base 0: posted 0 to 2 of 2",
                "rank 7 op 4 connection 1 to rank 1, base 0: transmitted 0 to 2 done 0 to 2 of 2"), lines);
    }

    @Test
    void shouldTraceByAnOptionOnly() {
        assertSame(SendProgress.class, end(Direction.SEND, "").proxy.transport.progress(Direction.SEND).getClass());
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(NetOptions.TRACE, 1).build();
        proxies.add(new TestProxy(0, config, net, counters));
        assertSame(TracingProgress.class, proxies.getLast().transport.progress(Direction.RECV).getClass());
    }
}
