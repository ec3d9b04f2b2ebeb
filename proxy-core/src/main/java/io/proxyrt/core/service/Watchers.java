/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.message.Farewell;
import io.proxyrt.core.service.message.WatchRequest;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The peers that watch this runtime: each has a call here, which costs nothing until it is answered. Confined to the
 * service thread, but for {@link #leave}.
 */
final class Watchers {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Map<PeerId, RpcCall> calls = new HashMap<>();
    private final AtomicReference<Farewell> farewell = new AtomicReference<>();

    /** The first word stays. Any thread; the service has to be woken. */
    void leave(Farewell word) {
        farewell.compareAndSet(null, word);
    }

    /** A peer whose session was cut watches anew. */
    void add(RpcCall call) {
        WatchRequest.decode(call.request());
        RpcCall before = calls.put(call.peer(), call);
        if (before != null) {
            before.reply(ProxyResult.INVALID_USAGE, call.peer() + " watches by another call", NOTHING);
        }
        doWork();
    }

    /** Says farewell, if it is time. Returns to how many. */
    int doWork() {
        Farewell word = farewell.get();
        if (word == null || calls.isEmpty()) {
            return 0;
        }
        ByteBuffer body = ByteBuffer.allocate(Farewell.MAX_BYTES);
        word.encode(body);
        body.flip();
        int count = calls.size();
        calls.values().forEach(call -> call.reply(ProxyResult.SUCCESS, "", body.duplicate()));
        calls.clear();
        return count;
    }
}
