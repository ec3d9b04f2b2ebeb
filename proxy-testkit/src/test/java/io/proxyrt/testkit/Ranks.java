/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.SetupRequest;
import io.proxyrt.core.service.message.StartRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Runtimes of one job, and what they ask of each other's services. */
final class Ranks {
    static final Duration TIMEOUT = Duration.ofMinutes(1);
    static final int SIZE = 8;
    static final JobSecret SECRET = JobSecret.of("the ranks of these tests".getBytes(StandardCharsets.UTF_8));
    static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private Ranks() {
    }

    static ProxyState start(int rank, Path directory, ScriptedTransport transport, Map<String, String> options) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, directory.resolve("runtimes").toString())
                .set(CoreOptions.THREADING, ThreadingMode.DEDICATED);
        options.forEach(config::set);
        return ProxyState.builder().rank(rank, SIZE).job(SECRET, "test").config(config.build()).transport(transport)
                .start();
    }

    /** A connection in state CONNECTED, by blocking calls. */
    static long connect(ServiceClient client, int peer) {
        long id = init(client, peer);
        client.callBlocking(id, new SetupRequest(NOTHING), TIMEOUT);
        client.callBlocking(id, new ConnectRequest(NOTHING), TIMEOUT);
        return id;
    }

    static long init(ServiceClient client, int peer) {
        return client.callBlocking(0, new InitRequest(ScriptedTransport.ID, Direction.SEND, peer), TIMEOUT)
                .connectionId();
    }

    /** Posts an op of one step. */
    static void post(ServiceClient client, long connection, long opCount) {
        client.callBlocking(connection, new StartRequest(opCount, List.of(new ProxyOpEncoder().connection(connection)
                .nsteps(1).sliceSteps(1).chunkSteps(1).nbytes(64).peer(3))), TIMEOUT);
    }

    /** Of a service that listens on TCP. */
    static int port(ProxyState proxy) {
        return ((InetSocketAddress) proxy.serviceAddress()).getPort();
    }

    static InetSocketAddress service(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }
}
