/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PeerTableTest {
    private static byte[] told(int rank, int port) {
        return new PeerInfo(rank, PeerProcess.own(ProxyConfig.builder().environment(Map.of()).build()),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), "").encode();
    }

    @Test
    void shouldBeOneForAllRanksOfAProcessThatWereToldTheSame() {
        PeerTable first = PeerTable.of(told(0, 1), told(1, 2));

        assertSame(first, PeerTable.of(told(0, 1), told(1, 2)));
        assertEquals(2, first.nRanks());
        assertEquals(1, first.info(1).rank());
    }

    @Test
    void shouldBeAnotherForRanksThatWereToldSomethingElse() {
        PeerTable first = PeerTable.of(told(0, 1), told(1, 2));
        PeerTable other = PeerTable.of(told(0, 1), told(1, 3));

        assertNotSame(first, other);
        assertEquals(new InetSocketAddress(InetAddress.getLoopbackAddress(), 3), other.info(1).service());
        assertSame(first, PeerTable.of(told(0, 1), told(1, 2)));
    }

    @Test
    void shouldNumberSomeRanksAsTheirGroupDoes() {
        PeerTable some = PeerTable.of(told(0, 1), told(1, 2), told(2, 3)).some(2, 0);

        assertEquals(2, some.nRanks());
        assertEquals(2, some.info(0).rank());
        assertEquals(0, some.info(1).rank());
    }

    @Test
    void shouldKeepNothingOfNonsense() {
        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> PeerTable.of(told(0, 1), new byte[3]), "broken");
        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> PeerTable.of(told(0, 1), new byte[3]), "broken");
    }
}
