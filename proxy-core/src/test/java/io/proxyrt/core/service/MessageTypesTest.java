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
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.op.OpsPoolAddress;
import io.proxyrt.core.op.OpsPoolClient;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.core.service.ServiceFixture.Call;
import io.proxyrt.core.service.message.AbortRequest;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.DeregisterRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.InitResponse;
import io.proxyrt.core.service.message.MessageType;
import io.proxyrt.core.service.message.RegisterRequest;
import io.proxyrt.core.service.message.RegisterRequest.Source;
import io.proxyrt.core.service.message.Request;
import io.proxyrt.core.service.message.SetupRequest;
import io.proxyrt.core.service.message.SharedInitRequest;
import io.proxyrt.core.service.message.StartRequest;
import io.proxyrt.core.service.message.StopRequest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each of the twelve types: what it does, and in which states. */
class MessageTypesTest {
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

    /** Rows as the state machine of the facts has it, not as the code has it. */
    static Stream<Arguments> shouldAllowEachTypeInItsStatesOnly() {
        Map<MessageType, Set<ConnectionState>> allowed = new EnumMap<>(Map.of(
                MessageType.SHARED_INIT, Set.of(ConnectionState.INITIALIZED),
                MessageType.SETUP, Set.of(ConnectionState.INITIALIZED),
                MessageType.CONNECT, Set.of(ConnectionState.SETUP_DONE),
                MessageType.START, Set.of(ConnectionState.CONNECTED),
                MessageType.REGISTER, Set.of(ConnectionState.CONNECTED),
                MessageType.DEREGISTER, Set.of(ConnectionState.CONNECTED)));
        Set<ConnectionState> live = Set.of(ConnectionState.INITIALIZED, ConnectionState.SHARED_INITIALIZED,
                ConnectionState.SETUP_DONE, ConnectionState.CONNECTED);
        allowed.put(MessageType.CLOSE, live);
        allowed.put(MessageType.ABORT, live);
        return allowed.keySet().stream().flatMap(type -> Stream.of(ConnectionState.values())
                .filter(state -> state != ConnectionState.UNINITIALIZED)
                .map(state -> Arguments.of(type, state, allowed.get(type).contains(state))));
    }

    @ParameterizedTest
    @MethodSource
    void shouldAllowEachTypeInItsStatesOnly(MessageType type, ConnectionState state, boolean isAllowed) {
        long id = inState(state);
        ByteBuffer body = body(type, id);
        int calls = service.transport.calls.size();
        Call call = service.call(A, type, id, body);
        service.settle();
        if (isAllowed) {
            assertEquals(ProxyResult.SUCCESS, call.result, call.detail);
        } else {
            assertEquals(ProxyResult.INVALID_USAGE, call.result);
            assertTrue(call.detail.contains(type + " is not allowed while") && call.detail.contains(state.name()),
                    call.detail);
            assertEquals(state == ConnectionState.CLOSING ? ConnectionState.UNINITIALIZED : state, service.state(id));
            assertEquals(calls, service.transport.calls.stream().filter(c -> !c.startsWith("free")).count());
        }
    }

    @Test
    void shouldWalkFromInitToConnected() {
        long id = service.init(A);
        assertEquals(ConnectionState.INITIALIZED, service.state(id));
        assertEquals(ProxyResult.SUCCESS, service.call(A, id, new SetupRequest(NOTHING)).result);
        assertEquals(ConnectionState.SETUP_DONE, service.state(id));
        Call connect = service.call(A, id, new ConnectRequest(NOTHING));
        assertEquals("connect".length(), connect.response.getInt());
        assertEquals(ConnectionState.CONNECTED, service.state(id));
    }

    @Test
    void shouldHoldSharedBuffersForGood() {
        long id = service.init(A);
        assertEquals(ProxyResult.SUCCESS, service.call(A, id, new SharedInitRequest(7)).result);
        assertEquals(List.of("sharedInit 7"), service.transport.calls);
        assertEquals(ConnectionState.SHARED_INITIALIZED, service.state(id));
        assertEquals(ProxyResult.INVALID_USAGE, service.call(A, id, new SetupRequest(NOTHING)).result);
    }

    @Test
    void shouldHandOutTheOpsPoolWithInit() {
        Call call = service.call(A, 0, new InitRequest(NET, Direction.SEND, 1));
        InitResponse made = new InitRequest(NET, Direction.SEND, 1).response(call.response);
        OpsPoolAddress address = made.pool().orElseThrow();
        assertEquals(ProcessIdentity.current(), address.owner());
        assertEquals(directory.resolve("ops"), address.path());
        ProxyConfig config = service.runtime.config();
        try (OpsPoolClient client = OpsPoolClient.open(address, config);
                OpsPoster poster = client.poster()) {
            poster.append(1).connection(made.connectionId());
            poster.post();
            assertEquals(1, service.runtime.pool().outstanding());
            service.runtime.progress().doWork();
        }
        OpsPoolAddress wrong = new OpsPoolAddress(address.path(), address.version(), address.bytes() + 4096,
                address.owner());
        assertThrows(ProxyException.class, () -> OpsPoolClient.open(wrong, config));
        OpsPoolAddress old = new OpsPoolAddress(address.path(), address.version() + 1, address.bytes(),
                address.owner());
        assertThrows(ProxyException.class, () -> OpsPoolClient.open(old, config));
        ProcessIdentity other = new ProcessIdentity(address.owner().pid(), address.owner().start() + 1,
                address.owner().namespace());
        OpsPoolAddress another = new OpsPoolAddress(address.path(), address.version(), address.bytes(), other);
        assertThrows(ProxyException.class, () -> OpsPoolClient.open(another, config));
    }

    @Test
    void shouldPostOpsByStart() {
        long first = service.connection(A, ConnectionState.CONNECTED);
        long second = service.connection(A, ConnectionState.CONNECTED);
        Call start = service.call(A, first, start(4, first, second));
        assertEquals(ProxyResult.SUCCESS, start.result, start.detail);
        assertEquals(2, service.runtime.pool().outstanding());
        service.runtime.progress().doWork();
        assertEquals(2, service.runtime.counters().get(Counter.OPS_FETCHED));
        assertNull(service.runtime.asyncResult().failure());
    }

    @Test
    void shouldNotPostOpsForConnectionsOfOthersOrInOtherStates() {
        long own = service.connection(A, ConnectionState.CONNECTED);
        long foreign = service.connection(B, ConnectionState.CONNECTED);
        long young = service.connection(A, ConnectionState.SETUP_DONE);
        assertEquals(ProxyResult.INVALID_USAGE, service.call(A, own, start(4, own, foreign)).result);
        assertEquals(ProxyResult.INVALID_USAGE, service.call(A, own, start(4, own, young)).result);
        assertEquals(ProxyResult.INVALID_USAGE, service.call(A, own, start(4, own, 0)).result);
        assertEquals(0, service.runtime.pool().outstanding());
    }

    @Test
    void shouldWaitWithStartUntilTheLaneHasRoom() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        long[] many = IntStream.range(0, 60).mapToLong(i -> id).toArray();
        assertEquals(ProxyResult.SUCCESS, service.call(A, id, start(4, many)).result);
        Call waiting = service.call(A, id, start(6, id, id, id, id, id));
        service.pass(Duration.ofMillis(100));
        assertNull(waiting.result);
        assertEquals(60, service.runtime.pool().outstanding());
        service.runtime.progress().doWork();
        service.runtime.progress().abort(List.of(service.find(id)),
                new ProxyException(ProxyResult.REMOTE_ERROR, "enough"));
        service.runtime.progress().doWork();
        service.pass(Duration.ofMillis(100));
        assertEquals(ProxyResult.INVALID_USAGE, waiting.result, "its connection failed meanwhile");
        long other = service.connection(A, ConnectionState.CONNECTED);
        assertEquals(ProxyResult.SUCCESS, service.call(A, other, start(8, other)).result);
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                service.call(A, other, start(10, IntStream.range(0, 65).mapToLong(i -> other).toArray())).result);
    }

    @Test
    void shouldNotPostOpsThatMakeNoSense() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        StartRequest nonsense = new StartRequest(4, List.of(new ProxyOpEncoder().connection(id)));
        assertEquals(ProxyResult.INVALID_ARGUMENT, service.call(A, id, nonsense).result);
        service.runtime.progress().doWork();
        assertEquals(0, service.runtime.pool().outstanding());
        assertNull(service.runtime.asyncResult().failure());
    }

    @Test
    void shouldNotLetOnePeersOpsFillAnothersLane() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        long other = service.connection(B, ConnectionState.CONNECTED);
        assertEquals(ProxyResult.SUCCESS,
                service.call(A, id, start(4, IntStream.range(0, 64).mapToLong(i -> id).toArray())).result);
        Call waiting = service.call(A, id, start(6, id));
        assertNull(waiting.result);
        assertEquals(ProxyResult.SUCCESS, service.call(B, other, start(4, other)).result);
        service.service.onDisconnect(A);
        service.pass(Duration.ofSeconds(1));
        service.settle();
        service.connection(SELF, ConnectionState.CONNECTED);
        long third = service.connection(SELF, ConnectionState.CONNECTED);
        assertEquals(ProxyResult.SUCCESS, service.call(SELF, third, start(4, third)).result, "its lane came back");
    }

    @Test
    void shouldAnswerAbortAndCloseWhenTheProgressAgentHasEnded() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        service.runtime.progress().onClose();
        Call abort = service.call(A, id, new AbortRequest());
        assertEquals(ProxyResult.INVALID_USAGE, abort.result);
        Call close = service.call(A, id, new CloseRequest());
        service.pass(Duration.ofMillis(100));
        service.pass(Duration.ofMillis(100));
        assertEquals(ProxyResult.SUCCESS, close.result);
    }

    @Test
    void shouldDropTheOpsOfAConnectionByAbort() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        long other = service.connection(A, ConnectionState.CONNECTED);
        service.call(A, id, start(4, id, id));
        service.call(A, other, start(4, other));
        service.runtime.progress().doWork();
        Call abort = service.call(A, id, new AbortRequest());
        service.settle();
        assertEquals(2, abort.response.getInt());
        assertEquals(1, service.runtime.pool().outstanding());
        assertEquals(ProxyResult.INVALID_USAGE, service.call(A, id, start(6, id)).result);
        assertEquals(ProxyResult.SUCCESS, service.call(A, other, start(6, other)).result);
    }

    @Test
    void shouldDropTheOpsOfAPeerByAbort() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        long foreign = service.connection(B, ConnectionState.CONNECTED);
        service.call(A, id, start(4, id));
        service.call(B, foreign, start(4, foreign));
        service.runtime.progress().doWork();
        Call abort = service.call(A, 0, new AbortRequest());
        service.settle();
        assertEquals(1, abort.response.getInt());
        assertEquals(1, service.runtime.pool().outstanding());
    }

    @Test
    void shouldDropAllOpsByAbortOfTheOwnRank() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        service.call(A, id, start(4, id));
        service.runtime.progress().doWork();
        assertEquals(1, service.call(SELF, 0, new AbortRequest()).response.getInt());
        service.runtime.progress().doWork();
        assertEquals(0, service.runtime.pool().outstanding());
        assertTrue(service.runtime.asyncResult().failure().getMessage().contains("aborted"));
    }

    @ParameterizedTest
    @EnumSource(value = MessageType.class, names = {"GET_FD", "QUERY_FD"})
    void shouldSendThoseWhoWantDescriptorsToTheUdsThread(MessageType type) {
        Call call = service.call(A, type, 0, ByteBuffer.allocate(8));
        assertEquals(ProxyResult.INVALID_USAGE, call.result);
        assertTrue(call.detail.contains("UDS thread"), call.detail);
    }

    @Test
    void shouldRegisterMemoryOfTheOwnProcessById() {
        long id = service.connection(SELF, ConnectionState.CONNECTED);
        DeviceMemory memory = service.device.allocate(4096);
        RegisterRequest request = new RegisterRequest(Source.DEVICE, memory.id(), 1024, 512);
        long handle = request.response(service.call(SELF, id, request).response);
        assertEquals(memory.segment().address() + 1024, service.find(id).registration(handle).range().address());
        assertEquals("mhandle", service.find(id).registration(handle).mhandle());
        assertEquals(ProxyResult.SUCCESS, service.call(SELF, id, new DeregisterRequest(handle)).result);
        assertNull(service.find(id).registration(handle));
        assertEquals(ProxyResult.INVALID_ARGUMENT, service.call(SELF, id, new DeregisterRequest(handle)).result);
        assertEquals(List.of("register 512", "deregister 512"), service.transport.calls.subList(2, 4));
        assertSame(memory, service.device.memory(memory.id()), "it stays its owner's");
    }

    @Test
    void shouldWaitWithDeregisterForTheOpsThatUseTheMemory() {
        long id = service.connection(SELF, ConnectionState.CONNECTED);
        RegisterRequest request = new RegisterRequest(Source.DEVICE, service.device.allocate(4096).id(), 0, 512);
        long handle = request.response(service.call(SELF, id, request).response);
        ProxySubArgs running = op(id, handle);
        assertNull(running.hold());
        Call call = service.call(SELF, id, new DeregisterRequest(handle));
        service.settle();
        assertNull(call.result, "an op uses the memory");
        ProxySubArgs late = op(id, handle);
        assertTrue(late.hold().contains("handle " + handle), "none may begin to");
        running.release();
        running.release();
        service.settle();
        assertEquals(ProxyResult.SUCCESS, call.result);
        assertTrue(service.transport.calls.contains("deregister 512"));
    }

    private ProxySubArgs op(long connection, long mhandle) {
        ProxySubArgs sub = ProxyArgs.of(service.find(connection), 2, 1, 1, 1, 8).sub(0);
        sub.sendMhandle = mhandle;
        return sub;
    }

    @Test
    void shouldNotRegisterByIdForAnotherProcess() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        DeviceMemory memory = service.device.allocate(4096);
        Call call = service.call(A, id, new RegisterRequest(Source.DEVICE, memory.id(), 0, 512));
        assertEquals(ProxyResult.INVALID_USAGE, call.result);
        assertTrue(call.detail.contains("QueryFd"), call.detail);
    }

    @Test
    void shouldRegisterMemoryByDescriptorOnce() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        int number = service.memory.onQueryFd(A, List.of(service.device.fd()))[0];
        assertEquals(ProxyResult.INVALID_ARGUMENT, service.call(B, service.connection(B, ConnectionState.CONNECTED),
                new RegisterRequest(Source.FD, number, 0, 4096)).result, "another peer's");
        Call call = service.call(A, id, new RegisterRequest(Source.FD, number, 0, 4096));
        assertEquals(ProxyResult.SUCCESS, call.result, call.detail);
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                service.call(A, id, new RegisterRequest(Source.FD, number, 0, 4096)).result);
        var range = service.find(id).registration(call.response.getLong()).range();
        service.call(A, id, new CloseRequest());
        service.settle();
        assertTrue(service.transport.calls.contains("deregister 4096"));
        assertTrue(!range.scope().isAlive(), "imported memory ends with its registration");
    }

    @ParameterizedTest
    @MethodSource("ranges")
    void shouldRefuseARangeThatIsNotWithinTheMemory(long offset, long bytes) {
        long id = service.connection(A, ConnectionState.CONNECTED);
        int number = service.memory.onQueryFd(A, List.of(service.device.fd()))[0];
        Call call = service.call(A, id, new RegisterRequest(Source.FD, number, offset, bytes));
        assertEquals(ProxyResult.INVALID_ARGUMENT, call.result);
        assertTrue(service.find(id).registrations().isEmpty());
    }

    static Stream<Arguments> ranges() {
        return Stream.of(Arguments.of(-1L, 1L), Arguments.of(0L, 0L), Arguments.of(0L, -1L), Arguments.of(0L, 4097L),
                Arguments.of(4096L, 1L), Arguments.of(Long.MAX_VALUE, 2L), Arguments.of(1L, Long.MAX_VALUE),
                Arguments.of(Long.MIN_VALUE, Long.MIN_VALUE));
    }

    @ParameterizedTest
    @CsvSource({"-4096, 8192", "8192, -4096", "0, 0", "1, 0x7fffffffffffffff", "0x7fffffffffffffff, 1"})
    void shouldMapNothingForARangeThatNoMemoryHas(String offset, String bytes) {
        long id = service.connection(A, ConnectionState.CONNECTED);
        int number = service.memory.onQueryFd(A, List.of(service.device.fd()))[0];
        Call call = service.call(A, id, new RegisterRequest(Source.FD, number, Long.decode(offset),
                Long.decode(bytes)));
        assertEquals(ProxyResult.INVALID_ARGUMENT, call.result);
        assertEquals(0, service.device.imports());
        assertEquals(Set.of(), service.device.open, "the descriptor is used up");
    }

    @Test
    void shouldGiveImportedMemoryBackWhenRegisteringFails() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        int[] numbers = service.memory.onQueryFd(A, List.of(service.device.fd(), service.device.fd(),
                service.device.fd()));
        service.transport.failure = new ProxyException(ProxyResult.SYSTEM_ERROR, "no more regions");
        assertEquals(ProxyResult.SYSTEM_ERROR,
                service.call(A, id, new RegisterRequest(Source.FD, numbers[0], 0, 64)).result);
        service.transport.failure = null;
        service.transport.pending = 5;
        Call pending = service.call(A, id, new RegisterRequest(Source.FD, numbers[1], 0, 64));
        service.pass(Duration.ofMillis(100));
        assertNull(pending.result);
        service.call(A, id, new CloseRequest());
        assertEquals(ProxyResult.INVALID_USAGE, pending.result);
        assertTrue(service.transport.calls.contains("deregister 64"), "what was begun is undone");
        service.service.onDisconnect(A);
        service.pass(Duration.ofSeconds(1));
        assertEquals(Set.of(), service.device.open, "what was never used is closed with its peer");
    }

    @Test
    void shouldUndoWhatARegisterBeganBeforeItsConnectionIsFreed() {
        long id = service.connection(A, ConnectionState.CONNECTED);
        int number = service.memory.onQueryFd(A, List.of(service.device.fd()))[0];
        service.transport.pending = 100;
        Call register = service.call(A, id, new RegisterRequest(Source.FD, number, 0, 64));
        register.isOpen = false;
        service.call(A, id, new CloseRequest());
        service.settle();
        assertEquals(List.of("deregister 64", "free CLOSING"),
                service.transport.calls.subList(service.transport.calls.size() - 2, service.transport.calls.size()));
    }

    private long inState(ConnectionState state) {
        if (state == ConnectionState.SHARED_INITIALIZED) {
            long id = service.init(A);
            service.call(A, id, new SharedInitRequest(1));
            return id;
        }
        if (state == ConnectionState.CLOSING) {
            long id = service.connection(A, ConnectionState.CONNECTED);
            service.call(A, id, new CloseRequest());
            return id;
        }
        return service.connection(A, state);
    }

    private ByteBuffer body(MessageType type, long id) {
        return switch (type) {
            case SHARED_INIT -> new SharedInitRequest(1).encode();
            case START -> start(2, id).encode();
            case REGISTER -> new RegisterRequest(Source.FD,
                    service.memory.onQueryFd(A, List.of(service.device.fd()))[0], 0, 64).encode();
            case DEREGISTER -> new DeregisterRequest(registered(id)).encode();
            default -> NOTHING;
        };
    }

    private long registered(long id) {
        if (service.state(id) != ConnectionState.CONNECTED) {
            return 1;
        }
        int number = service.memory.onQueryFd(A, List.of(service.device.fd()))[0];
        return service.call(A, id, new RegisterRequest(Source.FD, number, 0, 64)).response.getLong();
    }

    private static StartRequest start(long opCount, long... connections) {
        return new StartRequest(opCount, java.util.Arrays.stream(connections)
                .mapToObj(id -> new ProxyOpEncoder().connection(id).nsteps(1).sliceSteps(1).chunkSteps(1)
                        .nbytes(64)).toList());
    }

    /** All that a client could send, and what it reads of the answer. */
    @Test
    void shouldNumberTheTypesAsRcclDoes() {
        List<Request<?>> requests = List.of(new InitRequest(NET, Direction.RECV, 3), new SharedInitRequest(1),
                new SetupRequest(NOTHING), new ConnectRequest(NOTHING), start(0, 1), new CloseRequest(),
                new AbortRequest(), new StopRequest(), new RegisterRequest(Source.FD, 1, 2, 3),
                new DeregisterRequest(4));
        assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 11, 12),
                requests.stream().map(request -> request.type().code()).toList());
        assertEquals(9, MessageType.GET_FD.code());
        assertEquals(10, MessageType.QUERY_FD.code());
        assertThrows(ProxyException.class, () -> new CloseRequest().response(ByteBuffer.allocate(1)));
        assertThrows(ProxyException.class, () -> new AbortRequest().response(ByteBuffer.allocate(3)));
        assertThrows(ProxyException.class,
                () -> new InitRequest(NET, Direction.SEND, 1).response(ByteBuffer.allocate(20)));
    }
}
