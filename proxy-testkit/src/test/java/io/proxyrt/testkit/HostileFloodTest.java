/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.transport.net.SocketOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two runtimes that connect over the network while someone without the secret, at their own address, holds hundreds of
 * idle connections at each of their ports, for longer than any call here waits.
 */
class HostileFloodTest {
    private static final int PER_PORT = 400;
    private static final int BYTES = 4096;
    private static final int SPARE_DESCRIPTORS = 24;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = {"INVOKER", "AUTO"}, mode = EnumSource.Mode.EXCLUDE)
    void shouldConnectOverTheNetworkThroughAFloodOfEveryPort(ThreadingMode mode) throws Exception {
        try (ProxyState sender = start(0, mode); ProxyState receiver = start(1, mode);
                Flood flood = new Flood(PER_PORT)) {
            assertTrue(flood.rise() >= 2);
            Connector recv = receiver.connector(new ConnectorRequest(Direction.RECV, receiver.peerInfo(),
                    sender.peerInfo(), 0, 0), "NET");
            byte[] listener = done(recv.setup());
            assertTrue(flood.rise() >= 1, "NET listens at no port");
            Connector send = sender.connector(new ConnectorRequest(Direction.SEND, sender.peerInfo(),
                    receiver.peerInfo(), 0, 0), "NET");
            byte[] connector = done(send.setup());
            CompletableFuture<DeviceConnection> receiving = recv.connect(connector);
            done(send.connect(listener));
            done(receiving);
        }
    }

    @Test
    void shouldPassDescriptorsThroughAFloodOfTheUnixSocket() throws Exception {
        try (ProxyState owner = start(0, ThreadingMode.DEDICATED); ProxyState user = start(1, ThreadingMode.DEDICATED);
                Flood flood = new Flood(PER_PORT)) {
            flood.rise(owner.memory().address());
            DeviceMemory memory = owner.device().allocateShareable(BYTES);
            long handle = owner.memory().export(memory, Set.of(1));
            try (DeviceMemory other = user.memory().open(owner.memory().address(), handle, Ranks.TIMEOUT)) {
                memory.segment().setString(0, "through");
                assertEquals("through", other.segment().getString(0));
            }
        }
    }

    /** Of a runtime in another process: this one needs the descriptors of its own for the flood. */
    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldServeThroughAFloodThatHasUsedUpAllDescriptors() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "takes prlimit");
        try (ProxyState caller = start(0, ThreadingMode.DEDICATED);
                ChildJvm child = new ChildJvm(List.of(), ChildRank.class, "1", Integer.toString(Ranks.port(caller)),
                        directory.toString());
                Flood flood = new Flood(PER_PORT)) {
            child.expect("ready");
            child.tell("where");
            String[] where = child.line().split(" ");
            // Loading a class takes a descriptor, too.
            try (ProxyState first = start(0, ThreadingMode.DEDICATED)) {
                use(first, child, where);
            }
            child.limitDescriptors(SPARE_DESCRIPTORS);
            flood.rise(Integer.parseInt(where[0]));
            flood.rise(where[1]);
            try (ServiceClient client = caller.client(Ranks.service(where[0]))) {
                Ranks.init(client, 3);
            }
            flood.fall();
            use(caller, child, where);
        }
    }

    /** Calls the service of the child, and gets a descriptor from its Unix socket. */
    private static void use(ProxyState caller, ChildJvm child, String[] where) {
        try (ServiceClient client = caller.client(Ranks.service(where[0]))) {
            Ranks.init(client, 3);
        }
        child.tell("export");
        try (DeviceMemory memory = caller.memory().open(where[1], Long.parseUnsignedLong(child.line(), 16),
                Ranks.TIMEOUT)) {
            assertTrue(memory.bytes() > 0);
        }
    }

    private ProxyState start(int rank, ThreadingMode mode) throws IOException {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.THREADING, mode)
                .set(CoreOptions.DIRECTORY, directory.toString()).set(SocketOptions.IFNAME, "=lo")
                .set("net.socket.handshake.timeout", "60m").set("rpc.hello.timeout", "60m")
                .set("uds.hello.timeout", "60m").build();
        return ProxyState.builder().rank(rank, Ranks.SIZE).job(Ranks.SECRET, "test").config(config).start();
    }

    private static <T> T done(CompletableFuture<T> result) throws Exception {
        return result.get(Ranks.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }
}
