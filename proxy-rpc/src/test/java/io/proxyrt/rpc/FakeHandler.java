/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.RpcCall;
import io.proxyrt.core.service.RpcHandler;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Keeps calls, and peers that came and left; answers as it is told, by default with the request. */
class FakeHandler implements RpcHandler {
    final List<RpcCall> calls = new ArrayList<>();
    final List<PeerId> come = new ArrayList<>();
    final List<PeerId> gone = new ArrayList<>();
    private final Consumer<RpcCall> answer;

    FakeHandler() {
        this(FakeHandler::echo);
    }

    FakeHandler(Consumer<RpcCall> answer) {
        this.answer = answer;
    }

    /** One that leaves it to the test to answer. */
    static FakeHandler silent() {
        return new FakeHandler(call -> { });
    }

    static void echo(RpcCall call) {
        call.reply(ProxyResult.SUCCESS, "", call.request());
    }

    static void answer(RpcCall call, String body) {
        call.reply(ProxyResult.SUCCESS, "", Rig.bytes(body));
    }

    static ByteBuffer nothing() {
        return ByteBuffer.allocate(0);
    }

    @Override
    public void onCall(RpcCall call) {
        calls.add(call);
        answer.accept(call);
    }

    @Override
    public void onConnect(PeerId peer) {
        come.add(peer);
    }

    @Override
    public void onDisconnect(PeerId peer) {
        gone.add(peer);
    }
}
