/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import static io.proxyrt.core.service.ServiceFixture.A;
import static io.proxyrt.core.service.ServiceFixture.B;
import static io.proxyrt.core.service.ServiceFixture.NET;
import static io.proxyrt.core.service.ServiceFixture.NOTHING;
import static io.proxyrt.core.service.ServiceFixture.SELF;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.service.ServiceFixture.Call;
import io.proxyrt.core.service.message.AbortRequest;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.MessageType;
import io.proxyrt.core.service.message.SetupRequest;
import io.proxyrt.core.service.message.StopRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionServiceTest {
    private static final InitRequest INIT = new InitRequest(NET, Direction.SEND, 1);
    private static final SetupRequest SETUP = new SetupRequest(NOTHING);
    private static final ConnectRequest CONNECT = new ConnectRequest(NOTHING);
    private static final CloseRequest CLOSE = new CloseRequest();

    @TempDir
    Path directory;

    private ServiceFixture service;

    @BeforeEach
    void start() {
        service = new ServiceFixture(directory, Map.of(CoreOptions.PEER_GRACE, "200ms"));
    }

    @AfterEach
    void close() {
        service.close();
    }

    @Test
    void shouldNotAdvanceTheStateWhenACallFails() {
        long id = service.init(A);
        service.transport.failure = new ProxyException(ProxyResult.SYSTEM_ERROR, "no device");
        Call call = service.call(A, id, SETUP);
        assertEquals(ProxyResult.SYSTEM_ERROR, call.result);
        assertEquals("no device", call.detail);
        assertEquals(ConnectionState.INITIALIZED, service.state(id));
        service.transport.failure = null;
        assertEquals(ProxyResult.SUCCESS, service.call(A, id, SETUP).result);
    }

    @Test
    void shouldDrivePendingCallsUntilTheyAreDone() {
        long id = service.init(A);
        service.transport.pending = 3;
        Call call = service.call(A, id, SETUP);
        assertNull(call.result);
        assertEquals(0, service.pass(Duration.ofMillis(100)));
        assertEquals(0, service.pass(Duration.ofMillis(100)));
        assertEquals(1, service.runtime.counters().get(Counter.RPC_PENDING));
        assertEquals(1, service.pass(Duration.ofMillis(100)));
        assertEquals(ProxyResult.SUCCESS, call.result);
        assertEquals(0, service.runtime.counters().get(Counter.RPC_PENDING));
    }

    @Test
    void shouldDriveAPendingCallLessOftenTheLongerItWaits() {
        long id = service.init(A);
        service.transport.pending = Integer.MAX_VALUE;
        service.call(A, id, SETUP);
        int tries = service.transport.calls.size();
        for (int us = 0; us < 1_000_000; us += 10) {
            service.pass(Duration.ofNanos(10_000));
        }
        int more = service.transport.calls.size() - tries;
        assertTrue(more > 100 && more < 200, "driven " + more + " times in a second");
        assertTrue(service.service.parkNs(Long.MAX_VALUE) <= 10_000_000, "the next try is due within 10 ms");
    }

    @Test
    void shouldParkAsLongAsItLikesWithNothingPending() {
        service.init(A);
        assertEquals(Long.MAX_VALUE, service.service.parkNs(Long.MAX_VALUE));
    }

    @Test
    void shouldRefuseASecondCallWhileOneIsPending() {
        long id = service.init(A);
        service.transport.pending = 1;
        service.call(A, id, SETUP);
        assertEquals(ProxyResult.INVALID_USAGE, service.call(A, id, SETUP).result);
    }

    @Test
    void shouldAnswerOthersWhileThousandsArePending() {
        service.transport.pending = Integer.MAX_VALUE;
        for (int i = 0; i < 3000; i++) {
            service.call(A, service.init(A), SETUP);
        }
        long other = service.init(B);
        service.transport.pending = 0;
        assertEquals(ProxyResult.SUCCESS, service.call(B, other, SETUP).result);
        service.pass(Duration.ofMillis(1));
        assertEquals(0, service.runtime.counters().get(Counter.RPC_PENDING));
    }

    @Test
    void shouldForgetAPendingCallWhoseCallerLeft() {
        long id = service.init(A);
        service.transport.pending = 100;
        Call call = service.call(A, id, SETUP);
        call.isOpen = false;
        int tries = service.transport.calls.size();
        service.pass(Duration.ofMillis(100));
        assertEquals(0, service.runtime.counters().get(Counter.RPC_PENDING));
        assertEquals(tries, service.transport.calls.size());
        assertNull(call.result);
    }

    @Test
    void shouldRefuseAnotherPeersConnection() {
        long id = service.init(A);
        assertEquals(ProxyResult.INVALID_USAGE, service.call(B, id, SETUP).result);
        assertEquals(ProxyResult.INVALID_USAGE, service.call(B, id, CLOSE).result);
        assertEquals(List.of(), service.transport.calls);
    }

    @Test
    void shouldRefuseIdsItNeverGave() {
        service.init(A);
        for (long id : new long[] {0, -1, 1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32 | 127, 1L << 32 | 128,
            2L << 32}) {
            assertEquals(ProxyResult.INVALID_USAGE, service.call(A, id, SETUP).result, Long.toHexString(id));
        }
    }

    @Test
    void shouldRefuseAnUnknownTransportDirectionOrABodyOfAnotherLength() {
        assertEquals(ProxyResult.INVALID_ARGUMENT, initWith(ints(9, 1, 1)).result);
        assertEquals(ProxyResult.INVALID_ARGUMENT, initWith(ints(NET, 2, 1)).result);
        assertEquals(ProxyResult.INVALID_ARGUMENT, initWith(ints(NET, 1)).result);
        assertEquals(ProxyResult.INVALID_ARGUMENT, initWith(ints(NET, 1, 1, 1)).result);
        assertEquals(4, service.runtime.counters().get(Counter.RPC_ERRORS));
        assertEquals(0, service.runtime.counters().get(Counter.CONNECTIONS));
    }

    @Test
    void shouldFreeAConnectionAfterTheProgressThreadLetGo() {
        long id = service.init(A);
        service.call(A, id, SETUP);
        Call close = service.call(A, id, CLOSE);
        service.pass(Duration.ofMillis(100));
        assertNull(close.result);
        assertEquals(List.of("setup"), service.transport.calls);
        service.settle();
        assertEquals(ProxyResult.SUCCESS, close.result);
        assertEquals(List.of("setup", "free CLOSING"), service.transport.calls);
        assertFalse(service.exists(id));
    }

    @Test
    void shouldAnswerAPendingCallWhenItsConnectionIsClosed() {
        long id = service.init(A);
        service.transport.pending = 100;
        Call setup = service.call(A, id, SETUP);
        service.call(A, id, CLOSE);
        assertEquals(ProxyResult.INVALID_USAGE, setup.result);
    }

    @Test
    void shouldNotGoOnWithACallWhoseConnectionWasAbortedAndClosed() {
        long id = service.connection(A, ConnectionState.SETUP_DONE);
        service.transport.pending = Integer.MAX_VALUE;
        Call connect = service.call(A, id, CONNECT);
        Call abort = service.call(A, id, new AbortRequest());
        assertEquals(ProxyResult.INVALID_USAGE, service.call(A, id, CONNECT).result, "one is pending");
        service.call(A, id, CLOSE);
        assertEquals(ProxyResult.INVALID_USAGE, connect.result);
        service.settle();
        service.pass(Duration.ofMillis(100));
        assertEquals(ProxyResult.SUCCESS, abort.result);
        assertEquals("free CLOSING", service.transport.calls.getLast());
        assertFalse(service.exists(id));
    }

    @Test
    void shouldNotCloseWhatWasMadeAfterAClose() {
        service.init(A);
        Call close = service.call(A, 0, CLOSE);
        long after = service.init(A);
        service.settle();
        assertEquals(ProxyResult.SUCCESS, close.result);
        assertEquals(ConnectionState.INITIALIZED, service.state(after));
    }

    @Test
    void shouldContainWhatATransportThrows() {
        long id = service.init(A);
        long other = service.init(A);
        service.transport.pending = 1;
        Call setup = service.call(A, id, SETUP);
        service.transport.failure = new IllegalStateException("a bug of the transport");
        service.pass(Duration.ofMillis(100));
        assertEquals(ProxyResult.INTERNAL_ERROR, setup.result);
        assertTrue(setup.detail.contains("a bug of the transport"), setup.detail);
        service.transport.freeFailure = new IllegalStateException("another one");
        Call close = service.call(A, 0, CLOSE);
        service.settle();
        assertEquals(ProxyResult.SUCCESS, close.result);
        assertFalse(service.exists(id) || service.exists(other));
    }

    @Test
    void shouldNeverTakeANewConnectionForAnOldOne() {
        long first = service.init(A);
        service.call(A, first, CLOSE);
        service.settle();
        long second = service.init(A);
        assertNotEquals(first, second);
        assertEquals((int) first, (int) second);
        assertFalse(service.exists(first));
        assertEquals(ProxyResult.INVALID_USAGE, service.call(A, first, SETUP).result);
    }

    @Test
    void shouldGrantEachPeerItsGraceFromWhenItLeftLast() {
        long first = service.connection(A, ConnectionState.CONNECTED);
        long second = service.connection(B, ConnectionState.CONNECTED);
        service.service.onDisconnect(A);
        service.pass(Duration.ofMillis(80));
        service.service.onDisconnect(B);
        service.pass(Duration.ofMillis(80));
        service.service.onConnect(A);
        service.service.onDisconnect(A);
        assertEquals(120_000_000, service.service.parkNs(Long.MAX_VALUE), "until the grace of B ends");
        service.pass(Duration.ofMillis(120));
        assertEquals(ConnectionState.CLOSING, service.state(second));
        assertEquals(ConnectionState.CONNECTED, service.state(first));
        service.pass(Duration.ofMillis(80));
        assertEquals(ConnectionState.CLOSING, service.state(first));
    }

    @Test
    void shouldCloseTheConnectionsOfAPeerThatLeftAfterItsGrace() {
        service.init(A);
        long other = service.init(B);
        long connected = service.connection(A, ConnectionState.CONNECTED);
        service.service.onDisconnect(A);
        service.pass(Duration.ofMillis(199));
        assertEquals(ConnectionState.CONNECTED, service.state(connected));
        assertTrue(service.service.parkNs(Long.MAX_VALUE) <= 1_000_000, "the grace ends within 1 ms");
        service.pass(Duration.ofMillis(1));
        assertEquals(ConnectionState.CLOSING, service.state(connected));
        service.settle();
        assertEquals(1, service.runtime.counters().get(Counter.CONNECTIONS));
        assertEquals(ConnectionState.INITIALIZED, service.state(other));
    }

    @Test
    void shouldKeepTheConnectionsOfAPeerThatComesBackInTime() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        service.service.onDisconnect(A);
        service.pass(Duration.ofMillis(199));
        service.service.onConnect(A);
        service.pass(Duration.ofSeconds(10));
        assertEquals(ConnectionState.CONNECTED, service.state(id));
        assertEquals(ProxyResult.INVALID_USAGE, service.call(new PeerId(A.rank(), 99), id, CLOSE).result);
        service.call(A, id, CLOSE);
        service.settle();
        assertFalse(service.exists(id));
    }

    @Test
    void shouldMakeNoConnectionAfterStop() {
        Call foreign = service.call(A, 0, new StopRequest());
        assertEquals(ProxyResult.INVALID_USAGE, foreign.result);
        long before = service.init(A);
        assertEquals(ProxyResult.SUCCESS, service.call(SELF, 0, new StopRequest()).result);
        assertTrue(service.service.isStopping());
        assertEquals(ProxyResult.INVALID_USAGE, service.call(A, 0, INIT).result);
        assertEquals(ProxyResult.SUCCESS, service.call(A, before, SETUP).result, "what is there goes on");
        assertEquals(ProxyResult.SUCCESS, service.call(A, before, CONNECT).result);
    }

    @Test
    void shouldLimitTheConnectionsOfAPeer() throws IOException {
        try (ServiceFixture small = new ServiceFixture(Files.createDirectory(directory.resolve("small")),
                Map.of(CoreOptions.PEER_CONNECTIONS, "2"))) {
            small.init(A);
            long second = small.init(A);
            Call third = small.call(A, 0, INIT);
            assertEquals(ProxyResult.INVALID_USAGE, third.result);
            assertTrue(third.detail.contains("proxyrt.peer.connections"), third.detail);
            small.init(B);
            small.call(A, second, CLOSE);
            small.settle();
            small.init(A);
        }
    }

    @Test
    void shouldSayWhatItGivesUpWhenItCloses() {
        long id = service.init(A);
        service.transport.pending = Integer.MAX_VALUE;
        Call setup = service.call(A, id, SETUP);
        service.pass(Duration.ofMillis(1500));
        List<String> abandoned = service.service.abandon();
        assertEquals(1, abandoned.size());
        assertTrue(abandoned.getFirst().contains("SETUP of rank 1")
                && abandoned.getFirst().contains("to rank 1 is pending for 1500 ms"), abandoned.getFirst());
        assertEquals(ProxyResult.REMOTE_ERROR, setup.result);
        assertEquals(List.of(), service.service.abandon());
    }

    @Test
    void shouldHoldThousandsOfConnections() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            ids.add(service.init(A));
        }
        assertTrue(ids.stream().allMatch(service::exists));
        Call close = service.call(A, 0, CLOSE);
        service.settle();
        assertEquals(ProxyResult.SUCCESS, close.result);
        assertEquals(0, service.runtime.counters().get(Counter.CONNECTIONS));
    }

    private Call initWith(ByteBuffer body) {
        return service.call(A, MessageType.INIT, 0, body);
    }

    private static ByteBuffer ints(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * values.length);
        for (int value : values) {
            buffer.putInt(value);
        }
        return buffer.flip();
    }
}
