/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.testkit.ScriptedTransport;
import java.nio.ByteBuffer;
import java.util.Map;

/** Whole runtimes of a made-up job, whose transport has to wait in each set-up as often as it is told. */
final class Runtimes {
    static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    static final InitRequest INIT = new InitRequest(ScriptedTransport.ID, Direction.SEND, 3);
    private static final int RANKS = 8;

    private Runtimes() {
    }

    static ProxyState start(int rank, ScriptedTransport transport) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.THREADING, ThreadingMode.DEDICATED).build();
        return ProxyState.builder().rank(rank, RANKS).job(Rank.SECRET, "bench").config(config).transport(transport)
                .start();
    }
}
