/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.TransportVerdict;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which transport a runtime that has several takes, and how it says so. */
class TransportChoiceTest {
    @TempDir
    private Path directory;
    private static final String NO_P2P = "host devices have SHM, unless proxyrt.p2p.host is 1";

    private ProxyState zero;
    private ProxyState one;

    @AfterEach
    void close() {
        if (zero != null) {
            zero.close();
        }
        if (one != null) {
            one.close();
        }
    }

    @Test
    void shouldExplainItsChoice() {
        start(Map.of(), Map.of());
        assertEquals(List.of(new TransportVerdict("P2P", NO_P2P, false), new TransportVerdict("SHM", "", true),
                new TransportVerdict("NET", "", false), new TransportVerdict("SCRIPTED", "", false)),
                zero.explain(one.peerInfo(), null));
        assertEquals(List.of(new TransportVerdict("P2P", "SCRIPTED is asked for", false),
                new TransportVerdict("SHM", "SCRIPTED is asked for", false),
                new TransportVerdict("NET", "SCRIPTED is asked for", false),
                new TransportVerdict("SCRIPTED", "", true)), zero.explain(one.peerInfo(), "scripted"));
        assertEquals("SHM", connector(zero, one, Direction.SEND, null).transport());
    }

    @Test
    void shouldNameBothChoicesAtBothEnds() {
        start(Map.of(), Map.of("shm.disable", "1"));
        Connector send = connector(zero, one, Direction.SEND, null);
        Connector recv = connector(one, zero, Direction.RECV, null);
        byte[] fromSender = zero.await(send.setup(), Ranks.TIMEOUT, "setup");
        byte[] fromReceiver = one.await(recv.setup(), Ranks.TIMEOUT, "setup");
        String atSender = assertThrows(ProxyException.class, () -> send.connect(fromReceiver)).getMessage();
        String atReceiver = assertThrows(ProxyException.class, () -> recv.connect(fromSender)).getMessage();
        String shm = "SHM (P2P: " + NO_P2P + ')';
        String net = "NET (P2P: " + NO_P2P + "; SHM: proxyrt.shm.disable is 1)";
        assertTrue(atSender.contains("rank 0 chose " + shm + ", rank 1 " + net), atSender);
        assertTrue(atReceiver.contains("rank 1 chose " + net + ", rank 0 " + shm), atReceiver);
    }

    @Test
    void shouldTakeTheTextOfAnOptionForTheHost() {
        start(Map.of("host.id", "here"), Map.of("host.id", "there"));
        assertTrue(zero.peerInfo().isSameHost(zero.peerInfo()));
        assertEquals(false, zero.peerInfo().isSameHost(one.peerInfo()));
        assertEquals("rank 1 is on another host", zero.memory().whyNot(zero.peerInfo(), one.peerInfo()));
    }

    @Test
    void shouldSayWhyNoDescriptorsPassBetweenTwoRanks() {
        start(Map.of(), Map.of());
        PeerInfo self = zero.peerInfo();
        PeerInfo peer = one.peerInfo();
        PeerProcess process = peer.process();
        assertEquals("", zero.memory().whyNot(self, peer));
        assertEquals("", one.memory().whyNot(peer, self));

        assertSays("rank 1 has no UDS thread", new PeerInfo(1, process, peer.service(), ""));
        assertSays("rank 1 is in another network namespace", in(peer, new PeerProcess(process.hostHash(),
                process.pid(), process.id(), process.uid(), process.shmId(), process.netId() + 1)));
        assertSays("rank 1 belongs to user 4294967294", in(peer, new PeerProcess(process.hostHash(), process.pid(),
                process.id(), -2, process.shmId(), process.netId())));
    }

    @Test
    void shouldAdmitUsersThatTheOptionNames() {
        start(Map.of("uds.allow.uids", "77"), Map.of());
        PeerProcess process = one.peerInfo().process();
        assertEquals("", zero.memory().whyNot(zero.peerInfo(), in(one.peerInfo(), new PeerProcess(process.hostHash(),
                process.pid(), process.id(), 77, process.shmId(), process.netId()))));
    }

    private void assertSays(String part, PeerInfo peer) {
        String why = zero.memory().whyNot(zero.peerInfo(), peer);
        assertTrue(why.contains(part), why);
    }

    private static PeerInfo in(PeerInfo peer, PeerProcess process) {
        return new PeerInfo(peer.rank(), process, peer.service(), peer.uds());
    }

    private void start(Map<String, String> ofZero, Map<String, String> ofOne) {
        zero = Ranks.start(0, directory, ScriptedTransport.stuck(), ofZero);
        one = Ranks.start(1, directory, ScriptedTransport.stuck(), ofOne);
    }

    private static Connector connector(ProxyState self, ProxyState peer, Direction direction, String name) {
        return self.connector(new ConnectorRequest(direction, self.peerInfo(), peer.peerInfo(), 0, 0), name);
    }
}
