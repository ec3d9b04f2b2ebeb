/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.jfr.RpcCallEvent;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A call that is being carried out. While its handler says that it has to wait, it is driven again after a while that
 * grows with its age: soon what ends soon, and what takes long costs little.
 */
final class ServiceCall implements Comparable<ServiceCall> {
    private static final long SHORTEST_NS = 50_000;
    private static final long LONGEST_NS = 10_000_000;
    /** The wait is this part of the age, so that it adds no more than that to how long a call takes. */
    private static final int PART = 4;

    private final RpcCall call;
    private final ProxyConnection connection;
    private final long startNs;
    private long dueNs;
    private boolean isAnswered;
    /** What the handler waits for, if it asked another thread. */
    CompletableFuture<Integer> asked;
    /** What the handler closes; null before it began. */
    List<ProxyConnection> closing;
    /** Null if it came while no recording wanted it. */
    RpcCallEvent recorded;

    ServiceCall(RpcCall call, ProxyConnection connection, long nowNs) {
        this.call = call;
        this.connection = connection;
        this.startNs = nowNs;
    }

    MessageType type() {
        return call.type();
    }

    PeerId peer() {
        return call.peer();
    }

    /** From position 0, each time. */
    ByteBuffer request() {
        return call.request();
    }

    /** Null if the call is about none. */
    ProxyConnection connection() {
        return connection;
    }

    /** Whether no caller waits for it any more. */
    boolean isOver() {
        return isAnswered || !call.isOpen();
    }

    void answer(ProxyResult result, String detail, ByteBuffer body) {
        assert !isAnswered : this;
        isAnswered = true;
        call.reply(result, detail, body);
        if (recorded != null) {
            record(result, detail);
        }
    }

    private void record(ProxyResult result, String detail) {
        recorded.type = type().name();
        recorded.caller = peer().rank();
        recorded.connection = call.connectionId();
        recorded.result = result.name();
        recorded.error = result.isError() ? detail : null;
        recorded.commit();
    }

    void putOff(long nowNs) {
        dueNs = nowNs + Math.clamp((nowNs - startNs) / PART, SHORTEST_NS, LONGEST_NS);
    }

    long dueNs() {
        return dueNs;
    }

    String describe(long nowNs) {
        return this + " is pending for " + (nowNs - startNs) / 1_000_000 + " ms";
    }

    @Override
    public int compareTo(ServiceCall other) {
        return Long.signum(dueNs - other.dueNs);
    }

    @Override
    public String toString() {
        return connection == null ? call.toString() : call + " for " + connection;
    }
}
