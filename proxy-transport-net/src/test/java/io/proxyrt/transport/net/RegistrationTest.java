/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxySubArgs;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** User memory that is sent and filled without a copy. */
class RegistrationTest {
    private static final long BYTES = 1 << 20;

    @TempDir
    Path folder;

    private final ManualNet net = new ManualNet();
    private Counters counters;
    private TestProxy sender;
    private TestProxy receiver;
    private TestEnd send;
    private TestEnd recv;
    private DeviceMemory source;
    private DeviceMemory target;

    @BeforeEach
    void connect() {
        counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).build();
        sender = new TestProxy(0, config, net, counters);
        receiver = new TestProxy(1, config, net, counters);
        send = sender.end(Direction.SEND, 0, 1, 0, 0);
        recv = receiver.end(Direction.RECV, 1, 0, 0, 0);
        TestEnd.connect(send, recv);
        source = sender.device.allocate(BYTES);
        target = receiver.device.allocate(BYTES);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        counters.close();
        assertEquals(0, net.open, "something of the network was not closed");
    }

    @Test
    void shouldMoveAWholeBufferInOneStepFromMemoryToMemory() {
        ProxyArgs out = op(send);
        out.sub(0).sendMhandle = send.register(source, 0, BYTES).handle();
        ProxyArgs in = op(recv);
        in.sub(0).recvMhandle = recv.register(target, 4096, BYTES - 4096).handle();
        in.sub(0).recvbuff = 64;
        source.segment().set(ValueLayout.JAVA_BYTE, 999_999, (byte) 77);

        assertEquals(0, receiver.advance(in), "where the data shall go is not known yet");
        recv.kernelEnd.recvMem().place(0, RecvMem.MODE_PTR, RecvMem.IN_RECV_BUFFER, 36);
        recv.kernelEnd.recvMem().size(0, 999_900);
        assertEquals(1, receiver.advance(in));
        assertEquals(RecvMem.EMPTY, recv.kernelEnd.recvMem().size(0), "the kernel may tell the next");
        sender.advance(out);
        written(RecvMem.IN_SEND_BUFFER, 100_000, 900_000);
        sender.advance(out);
        assertTrue(net.wire().deliver());
        assertTrue(net.wire().complete());
        receiver.advance(in);
        sender.advance(out);
        assertEquals(1, recv.kernelEnd.recvMem().tail());
        assertEquals(77, target.segment().get(ValueLayout.JAVA_BYTE, 4096 + 64 + 36 + 899_999));
        assertEquals(State.NONE, out.state);
    }

    @Test
    void shouldSendFromTheReceiveBufferOfTheOpToo() {
        ProxyArgs out = op(send);
        ProxyRegistration registration = send.register(source, 512, 512);
        out.sub(0).recvMhandle = registration.handle();
        out.sub(0).recvbuff = 256;
        sender.advance(out);
        written(RecvMem.IN_RECV_BUFFER, 0, 256);
        assertTrue(sender.advance(out) > 0);
        assertEquals(1, net.wire().sent);
    }

    @Test
    void shouldFailAnOpWithAHandleThatItsConnectionHasNot() {
        ProxyRegistration foreign = recv.register(target, 0, 8);
        ProxyArgs out = op(send);
        out.sub(0).sendMhandle = foreign.handle() + 7;
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), sender.advance(out));
    }

    @Test
    void shouldFailAnOpWhoseBufferIsNotWithinItsRegistration() {
        long handle = send.register(source, 0, 4096).handle();
        for (long sendbuff : new long[] {-1, 4097, Long.MAX_VALUE}) {
            ProxyArgs out = op(send);
            out.sub(0).sendMhandle = handle;
            out.sub(0).sendbuff = sendbuff;
            assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), sender.advance(out));
            out.sub(0).release();
        }
    }

    @Test
    void shouldFailAStepOutsideOfTheRegistration() {
        long handle = send.register(source, 0, 4096).handle();
        long[][] steps = {{RecvMem.IN_SEND_BUFFER, 0, 4097}, {RecvMem.IN_SEND_BUFFER, 4000, 97},
                {RecvMem.IN_SEND_BUFFER, -1, 8}, {RecvMem.IN_SEND_BUFFER, Long.MAX_VALUE, 8}, {RecvMem.IN_SEND_BUFFER,
                0, -2}, {RecvMem.IN_RECV_BUFFER, 0, 8}, {2, 0, 8}};
        long base = 0;
        for (long[] step : steps) {
            ProxyArgs out = op(send);
            out.sub(0).sendMhandle = handle;
            sender.advance(out);
            int slot = (int) (base++ % 8);
            send.kernelEnd.recvMem().place(slot, RecvMem.MODE_PTR, (int) step[0], step[1]);
            send.kernelEnd.recvMem().size(slot, step[2]);
            send.kernelEnd.recvMem().tail(base);
            assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), sender.advance(out), () -> step[1] + " " + step[2]);
            out.sub(0).release();
        }
        assertEquals(0, net.wire().sent);
    }

    @Test
    void shouldRefuseUserMemoryForOtherProtocols() {
        ProxyArgs out = op(send).protocol(Protocol.LL);
        out.sub(0).sendMhandle = send.register(source, 0, 4096).handle();
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), sender.advance(out));
    }

    @Test
    void shouldHoldMemoryUntilTheOpIsOver() {
        ProxyRegistration registration = send.register(source, 0, 4096);
        ProxyArgs out = op(send);
        out.sub(0).sendMhandle = registration.handle();
        sender.advance(out);
        assertFalse(registration.retire(), "the op uses it");

        ProxyArgs late = op(send);
        late.sub(0).sendMhandle = registration.handle();
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), sender.advance(late), "it is about to go");
        written(RecvMem.IN_SEND_BUFFER, 0, 8);
        sender.advance(out);
        assertFalse(registration.retire(), "the network uses it");
        net.wire().posted = 1;
        net.wire().completed = 1;
        sender.advance(out);
        assertEquals(State.NONE, out.state);
        assertTrue(registration.retire());
    }

    @Test
    void shouldRegisterTheSameMemoryOnceForAConnection() {
        int before = net.registered;
        ProxyRegistration first = send.register(source, 0, 4096);
        ProxyRegistration second = send.register(source, 1024, 1024);
        assertEquals(before + 1, net.registered);
        send.deregister(first);
        ProxyArgs out = op(send);
        out.sub(0).sendMhandle = second.handle();
        sender.advance(out);
        written(RecvMem.IN_SEND_BUFFER, 1016, 8);
        assertEquals(1, sender.advance(out), "the second keeps it");
        assertEquals(1024 + 1016, net.wire().sourceOffset(0), "within what the first registered");
    }

    private static ProxyArgs op(TestEnd end) {
        ProxyArgs args = ProxyArgs.of(end.connection, 2, 1, 1, 1, BYTES);
        ProxySubArgs sub = args.sub(0);
        sub.reg = true;
        return args;
    }

    private void written(int buffer, long ptr, long bytes) {
        send.kernelEnd.recvMem().place(0, RecvMem.MODE_PTR, buffer, ptr);
        send.kernelEnd.recvMem().size(0, bytes);
        send.kernelEnd.recvMem().tail(1);
    }
}
