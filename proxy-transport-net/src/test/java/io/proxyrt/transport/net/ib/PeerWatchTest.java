/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.socket.ControlDial;
import io.proxyrt.transport.net.socket.ControlListener;
import io.proxyrt.transport.net.socket.ControlSocket;
import io.proxyrt.transport.net.socket.ControlSockets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeerWatchTest {
    private final ControlSockets sockets = ControlSockets.of(ProxyConfig.builder().environment(Map.of())
            .set("net.socket.ifname", "=lo").build(), 3);
    private final ControlListener listener = sockets.listen();
    private final List<ControlSocket> open = new ArrayList<>();
    private final PeerWatch watch = new PeerWatch(3, () -> { });
    /** The other end of what was watched last. */
    private PeerWatch.Peer there;

    @AfterEach
    void close() {
        watch.close();
        open.forEach(ControlSocket::close);
        listener.close();
    }

    private ControlSocket connect() {
        ControlSocket here = null;
        ControlSocket far = null;
        try (ControlDial dial = sockets.dial(listener.handle())) {
            while (here == null || far == null) {
                here = here == null ? dial.connect() : here;
                far = far == null ? listener.accept() : far;
                Thread.onSpinWait();
            }
        }
        open.addAll(List.of(here, far));
        there = new PeerWatch.Peer(far);
        return here;
    }

    private PeerWatch.Peer watched() {
        PeerWatch.Peer peer = new PeerWatch.Peer(connect());
        watch.watch(peer);
        return peer;
    }

    private static void awaitLeaving(PeerWatch.Peer peer) {
        while (!peer.hasLeft()) {
            assertFalse(Thread.interrupted(), "the test's time is up");
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldTellHowManyMessagesAPeerHasSent() {
        PeerWatch.Peer peer = watched();
        assertFalse(peer.hasLeft());
        there.leave(42);
        there.close();

        awaitLeaving(peer);
        assertEquals(42, peer.sent());
        assertEquals("was closed by the peer", peer.how());
    }

    @Test
    void shouldTellOfAPeerThatHadFailedFromOneWhoseProcessIsGone() {
        PeerWatch.Peer failed = watched();
        there.leave(PeerWatch.Peer.FAILED);
        there.close();
        PeerWatch.Peer gone = watched();
        there.close();

        awaitLeaving(failed);
        assertEquals("was closed by the peer, after it had failed there", failed.how());
        awaitLeaving(gone);
        assertEquals("was closed by the peer, which said nothing: its process is gone", gone.how());
        assertTrue(failed.sent() < 0 && gone.sent() < 0);
    }

    /** A selector takes no channel that blocks. */
    @Test
    void shouldLoseAllPeersWhenItsThreadFails() throws IOException {
        PeerWatch.Peer before = watched();
        ControlSocket blocking = connect();
        blocking.channel().configureBlocking(true);
        watch.watch(new PeerWatch.Peer(blocking));

        awaitLeaving(before);
        assertTrue(before.sent() < 0 && before.how().contains("not watched any more"), before.how());
        PeerWatch.Peer after = watched();
        awaitLeaving(after);
        assertEquals(before.how(), after.how());
    }

    private void say(long... words) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(words.length * Long.BYTES);
        for (long word : words) {
            bytes.putLong(word);
        }
        for (bytes.flip(); bytes.hasRemaining();) {
            there.socket().channel().write(bytes);
        }
    }

    @Test
    void shouldLeaveTheSocketOfAPeerThatTurnsToTheCommAndTakeItBack() throws IOException {
        PeerWatch.Peer peer = watched();
        say(FailoverWire.TURN, 7);
        while (!peer.hasTurned()) {
            Thread.onSpinWait();
        }
        watch.release(peer);
        while (!peer.isReleased()) {
            Thread.onSpinWait();
        }
        ByteBuffer rest = ByteBuffer.allocate(Long.BYTES);
        while (rest.hasRemaining()) {
            peer.socket().channel().read(rest);
        }
        assertEquals(7, rest.getLong(0), "and not the watching thread");
        assertFalse(peer.hasLeft());

        PeerWatch.Peer other = new PeerWatch.Peer(peer.socket());
        watch.watch(other);
        there.leave(41);
        awaitLeaving(other);
        assertEquals(41, other.sent());
    }

    @Test
    void shouldReleaseAPeerThatSaysNothing() {
        PeerWatch.Peer peer = watched();
        for (int i = 0; i < 100; i++) {
            watch.release(peer);
            while (!peer.isReleased()) {
                Thread.onSpinWait();
            }
            watch.watch(peer);
        }
        there.leave(5);
        awaitLeaving(peer);
        assertEquals(5, peer.sent());
    }
}
