/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.TestRuntime;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.device.FakeDevice;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ScriptedTransport;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.InitResponse;
import io.proxyrt.core.service.message.MessageType;
import io.proxyrt.core.service.message.Request;
import io.proxyrt.core.service.message.SetupRequest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A service of rank 0 that a test calls and drives, with a clock that it moves. */
final class ServiceFixture implements AutoCloseable {
    static final int NET = 2;
    static final PeerId SELF = new PeerId(0, 0);
    static final PeerId A = new PeerId(1, 17);
    static final PeerId B = new PeerId(2, 18);
    static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    final ScriptedTransport transport = new ScriptedTransport(args -> 0);
    final FakeDevice device = new FakeDevice();
    final TestRuntime runtime;
    final MemoryExports memory;
    final ConnectionService service;
    private final ConnectionTable table = new ConnectionTable();
    long nowNs = 1;

    ServiceFixture(Path directory, Map<Option<?>, String> options) {
        runtime = new TestRuntime(directory, options, table);
        TransportContext context = new TransportContext(runtime.config(), 0, device, runtime.counters(), null);
        memory = new MemoryExports(context, () -> nowNs);
        service = new ConnectionService(new ServiceContext(SELF, context, Map.of(NET, transport),
                runtime.progress(), runtime.pool(), memory, cause -> {
                    runtime.asyncResult().fail(cause);
                    runtime.progress().abort();
                }, () -> nowNs), table);
    }

    /** A connection of a peer, in a state. */
    long connection(PeerId peer, ConnectionState state) {
        long id = init(peer);
        if (state != ConnectionState.INITIALIZED) {
            assertEquals(ProxyResult.SUCCESS, call(peer, id, new SetupRequest(NOTHING)).result);
        }
        if (state == ConnectionState.CONNECTED) {
            assertEquals(ProxyResult.SUCCESS, call(peer, id, new ConnectRequest(NOTHING)).result);
        }
        assertEquals(state, state(id));
        return id;
    }

    long init(PeerId peer) {
        Call call = call(peer, 0, new InitRequest(NET, Direction.SEND, 1));
        assertEquals(ProxyResult.SUCCESS, call.result, call.detail);
        InitResponse made = new InitRequest(NET, Direction.SEND, 1).response(call.response);
        return made.connectionId();
    }

    ConnectionState state(long id) {
        return table.find(id) == null ? ConnectionState.UNINITIALIZED : table.find(id).state();
    }

    ProxyConnection find(long id) {
        return table.find(id);
    }

    boolean exists(long id) {
        return table.find(id) != null;
    }

    Call call(PeerId peer, long id, Request<?> request) {
        return call(peer, request.type(), id, request.encode());
    }

    Call call(PeerId peer, MessageType type, long id, ByteBuffer body) {
        Call call = new Call(peer, type, id, body);
        service.onCall(call);
        return call;
    }

    /** Lets the progress thread have its say, and the service after it. */
    void settle() {
        runtime.progress().doWork();
        pass(Duration.ofMillis(100));
    }

    /** Moves the clock and drives the service. */
    int pass(Duration time) {
        nowNs += time.toNanos();
        return service.doWork();
    }

    @Override
    public void close() {
        service.abandon();
        service.freeAll();
        memory.close();
        runtime.close();
        assertTrue(device.isAllImportedClosed(), "imported memory is left");
        device.close();
        assertEquals(0, device.open.size(), "descriptors left open: " + device.open);
    }

    /** A call as the wire module would hand it over. */
    static final class Call implements RpcCall {
        boolean isOpen = true;
        ProxyResult result;
        String detail;
        ByteBuffer response;
        private final PeerId peer;
        private final MessageType type;
        private final long connectionId;
        private final ByteBuffer request;

        Call(PeerId peer, MessageType type, long connectionId, ByteBuffer request) {
            this.peer = peer;
            this.type = type;
            this.connectionId = connectionId;
            this.request = request;
        }

        @Override
        public MessageType type() {
            return type;
        }

        @Override
        public long connectionId() {
            return connectionId;
        }

        @Override
        public ByteBuffer request() {
            return request.duplicate();
        }

        @Override
        public PeerId peer() {
            return peer;
        }

        @Override
        public boolean isOpen() {
            return isOpen;
        }

        @Override
        public void reply(ProxyResult result, String detail, ByteBuffer body) {
            assertNull(this.result, "answered twice");
            this.result = result;
            this.detail = detail;
            response = ByteBuffer.allocate(body.remaining()).put(body).flip();
        }

        @Override
        public String toString() {
            return type + " of " + peer;
        }
    }
}
