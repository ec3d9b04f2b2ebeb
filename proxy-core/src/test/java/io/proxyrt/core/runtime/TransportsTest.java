/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.ScriptedTransport;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.progress.TransportContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransportsTest {
    private static final PeerInfo SELF = info(0);
    private static final PeerInfo PEER = info(1);
    private static final ConnectorRequest REQUEST = new ConnectorRequest(Direction.SEND, SELF, PEER, 0, 0);

    private final ScriptedTransport shm = new ScriptedTransport(null);
    private final ScriptedTransport net = new ScriptedTransport(args -> 0);
    private final Transports transports = new Transports(new TransportContext(null, 0, null, null, null),
            List.of(new Provider(2, "NET", net), new Provider(1, "SHM", shm)));

    @Test
    void shouldTakeTheFirstThatCan() {
        assertEquals(new TransportChoice(1, "SHM", shm, ""), transports.choose(REQUEST, null));
        assertEquals(List.of(new TransportVerdict("SHM", "", true), new TransportVerdict("NET", "", false)),
                transports.explain(SELF, PEER, null));
    }

    @Test
    void shouldTakeTheNextWithTheReasonOfTheFirst() {
        shm.whyNot = "another host";
        assertEquals(new TransportChoice(2, "NET", net, "SHM: another host"), transports.choose(REQUEST, null));
        assertEquals(List.of(new TransportVerdict("SHM", "another host", false), new TransportVerdict("NET", "", true)),
                transports.explain(SELF, PEER, null));
    }

    @Test
    void shouldTakeNoOtherThanTheOneThatIsAskedFor() {
        assertEquals(new TransportChoice(2, "NET", net, "SHM: NET is asked for"), transports.choose(REQUEST, "net"));
        net.whyNot = "no device";
        ProxyException failure = assertThrows(ProxyException.class, () -> transports.choose(REQUEST, "NET"));
        assertEquals(ProxyResult.SYSTEM_ERROR, failure.result());
        assertEquals("rank 0 has no transport to send to rank 1, channel 0: SHM: NET is asked for; NET: no device",
                failure.getMessage());
        assertTrue(transports.explain(SELF, PEER, "NET").stream().noneMatch(TransportVerdict::isChosen));
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                assertThrows(ProxyException.class, () -> transports.explain(SELF, PEER, "PIGEON")).result());
    }

    @Test
    void shouldTakeATransportOfCollectivesForTheNetworkAlone() {
        net.isCollective = true;
        PeerInfo network = PeerInfo.network(2);
        ConnectorRequest request = new ConnectorRequest(Direction.SEND, SELF, network, 0, 0);
        assertEquals(List.of(new TransportVerdict("SHM", "", true)), transports.explain(SELF, PEER, null));
        assertEquals(new TransportChoice(2, "NET", net, ""), transports.choose(request, "NET"));
        net.whyNot = "no switch";
        assertEquals("rank 0 has no transport to send to the network, channel 0: NET: no switch",
                assertThrows(ProxyException.class, () -> transports.choose(request, "NET")).getMessage());
    }

    @Test
    void shouldCountTheAdaptersOfTheFirstTransportThatHasAny() {
        assertEquals(List.of(), transports.adapters());
        net.adapters = List.of(new TransportAdapter("eth0", ""), new TransportAdapter("eth1", ""));
        assertEquals(net.adapters, transports.adapters());
        ConnectorRequest second = REQUEST.by(1);
        assertEquals(1, transports.connector(null, second, "NET").request().adapter());
        assertEquals(ConnectorRequest.ANY_ADAPTER, transports.connector(null, second, null).request().adapter(),
                "SHM has none");
        for (int adapter : new int[] {-2, 2, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                    () -> transports.connector(null, REQUEST.by(adapter), "NET")).result());
        }
        net.isCollective = true;
        assertEquals(List.of(), transports.adapters());
        ConnectorRequest toNetwork = new ConnectorRequest(Direction.SEND, SELF, PeerInfo.network(2), 0, 0, 1);
        assertEquals(1, transports.connector(null, toNetwork, "NET").request().adapter());
        assertEquals(net.adapters, transports.connector(null, toNetwork, "NET").adapters());
    }

    @Test
    void shouldHandOverTheConnectInfoIfBothEndsChoseAlike() {
        TransportChoice mine = transports.choose(REQUEST, null);
        byte[] theirs = mine.encode(ByteBuffer.wrap(new byte[] {4, 5, 6}));
        ByteBuffer info = mine.requireSame(REQUEST, theirs);
        assertEquals(ByteBuffer.wrap(new byte[] {4, 5, 6}), info);

        ByteBuffer whole = ByteBuffer.allocate(ProxyTransport.CONNECT_INFO_BYTES);
        shm.whyNot = "ü".repeat(1000);
        assertTrue(transports.choose(REQUEST, null).encode(whole).length <= Connector.CONNECT_INFO_BYTES);
    }

    @Test
    void shouldNameBothChoicesIfTheEndsChoseDifferently() {
        TransportChoice mine = transports.choose(REQUEST, null);
        shm.whyNot = "proxyrt.shm.disable is 1";
        TransportChoice theirs = transports.choose(REQUEST, null);
        ProxyException failure = assertThrows(ProxyException.class,
                () -> mine.requireSame(REQUEST, theirs.encode(ByteBuffer.allocate(9))));
        assertEquals(ProxyResult.INVALID_USAGE, failure.result());
        assertTrue(failure.getMessage().contains("rank 0 chose SHM (the first that can), rank 1 NET "
                + "(SHM: proxyrt.shm.disable is 1)"), failure.getMessage());
    }

    @Test
    void shouldRefuseAConnectInfoThatIsBroken() {
        TransportChoice mine = transports.choose(REQUEST, "NET");
        byte[] good = mine.encode(ByteBuffer.allocate(0));
        for (int length = 0; length < good.length; length++) {
            byte[] part = Arrays.copyOf(good, length);
            assertEquals(ProxyResult.REMOTE_ERROR,
                    assertThrows(ProxyException.class, () -> mine.requireSame(REQUEST, part)).result());
        }
        good[4] = -1;
        assertEquals(ProxyResult.REMOTE_ERROR,
                assertThrows(ProxyException.class, () -> mine.requireSame(REQUEST, good)).result());
    }

    @Test
    void shouldCloseAllThoughOneFails() {
        shm.failure = new IllegalStateException("in use");
        assertEquals(shm.failure, assertThrows(IllegalStateException.class, transports::close));
        assertEquals(List.of("close"), net.calls);
    }

    private static PeerInfo info(int rank) {
        return new PeerInfo(rank, new PeerProcess(1, 1, 1, 1, 1, 1),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), "");
    }

    private record Provider(int id, String name, ScriptedTransport transport) implements ProxyTransportProvider {
        @Override
        public ProxyTransport create(TransportContext context) {
            return transport;
        }
    }
}
