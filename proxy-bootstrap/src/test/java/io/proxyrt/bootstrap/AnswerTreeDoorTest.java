/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rank's place in the tree, which the test drives in the place of the bootstrap's thread. */
class AnswerTreeDoorTest {
    private static final int N_RANKS = 1000;
    private final List<SocketChannel> far = new ArrayList<>();
    private SocketPoller poller;
    private Session session;
    private AnswerTree tree;

    @BeforeEach
    void open() throws IOException {
        final Credential credential = RawRank.credential(UniqueId.random(Jobs.loopback()));
        poller = new SocketPoller();
        session = new Session(poller, root(), Jobs.loopback(),
                new Claim(credential, 0, N_RANKS, LinkTerms.NONE), RawRoot.accepted(1000, 10_000, 1 << 20, 1 << 20),
                BootstrapConfig.defaults(), credential.job(Transcript.nonce()), new ArrayDeque<>());
        tree = new AnswerTree(0, N_RANKS, session, InetAddress.getLoopbackAddress(), (_, _) -> { });
    }

    /** A connection of which the tree knows nothing. */
    private static Link root() throws IOException {
        try (Selector selector = Selector.open()) {
            return new SocketLink(SocketChannel.open(), selector, 0);
        }
    }

    @AfterEach
    void close() throws IOException {
        for (final SocketChannel each : far) {
            each.close();
        }
        tree.close();
        session.close();
    }

    private void dial(int port, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            far.add(SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
        }
    }

    /** Returns how many connections it has taken in. */
    private int pass() throws IOException {
        final int before = poller.keys();
        poller.select(1000);
        return poller.keys() - before;
    }

    @Test
    void shouldBeForLargeJobs() {
        assertEquals(0, BootstrapRoot.fan(511));
        assertEquals(16, BootstrapRoot.fan(512));
    }

    @Test
    void shouldTakeInAFewConnectionsAtATime() throws IOException {
        dial(tree.open(2), 3 * AnswerTree.ACCEPTS_PER_PASS);
        for (int all = 0; all < far.size(); ) {
            final int some = pass();
            assertTrue(some > 0 && some <= AnswerTree.ACCEPTS_PER_PASS, () -> some + " at a time");
            all += some;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, AnswerTree.MAX_UNAUTHENTICATED + 1, N_RANKS, Integer.MAX_VALUE})
    void shouldNotOpenForMoreRanksThanItCanLetIn(int fan) {
        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> tree.open(fan), "a fan of " + fan + " below rank 0 of 1000");
        assertEquals(0, poller.keys());
    }

    @Test
    void shouldSayWhenItWillHaveSomethingToEnd() throws IOException {
        final long beginNs = System.nanoTime();
        final long patienceNs = session.config().handshakeTimeout().toNanos();
        assertEquals(Long.MAX_VALUE, tree.remainingNs(beginNs));

        final int port = tree.open(2);
        final long openNs = System.nanoTime() - beginNs;
        final long doorNs = tree.remainingNs(beginNs);
        assertTrue(doorNs >= patienceNs && doorNs <= patienceNs + openNs, () -> doorNs + " ns");
        dial(port, 1);
        pass();
        assertEquals(doorNs, tree.remainingNs(beginNs), "the door came before the connection");
        tree.close();
        assertEquals(Long.MAX_VALUE, tree.remainingNs(beginNs));
    }

    @Test
    void shouldWaitForTheRankAboveAsLongAsForOneBelow() throws IOException {
        final long beginNs = System.nanoTime();
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(Jobs.loopback());
            tree.dial((InetSocketAddress) server.getLocalAddress());
            final long dialNs = System.nanoTime() - beginNs;
            final long waitNs = tree.remainingNs(beginNs) - session.config().handshakeTimeout().toNanos();

            assertTrue(waitNs >= 0 && waitNs <= dialNs, () -> waitNs + " ns too long");
        }
    }
}
