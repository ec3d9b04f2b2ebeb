/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.TestRuntime;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.progress.ScriptedTransport;
import io.proxyrt.core.spi.MessageType;
import io.proxyrt.core.spi.PeerId;
import io.proxyrt.core.spi.RpcCall;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConnectionServiceTest {
    private static final int NET = 2;
    private static final int SEND = 1;

    @TempDir
    Path directory;

    private final ScriptedTransport transport = new ScriptedTransport(args -> 0);
    private TestRuntime runtime;
    private ConnectionService service;

    @BeforeEach
    void start() {
        runtime = new TestRuntime(directory);
        service = new ConnectionService(0, Map.of(NET, transport), runtime.counters());
        service.progress(runtime.progress());
    }

    @AfterEach
    void close() {
        runtime.close();
    }

    @Test
    void shouldWalkThroughTheStates() {
        long id = init("a");
        assertEquals(ConnectionState.INITIALIZED, service.connections().find(id).state());
        assertEquals(ProxyResult.SUCCESS, call("a", MessageType.SETUP, id).result);
        assertEquals(ConnectionState.SETUP_DONE, service.connections().find(id).state());
        Call connect = call("a", MessageType.CONNECT, id);
        assertEquals(ProxyResult.SUCCESS, connect.result);
        assertEquals(7, connect.response.getInt());
        assertEquals(ConnectionState.CONNECTED, service.connections().find(id).state());
    }

    @Test
    void shouldRefuseConnectBeforeSetup() {
        long id = init("a");
        Call call = call("a", MessageType.CONNECT, id);
        assertEquals(ProxyResult.INVALID_USAGE, call.result);
        assertTrue(call.detail.contains("CONNECT is not allowed while") && call.detail.contains("INITIALIZED"),
                call.detail);
        assertEquals(ConnectionState.INITIALIZED, service.connections().find(id).state());
    }

    @Test
    void shouldNotAdvanceTheStateWhenACallFails() {
        long id = init("a");
        transport.failure = new ProxyException(ProxyResult.SYSTEM_ERROR, "no device");
        Call call = call("a", MessageType.SETUP, id);
        assertEquals(ProxyResult.SYSTEM_ERROR, call.result);
        assertEquals("no device", call.detail);
        assertEquals(ConnectionState.INITIALIZED, service.connections().find(id).state());
        transport.failure = null;
        assertEquals(ProxyResult.SUCCESS, call("a", MessageType.SETUP, id).result);
    }

    @Test
    void shouldDrivePendingCallsUntilTheyAreDone() {
        long id = init("a");
        transport.pending = 3;
        Call call = call("a", MessageType.SETUP, id);
        assertNull(call.result);
        assertTrue(service.hasPending());
        assertEquals(0, service.doWork());
        assertEquals(0, service.doWork());
        assertEquals(1, service.doWork());
        assertEquals(ProxyResult.SUCCESS, call.result);
        assertFalse(service.hasPending());
        assertEquals(0, runtime.counters().get(Counter.RPC_PENDING));
    }

    @Test
    void shouldRefuseASecondCallWhileOneIsPending() {
        long id = init("a");
        transport.pending = 1;
        call("a", MessageType.SETUP, id);
        assertEquals(ProxyResult.INVALID_USAGE, call("a", MessageType.SETUP, id).result);
    }

    @Test
    void shouldForgetAPendingCallWhoseCallerLeft() {
        long id = init("a");
        transport.pending = 100;
        call("a", MessageType.SETUP, id).isOpen = false;
        service.doWork();
        assertFalse(service.hasPending());
    }

    @ParameterizedTest
    @EnumSource(value = MessageType.class,
            names = {"START", "ABORT", "GET_FD", "QUERY_FD", "SHARED_INIT", "REGISTER", "DEREGISTER"})
    void shouldRefuseWhatIsNotServed(MessageType type) {
        assertEquals(ProxyResult.INVALID_USAGE, call("a", type, init("a")).result);
    }

    @Test
    void shouldRefuseAnotherPeersConnection() {
        long id = init("a");
        assertEquals(ProxyResult.INVALID_USAGE, call("b", MessageType.SETUP, id).result);
        assertEquals(ProxyResult.INVALID_USAGE, call("b", MessageType.CLOSE, id).result);
        assertEquals(List.of(), transport.calls);
    }

    @Test
    void shouldRefuseIdsItNeverGave() {
        init("a");
        for (long id : new long[] {0, -1, 1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32 | 127, 1L << 32 | 128,
            2L << 32}) {
            assertEquals(ProxyResult.INVALID_USAGE, call("a", MessageType.SETUP, id).result, Long.toHexString(id));
        }
    }

    @Test
    void shouldRefuseAnUnknownTransportDirectionOrAShortRequest() {
        assertEquals(ProxyResult.INVALID_ARGUMENT, initWith("a", ints(9, SEND, 1)).result);
        assertEquals(ProxyResult.INVALID_ARGUMENT, initWith("a", ints(NET, 2, 1)).result);
        assertEquals(ProxyResult.INVALID_ARGUMENT, initWith("a", ints(NET, SEND)).result);
        assertEquals(3, runtime.counters().get(Counter.RPC_ERRORS));
        assertEquals(0, runtime.counters().get(Counter.CONNECTIONS));
    }

    @Test
    void shouldFreeAConnectionAfterTheProgressThreadLetGo() {
        long id = init("a");
        call("a", MessageType.SETUP, id);
        Call close = call("a", MessageType.CLOSE, id);
        service.doWork();
        assertNull(close.result);
        assertEquals(List.of("setup"), transport.calls);
        runtime.progress().doWork();
        service.doWork();
        service.doWork();
        assertEquals(ProxyResult.SUCCESS, close.result);
        assertEquals(List.of("setup", "free CLOSING"), transport.calls);
        assertNull(service.connections().find(id));
    }

    @Test
    void shouldAnswerAPendingCallWhenItsConnectionIsClosed() {
        long id = init("a");
        transport.pending = 100;
        Call setup = call("a", MessageType.SETUP, id);
        call("a", MessageType.CLOSE, id);
        assertEquals(ProxyResult.INVALID_USAGE, setup.result);
    }

    @Test
    void shouldNeverTakeANewConnectionForAnOldOne() {
        long first = init("a");
        call("a", MessageType.CLOSE, first);
        runtime.progress().doWork();
        service.doWork();
        long second = init("a");
        assertNotEquals(first, second);
        assertEquals((int) first, (int) second);
        assertNull(service.connections().find(first));
        assertEquals(ProxyResult.INVALID_USAGE, call("a", MessageType.SETUP, first).result);
    }

    @Test
    void shouldCloseAllConnectionsOfAPeerThatLeft() {
        init("a");
        long other = init("b");
        init("a");
        service.onDisconnect(peer("a"));
        runtime.progress().doWork();
        service.doWork();
        assertEquals(1, runtime.counters().get(Counter.CONNECTIONS));
        assertEquals(ConnectionState.INITIALIZED, service.connections().find(other).state());
    }

    @Test
    void shouldMakeNoConnectionAfterStop() {
        assertEquals(ProxyResult.SUCCESS, call("a", MessageType.STOP, 0).result);
        assertTrue(service.isStopping());
        assertEquals(ProxyResult.INVALID_USAGE, initWith("a", ints(NET, SEND, 1)).result);
    }

    @Test
    void shouldHoldThousandsOfConnections() {
        long[] ids = new long[3000];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = init("a");
        }
        for (long id : ids) {
            assertEquals(id, service.connections().find(id).id());
        }
        service.freeAll();
        assertEquals(0, runtime.counters().get(Counter.CONNECTIONS));
    }

    private long init(String peer) {
        Call call = initWith(peer, ints(NET, SEND, 1));
        assertEquals(ProxyResult.SUCCESS, call.result, call.detail);
        return call.response.getLong();
    }

    private Call initWith(String peer, ByteBuffer request) {
        Call call = new Call(peer, MessageType.INIT, 0, request);
        service.onCall(call);
        return call;
    }

    private Call call(String peer, MessageType type, long id) {
        Call call = new Call(peer, type, id, ByteBuffer.allocate(0));
        service.onCall(call);
        return call;
    }

    private static PeerId peer(String name) {
        return new PeerId(name.charAt(0), 1);
    }

    private static ByteBuffer ints(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * values.length);
        for (int value : values) {
            buffer.putInt(value);
        }
        return buffer.flip();
    }

    private static final class Call implements RpcCall {
        private final PeerId peer;
        private final MessageType type;
        private final long connectionId;
        private final ByteBuffer request;
        private boolean isOpen = true;
        private ProxyResult result;
        private String detail;
        private ByteBuffer response;

        Call(String peer, MessageType type, long connectionId, ByteBuffer request) {
            this.peer = ConnectionServiceTest.peer(peer);
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
    }
}
