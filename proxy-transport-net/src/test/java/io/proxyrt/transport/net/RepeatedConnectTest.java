/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connects that are carried out anew. */
class RepeatedConnectTest {
    private static final int CHUNK = 1024;

    @TempDir
    Path folder;

    private ManualNet net;
    private Counters counters;
    private TestProxy sender;
    private TestProxy receiver;

    private void open(int maxRecvs) {
        net = new ManualNet(maxRecvs);
        counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.BUFFER_BYTES, 32L << 10)
                .set(NetOptions.SHARED_BUFFERS, 1).set(NetOptions.P2P_CHUNK_BYTES, (long) CHUNK).build();
        sender = new TestProxy(0, config, net, counters);
        receiver = new TestProxy(1, config, net, counters);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        counters.close();
    }

    /** As a receiver may be told of another sender, a sender may be told of another receiver. */
    @Test
    void shouldDialTheHandleOfTheConnectThatIsBeingCarriedOut() {
        open(1);
        TestEnd send = sender.end(Direction.SEND, 0, 1, 0, 0);
        TestEnd old = receiver.end(Direction.RECV, 1, 0, 0, 0);
        TestEnd anew = receiver.end(Direction.RECV, 1, 0, 0, 0);
        ByteBuffer sendInfo = send.setUp();
        ByteBuffer oldInfo = old.setUp();
        ByteBuffer newInfo = anew.setUp();
        net.pendingConnects = 1;
        assertFalse(send.connect(oldInfo));
        assertTrue(send.connect(newInfo));
        assertTrue(anew.connect(sendInfo), "the old handle was dialed");
    }
}
