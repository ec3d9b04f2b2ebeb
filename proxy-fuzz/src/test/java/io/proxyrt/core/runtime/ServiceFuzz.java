/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.platform.CurrentUser;
import io.proxyrt.core.service.ConnectionService;
import io.proxyrt.core.service.RpcCall;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.MessageType;
import io.proxyrt.fuzz.Script;
import io.proxyrt.testkit.ScriptedTransport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What two peers may ask of a runtime, in any order: type, peer and connection in a byte each, then the body behind its
 * length. Each call is answered once, no state is skipped, and when both have gone nothing of theirs is left.
 */
public final class ServiceFuzz {
    private static final List<PeerId> PEERS = List.of(new PeerId(1, 17), new PeerId(2, 18));
    private static final int MOST_CALLS = 64;
    private static final long PATIENCE_NS = 10_000_000_000L;
    private static final ScriptedTransport TRANSPORT = ScriptedTransport.swift();
    private static final ProxyAssembly RUNTIME = new ProxyAssembly(
            ProxyState.builder().rank(0, 4).transport(TRANSPORT), ProxyConfig.builder().properties(Map.of())
                    .environment(Map.of()).set(CoreOptions.DIRECTORY, System.getProperty("java.io.tmpdir")
                            + "/proxyrt-fuzz-" + CurrentUser.id())
                    .set(CoreOptions.THREADING, ThreadingMode.INVOKER).set("peer.grace", "0s").build(),
            new HostWatch(0, ThreadingChoice.of(ThreadingMode.INVOKER, false, new HostLoad(1, 1, 0, false)), () -> 1),
            cause -> { }, () -> { });

    private ServiceFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        Script script = new Script(input);
        ConnectionService service = RUNTIME.connections;
        TRANSPORT.pendingTurns(script.nextByte() % 3);
        List<Call> calls = new ArrayList<>();
        List<Long> connections = new ArrayList<>();
        while (!script.isOver() && calls.size() < MOST_CALLS) {
            Call call = next(script, connections);
            service.onCall(call);
            calls.add(call);
            if ((script.nextByte() & 1) == 0) {
                turn(service);
            }
            if (call.type == MessageType.INIT && call.result == ProxyResult.SUCCESS) {
                connections.add(call.response.getLong());
            }
        }
        PEERS.forEach(service::onDisconnect);
        for (long start = System.nanoTime(); isBusy(); ) {
            require(System.nanoTime() - start < PATIENCE_NS, "connections or pending calls are left");
            turn(service);
        }
        require(TRANSPORT.live() == 0 && TRANSPORT.registered() == 0, "the transport still holds something");
        for (Call call : calls) {
            require(call.result != null || call.type == MessageType.WATCH, call + " was never answered");
            require(call.result != ProxyResult.INTERNAL_ERROR, () -> call + " found a bug: " + call.detail);
        }
        ProxyException failure = RUNTIME.asyncResult.failure();
        require(failure == null || failure.result() != ProxyResult.INTERNAL_ERROR, () -> "a bug: " + failure);
    }

    /** Called by Jazzer at the end. */
    public static void fuzzerTearDown() {
        RUNTIME.progress.onClose();
        RUNTIME.service.onClose();
        RUNTIME.release();
    }

    /** Inputs to begin with. */
    public static List<byte[]> seeds() {
        byte[] init = new byte[12];
        new InitRequest(ScriptedTransport.ID, Direction.SEND, 3).encode().get(init);
        List<byte[]> seeds = new ArrayList<>();
        for (MessageType last : MessageType.values()) {
            seeds.add(joined(new byte[] {1}, call(MessageType.INIT, init), call(MessageType.SETUP, new byte[3]),
                    call(MessageType.CONNECT, new byte[3]), call(last, new byte[200]), call(last, new byte[8])));
        }
        return seeds;
    }

    private static byte[] call(MessageType type, byte[] body) {
        return joined(new byte[] {(byte) (type.code() - 1), 0, 0, (byte) body.length}, body, new byte[1]);
    }

    private static byte[] joined(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
        Arrays.stream(parts).forEach(all::put);
        return all.array();
    }

    /** The body of a Start may name a connection, as a client of it would. */
    private static Call next(Script script, List<Long> connections) {
        MessageType type = MessageType.of(1 + script.nextByte() % MessageType.values().length);
        PeerId peer = PEERS.get(script.nextByte() % PEERS.size());
        int which = script.nextByte();
        long connection = which < connections.size() ? connections.get(which) : which == 255 ? 0 : which;
        byte[] body = script.next(script.nextByte());
        if (type == MessageType.START && body.length >= 16 && which < connections.size()) {
            ByteBuffer.wrap(body).order(java.nio.ByteOrder.LITTLE_ENDIAN).putLong(8, connection);
        }
        return new Call(type, peer, connection, body);
    }

    private static boolean isBusy() {
        return RUNTIME.counters.get(Counter.CONNECTIONS) > 0 || RUNTIME.counters.get(Counter.RPC_PENDING) > 0;
    }

    private static void turn(ConnectionService service) {
        RUNTIME.progress.doWork();
        service.doWork();
    }

    private static void require(boolean isSo, String fault) {
        require(isSo, () -> fault);
    }

    private static void require(boolean isSo, java.util.function.Supplier<String> fault) {
        if (!isSo) {
            throw new IllegalStateException(fault.get());
        }
    }

    private static final class Call implements RpcCall {
        private final MessageType type;
        private final PeerId peer;
        private final long connectionId;
        private final ByteBuffer request;
        private ProxyResult result;
        private String detail;
        private ByteBuffer response;

        Call(MessageType type, PeerId peer, long connectionId, byte[] request) {
            this.type = type;
            this.peer = peer;
            this.connectionId = connectionId;
            this.request = ByteBuffer.wrap(request).asReadOnlyBuffer();
        }

        @Override
        public MessageType type() {
            return type;
        }

        @Override
        public PeerId peer() {
            return peer;
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
        public boolean isOpen() {
            return true;
        }

        @Override
        public void reply(ProxyResult answer, String why, ByteBuffer body) {
            require(result == null, "answered twice");
            result = answer;
            detail = why;
            response = ByteBuffer.allocate(body.remaining()).put(body.duplicate()).flip();
        }

        @Override
        public String toString() {
            return type + " of " + peer;
        }
    }
}
