/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.Welcome;
import io.proxyrt.transport.collnet.wire.WireCredential;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connecting with switches that are late, wrong, silent or absent, and with participants that do not fit. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwitchConnectTest {
    private static final WireCredential NO_SECRET = WireCredential.of(PlayedSwitch.config());

    private final PlayedSwitch played = new PlayedSwitch();

    @AfterEach
    void close() {
        played.close();
    }

    @Test
    void shouldTellWhichParticipantConnects() {
        var handshake = played.greet(attempt(4, 2), NO_SECRET);

        assertEquals(4, handshake.hello().nRanks());
        assertEquals(2, handshake.hello().rank());
        assertTrue(handshake.hello().peer().startsWith("participant 2, rank 7 (pid " + ProcessHandle.current().pid()),
                handshake.hello().peer());
    }

    @Test
    void shouldWaitUntilAllParticipantsAreThere() {
        CollNetConnectComm attempt = attempt(2, 0);
        played.send(played.greet(attempt, NO_SECRET).welcome(""));
        for (int i = 0; i < 100; i++) {
            assertNull(attempt.connect());
        }
        played.send(WireDescriptor.ready());

        assertEquals("switch " + played.address(), played.comm(attempt).network());
    }

    @Test
    void shouldTellWhyASwitchRefuses() {
        CollNetConnectComm attempt = attempt(2, 0);
        played.send(played.greet(attempt, NO_SECRET).welcome("it has 256 groups already"));

        assertFails(attempt, ProxyResult.REMOTE_ERROR, "switch " + played.address()
                + ": it refuses: it has 256 groups already");
    }

    @Test
    void shouldSayWhatToLookAtWhenASwitchWithAnotherSecretHangsUp() {
        CollNetConnectComm attempt = attempt(2, 0);
        WireCredential other = WireCredential.of(PlayedSwitch.config("secret", "of another job"));
        assertThrows(ProxyException.class, () -> played.greet(attempt, other));
        played.hangUp();

        assertFails(attempt, ProxyResult.REMOTE_ERROR, "it closed the connection", "proxyrt.secret.file");
    }

    @Test
    void shouldNotBelieveASwitchThatDoesNotKnowTheSecret() {
        CollNetConnectComm attempt = attempt(2, 0);
        played.greet(attempt, NO_SECRET);
        played.send(new Welcome(new byte[WireDescriptor.PROOF_BYTES], "").encode());

        assertFails(attempt, ProxyResult.REMOTE_ERROR, "it has another secret");
    }

    @Test
    void shouldTellWhyAGroupEndsBeforeAllAreThere() {
        CollNetConnectComm attempt = attempt(2, 0);
        played.send(played.greet(attempt, NO_SECRET).welcome(""));
        played.abort(ProxyResult.REMOTE_ERROR, "participant 1 did not come");

        assertFails(attempt, ProxyResult.REMOTE_ERROR, "switch " + played.address() + ": participant 1 did not come");
    }

    @Test
    void shouldNotTakeResultsBeforeAllAreThere() {
        CollNetConnectComm attempt = attempt(2, 0);
        played.send(played.greet(attempt, NO_SECRET).welcome(""));
        played.result(0, new byte[8]);

        assertFails(attempt, ProxyResult.REMOTE_ERROR, "it broke the protocol");
    }

    @Test
    void shouldGiveUpWhenTheOthersDoNotComeInTime() {
        CollNetConnectComm attempt = attempt(4, 2, "connect.timeout", "1s");
        played.send(played.greet(attempt, NO_SECRET).welcome(""));

        assertFails(attempt, ProxyResult.REMOTE_ERROR,
                ": it let participant 2 in, but did not say that all 4 are there within 1000 ms",
                "proxyrt.connect.timeout");
    }

    @Test
    void shouldGiveUpOnASwitchThatSaysNothing() {
        assertFails(attempt(2, 0, "connect.timeout", "100ms"), ProxyResult.REMOTE_ERROR, "switch " + played.address()
                + ": it did not let participant 0 in within 100 ms");
    }

    @Test
    void shouldGiveUpWhenNoSwitchListensInTime() {
        played.stopListening();

        assertFails(attempt(2, 0, "connect.timeout", "300ms"), ProxyResult.REMOTE_ERROR, "switch " + played.address()
                + ": it did not listen (Connection refused) within 300 ms");
    }

    @Test
    void shouldTryAgainUntilASwitchListens() throws IOException {
        played.stopListening();
        CollNetConnectComm attempt = attempt(1, 0, "connect.timeout", "10m");
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < TimeUnit.MILLISECONDS.toNanos(250)) {
            assertNull(attempt.connect());
        }
        played.listenAgain();
        played.send(played.greet(attempt, NO_SECRET).welcome(""));
        played.send(WireDescriptor.ready());

        assertNotNull(played.comm(attempt));
    }

    @Test
    void shouldConnectByName() {
        SwitchNet net = PlayedSwitch.net(Platform.find(), "collnet.switch",
                "localhost" + played.address().replaceFirst(".*:", ":"));
        CollNetConnectComm attempt = played.attempt(net, 1, 0);
        played.send(played.greet(attempt, NO_SECRET).welcome(""));
        played.send(WireDescriptor.ready());

        assertTrue(played.comm(attempt).network().startsWith("switch localhost:"));
    }

    /** No way leads to the first. */
    @Test
    void shouldTakeTheNextAddressOfAName() {
        SwitchSettings settings = SwitchSettings.of(PlayedSwitch.config("secret", "of the test"), 7, Platform.find());
        int port = Integer.parseInt(played.address().replaceFirst(".*:", ""));
        SwitchTarget target = new SwitchTarget(false, new SwitchAddress("of-two-addresses", port),
                settings.credential(), GroupId.of(new byte[GroupId.KEY_BYTES]), 1, 0, settings.name());
        SwitchWaiter waiter = played.keep(new SwitchWaiter());
        CollNetConnectComm attempt = played.keep(new SwitchConnectComm(settings, target, waiter, () -> { },
                CompletableFuture.completedFuture(List.of(InetAddress.ofLiteral("255.255.255.255"),
                        InetAddress.ofLiteral("127.0.0.1")))));
        played.send(played.greet(attempt, settings.credential()).welcome(""));
        played.send(WireDescriptor.ready());

        assertEquals("switch of-two-addresses:" + port, played.comm(attempt).network());
    }

    @Test
    void shouldTellANameThatIsNotKnown() {
        SwitchNet net = PlayedSwitch.net(Platform.find(), "collnet.switch", "no-such-host.invalid:1");

        assertFails(played.attempt(net, 2, 0), ProxyResult.REMOTE_ERROR,
                "switch no-such-host.invalid:1: no name service knows no-such-host.invalid", "proxyrt.collnet.switch");
    }

    @Test
    void shouldNotConnectWithOtherHostsWithoutASecret() {
        SwitchNet net = PlayedSwitch.net(Platform.find(), "collnet.switch", "192.0.2.1:1");

        assertFails(played.attempt(net, 2, 0), ProxyResult.INVALID_USAGE,
                "switch 192.0.2.1:1: it cannot be used at 192.0.2.1 without a secret", "PROXYRT_SECRET");
    }

    @Test
    void shouldGiveUpAtOnceWhenParticipant0OfAnEmbeddedSwitchIsGone() {
        SwitchNet net = played.keep(PlayedSwitch.net(Platform.find()));
        CollNetListenComm gone = net.listen(0);
        CollNetListenComm own = played.keep(net.listen(0));
        List<ByteBuffer> handles = List.of(gone.handle(), own.handle());
        gone.close();

        assertFails(played.keep(net.connect(0, handles, 1, own)), ProxyResult.REMOTE_ERROR, "Connection refused",
                "participant 0, which has it in its process, may be gone");
    }

    @Test
    void shouldRefuseParticipantsOfOtherHostsWithoutASwitch() {
        HostIdentity here = HostIdentity.own(PlayedSwitch.config());
        assertDiffering(here, new HostIdentity(here.boot() + 1, here.netId()));
        assertDiffering(here, new HostIdentity(here.boot(), here.netId() + 1));
    }

    @Test
    void shouldTakeRanksThatAreToldToBeOnOtherHostsForWhereTheyAre() {
        assertEquals(HostIdentity.own(PlayedSwitch.config("host.id", "a")),
                HostIdentity.own(PlayedSwitch.config("host.id", "b")));
    }

    @Test
    void shouldRefuseParticipantsOfWhomOnlySomeKnowASwitch() {
        SwitchNet with = played.keep(PlayedSwitch.net(Platform.find(), "collnet.switch", played.address()));
        SwitchNet without = played.keep(PlayedSwitch.net(Platform.find()));
        CollNetListenComm knowing = played.keep(with.listen(0));
        CollNetListenComm other = played.keep(without.listen(0));

        assertUnusable("participant 1 knows of no switch, but participant 0 does", () -> with.connect(0,
                List.of(knowing.handle(), other.handle()), 0, knowing));
        assertUnusable("participant 0 knows of no switch, but participant 1 does", () -> without.connect(0,
                List.of(other.handle(), knowing.handle()), 0, other));
    }

    @Test
    void shouldRefuseArgumentsThatDoNotFit() {
        SwitchNet net = played.keep(PlayedSwitch.net(Platform.find(), "collnet.switch", played.address()));
        CollNetListenComm own = played.keep(net.listen(0));
        CollNetListenComm other = played.keep(net.listen(0));
        List<ByteBuffer> handles = List.of(own.handle(), other.handle());

        assertInvalid(() -> net.connect(0, handles, 0, other));
        assertInvalid(() -> net.connect(0, handles, 2, own));
        assertInvalid(() -> net.connect(0, handles, -1, own));
        assertInvalid(() -> net.connect(0, List.of(), 0, own));
        assertInvalid(() -> net.connect(0, handles, 0, null));
        assertInvalid(() -> net.connect(1, handles, 0, own));
        assertInvalid(() -> net.listen(1));
        assertInvalid(() -> net.connect(0, List.of(own.handle(), ByteBuffer.allocate(128)), 0, own));
    }

    @Test
    void shouldCloseWhatIsHalfConnected() {
        CollNetConnectComm attempt = attempt(2, 0);
        played.greet(attempt, NO_SECRET);
        attempt.close();
        attempt.close();

        played.awaitEnd();
    }

    private CollNetConnectComm attempt(int nRanks, int rank, String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("collnet.switch", played.address()));
        return played.attempt(PlayedSwitch.net(Platform.find(), all.toArray(String[]::new)), nRanks, rank);
    }

    private void assertDiffering(HostIdentity one, HostIdentity two) {
        SwitchNet first = played.keep(PlayedSwitch.net(one));
        SwitchNet second = played.keep(PlayedSwitch.net(two));
        CollNetListenComm own = played.keep(first.listen(0));
        CollNetListenComm other = played.keep(second.listen(0));
        List<ByteBuffer> handles = List.of(own.handle(), other.handle());

        assertUnusable("participants 0 and 1 are on different hosts", () -> first.connect(0, handles, 0, own));
        assertUnusable("PROXYRT_COLLNET_SWITCH", () -> second.connect(0, handles, 1, other));
    }

    private static void assertUnusable(String text, Runnable call) {
        ProxyException failure = assertThrows(ProxyException.class, call::run);
        assertEquals(ProxyResult.INVALID_USAGE, failure.result(), failure.getMessage());
        assertTrue(failure.getMessage().contains(text) && failure.getMessage().contains("proxyrt.collnet.switch"),
                failure.getMessage());
    }

    private static void assertInvalid(Runnable call) {
        assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class, call::run).result());
    }

    private static void assertFails(CollNetConnectComm attempt, ProxyResult result, String... texts) {
        ProxyException failure = assertThrows(ProxyException.class, () -> {
            while (attempt.connect() == null) {
                PlayedSwitch.turn();
            }
        });
        assertEquals(result, failure.result(), failure.getMessage());
        for (String text : texts) {
            assertTrue(failure.getMessage().contains(text), failure.getMessage());
        }
    }
}
