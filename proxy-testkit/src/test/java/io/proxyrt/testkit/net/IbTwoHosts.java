/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.transport.net.spi.NetPlugin;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** What tests of the IB network between two hosts have: their networks, memory, and the connection under test. */
abstract class IbTwoHosts {
    final MemorySegment source;
    final MemorySegment target;
    IbHosts hosts;
    NetPlugin sender;
    NetPlugin receiver;
    NetPair pair;
    private final Arena arena = Arena.ofShared();

    IbTwoHosts(int bytes) {
        source = arena.allocate(bytes);
        target = arena.allocate(bytes);
    }

    final void open(IbHosts between) {
        hosts = between;
        sender = hosts.open(0);
        receiver = hosts.open(1);
    }

    /** Between RoCE hosts. */
    final WatchedVerbs openWatchingReceiver(Map<String, String> options) {
        hosts = IbHosts.roce(options);
        WatchedVerbs watched = new WatchedVerbs(hosts.verbs[1]);
        sender = hosts.open(0);
        receiver = hosts.open(1, watched.verbs());
        return watched;
    }

    @AfterEach
    final void close() {
        if (pair != null) {
            pair.close();
        }
        sender.close();
        receiver.close();
        arena.close();
    }
}
