/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.WatchKind;
import io.proxyrt.core.service.message.Farewell;
import io.proxyrt.core.service.message.MessageType;
import io.proxyrt.core.service.message.PingResponse;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PeerWatchTest {
    private static final ProcessIdentity HERE = new ProcessIdentity(77, 1, ProcessIdentity.current().namespace());
    private static final ProcessIdentity ELSEWHERE = new ProcessIdentity(77, 1, HERE.namespace() + 1);
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private final List<Dial> dials = new ArrayList<>();
    private boolean isAlive = true;
    private boolean isNear;
    private long nowNs = 1;
    private PeerWatch watch = watch(HERE);

    /** A session that a test opens, answers on, and cuts. */
    private static final class Dial implements ProxyClient {
        final CompletableFuture<ProxyClient> opened = new CompletableFuture<>();
        final Map<MessageType, CompletableFuture<ByteBuffer>> calls = new EnumMap<>(MessageType.class);
        int pings;
        boolean isClosed;

        @Override
        public CompletableFuture<ByteBuffer> call(MessageType type, long connectionId, ByteBuffer request) {
            pings += type == MessageType.PING ? 1 : 0;
            CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
            calls.put(type, answer);
            return answer;
        }

        @Override
        public boolean isOpen() {
            return !isClosed;
        }

        @Override
        public void close() {
            isClosed = true;
        }

        void open() {
            opened.complete(this);
        }

        void pong(ProcessIdentity process, boolean isDriven) {
            pong(3, process.pid(), isDriven);
        }

        void pong(int rank, long pid, boolean isDriven) {
            ByteBuffer body = ByteBuffer.allocate(64);
            new PingResponse(rank, pid, isDriven).encode(body);
            calls.get(MessageType.PING).complete(body.flip());
        }

        void farewell(Farewell word) {
            ByteBuffer body = ByteBuffer.allocate(Farewell.MAX_BYTES);
            word.encode(body);
            calls.get(MessageType.WATCH).complete(body.flip());
        }

        void cut() {
            calls.values().forEach(call -> call.completeExceptionally(
                    new ProxyException(ProxyResult.REMOTE_ERROR, "it went away")));
        }

        void refuse() {
            refuse(null);
        }

        void refuse(IOException cause) {
            opened.completeExceptionally(new ProxyException(ProxyResult.REMOTE_ERROR, "connection refused", cause));
        }
    }

    @Test
    void shouldSayAtOnceThatAPeerDiedWhoseProcessIsGone() {
        Dial dial = establish(HERE, false);
        isAlive = false;
        dial.cut();
        assertLoss(pass(0), "rank 3 (pid 77) died: its process ended without closing its runtime", true);
        assertEquals(1, dials.size());
        assertNull(pass(1000));
        assertTrue(dial.isClosed);
    }

    @Test
    void shouldOpenASessionAnewThatWasCut() {
        establish(HERE, false).cut();
        assertNull(pass(0));
        assertEquals(2, dials.size());
        dials.get(1).refuse();
        assertNull(pass(0));
        passUntilDial(3);
        dials.get(2).open();
        assertNull(pass(0));
        dials.get(2).pong(HERE, false);
        assertNull(pass(0));
        dials.get(2).farewell(new Farewell(false, Farewell.UNKNOWN, "it closed its runtime"));
        assertLoss(pass(0), "rank 3 (pid 77) left: it closed its runtime", false);
    }

    @Test
    void shouldNoticeAProcessThatIsGoneBeforeItWasReached() {
        isAlive = false;
        dials.getFirst().refuse();
        assertLoss(pass(0), "rank 3 (pid 77) died", true);
    }

    @Test
    void shouldNoticeWhileItRedialsThatTheProcessIsGone() {
        establish(HERE, false).cut();
        assertNull(pass(0));
        dials.get(1).refuse();
        assertNull(pass(0));
        isAlive = false;
        passUntilDial(3);
        dials.get(2).refuse();
        assertLoss(pass(0), "rank 3 (pid 77) died", true);
    }

    @Test
    void shouldTakeAProcessThatItCannotSeeForDeadWhenItsServiceStaysAway() {
        dials.clear();
        watch = watch(ELSEWHERE);
        establish(ELSEWHERE, false).cut();
        isAlive = false;
        assertNull(pass(0));
        PeerLoss loss = null;
        for (int dial = 1; loss == null; dial++) {
            assertTrue(dial < 50, "it never says so");
            passUntilDial(dial + 1);
            dials.get(dial).refuse();
            loss = pass(0);
        }
        assertLoss(loss, "of another PID namespace, died: its service is gone: connection refused", true);
        assertTrue(nowNs < Duration.ofSeconds(2).toNanos());
    }

    /** It closed while the Watch was on its way, so it could send no farewell. */
    @Test
    void shouldNoticeThatAPeerLeftWhoseProcessLivesOn() {
        Dial dial = dials.getFirst();
        dial.open();
        assertNull(pass(0));
        dial.pong(HERE, false);
        assertNull(pass(0));
        dial.cut();
        assertNull(pass(0));
        assertLoss(refuseUntilLoss(1, new ConnectException("refused")), "rank 3 (pid 77) left: it closed its runtime, "
                + "for its service is gone: connection refused", false);
    }

    @Test
    void shouldNoticeThatANearPeerLeftBeforeItWasReached() {
        dials.clear();
        isNear = true;
        watch = watch(HERE);
        assertLoss(refuseUntilLoss(0, new ConnectException("refused")), "rank 3 (pid 77) left: it closed its runtime",
                false);
    }

    @Test
    void shouldNotTakeWhatTheOwnSideLacksForADeparture() {
        dials.clear();
        isNear = true;
        watch = watch(HERE);
        for (int dial = 0; dial < 100; dial++) {
            passUntilDial(dial + 1);
            dials.get(dial).refuse(new IOException("Too many open files"));
            assertNull(pass(0));
        }
    }

    @Test
    void shouldNotTakeAnAddressOfAnotherNetworkForADeparture() {
        for (int dial = 0; dial < 100; dial++) {
            passUntilDial(dial + 1);
            dials.get(dial).refuse(new ConnectException("refused"));
            assertNull(pass(0));
        }
    }

    private PeerLoss refuseUntilLoss(int firstDial, IOException cause) {
        PeerLoss loss = null;
        for (int dial = firstDial; loss == null; dial++) {
            assertTrue(dial < 50, "it never says so");
            passUntilDial(dial + 1);
            dials.get(dial).refuse(cause);
            loss = pass(0);
        }
        assertTrue(nowNs < Duration.ofSeconds(2).toNanos());
        return loss;
    }

    @Test
    void shouldNotBlameAPeerThatItNeitherReachesNorSees() {
        dials.clear();
        watch = watch(ELSEWHERE);
        isAlive = false;
        for (int dial = 0; dial < 100; dial++) {
            passUntilDial(dial + 1);
            dials.get(dial).refuse();
            assertNull(pass(0));
        }
    }

    @Test
    void shouldNotWatchAnotherRankThatListensThere() {
        Dial dial = dials.getFirst();
        dial.open();
        assertNull(pass(0));
        dial.pong(2, 77, false);
        assertNull(pass(0));
        assertFalse(dial.calls.containsKey(MessageType.WATCH));
        assertTrue(dial.isClosed);
        passUntilDial(2);
        dials.get(1).open();
        assertNull(pass(0));
        dials.get(1).pong(3, 78, false);
        assertNull(pass(0));
        assertTrue(dials.get(1).isClosed);
    }

    @Test
    void shouldSayWhoIsSilentForTooLong() {
        establish(HERE, false);
        long heardNs = nowNs;
        PeerLoss loss = null;
        while (loss == null && nowNs < 2 * SILENCE.toNanos()) {
            loss = pass(500);
        }
        assertLoss(loss, "rank 3 (pid 77) has not answered for 30000 ms (peer.silence.timeout): it is stopped, its "
                + "machine is overloaded, or the network is cut", true);
        assertTrue(nowNs - heardNs > SILENCE.toNanos());
    }

    @Test
    void shouldHearAPeerThatAnswers() {
        Dial dial = establish(HERE, false);
        for (int second = 0; second < 100; second++) {
            int pings = dial.pings;
            assertNull(pass(1000));
            if (dial.pings > pings) {
                dial.pong(HERE, false);
                assertNull(pass(0));
            }
        }
        assertEquals(34, dial.pings, 1);
    }

    @Test
    void shouldLetACallerComputeThatDrivesItsService() {
        Dial dial = establish(HERE, true);
        for (int second = 0; second < 100; second++) {
            assertNull(pass(1000));
        }
        isAlive = false;
        dial.cut();
        assertLoss(pass(0), "died", true);
    }

    @Test
    void shouldNotBlameOthersForItsOwnSleep() {
        Dial dial = establish(HERE, false);
        assertNull(pass(Duration.ofHours(1).toMillis()));
        dial.pong(HERE, false);
        assertNull(pass(0));
    }

    @Test
    void shouldPassOnWhomAFailedPeerBlames() {
        establish(HERE, false).farewell(new Farewell(true, 5, "rank 5 (pid 9) died"));
        PeerLoss loss = pass(0);
        assertLoss(loss, "rank 5 (pid 9) died; so rank 3 (pid 77) gave up", false);
        assertEquals(5, loss.cause().culprit().orElseThrow());
    }

    @Test
    void shouldNotKnowWhomToBlameIfAFailedPeerDoesNot() {
        establish(HERE, false).farewell(new Farewell(true, Farewell.UNKNOWN, "out of\nslots"));
        PeerLoss loss = pass(0);
        assertLoss(loss, "rank 3 (pid 77) failed: out of slots", false);
        assertTrue(loss.cause().culprit().isEmpty());
    }

    @Test
    void shouldTakeABrokenFarewellForACut() {
        Dial dial = establish(HERE, false);
        dial.calls.get(MessageType.WATCH).complete(ByteBuffer.allocate(3));
        assertNull(pass(0));
        assertTrue(dial.isClosed);
        assertEquals(2, dials.size());
    }

    @Test
    void shouldEndItsSessionWhenClosed() {
        Dial dial = establish(HERE, false);
        watch.close();
        assertTrue(dial.isClosed);
        isAlive = false;
        dial.cut();
        assertNull(pass(0));
    }

    @Test
    void shouldEndASessionThatOpensTooLate() {
        watch.close();
        assertFalse(dials.getFirst().isClosed);
        dials.getFirst().open();
        assertTrue(dials.getFirst().isClosed);
    }

    @Test
    void shouldLeaveItToConnectionsThatTellThatTheirPeerIsGone() {
        dials.clear();
        watch = watch(HERE, WatchKind.SILENCE);
        isAlive = false;
        establish(HERE, false).cut();
        assertNull(pass(0));
        assertNull(pass(1000));
        assertEquals(1, dials.size());
    }

    @Test
    void shouldLeaveItToConnectionsThatTellThatTheirPeerHasLeft() {
        dials.clear();
        watch = watch(ELSEWHERE, WatchKind.SILENCE);
        Dial dial = establish(ELSEWHERE, false);
        dial.farewell(new Farewell(false, Farewell.UNKNOWN, "it closed its runtime"));
        assertNull(pass(0));
        assertTrue(dial.isClosed);
        assertNull(pass(60_000));
        assertEquals(1, dials.size());
    }

    @Test
    void shouldSayOfConnectionsThatTellWhenTheirPeerIsGoneWhoIsSilent() {
        dials.clear();
        watch = watch(ELSEWHERE, WatchKind.SILENCE);
        establish(ELSEWHERE, false);
        PeerLoss loss = null;
        while (loss == null && nowNs < 2 * SILENCE.toNanos()) {
            loss = pass(500);
        }
        assertLoss(loss, "rank 3 (pid 77) has not answered for 30000 ms", true);
    }

    /** Nothing comes through for as long as connections may take to be resumed. */
    @Test
    void shouldBearThatNothingIsReachedForLessThanThePatience() {
        dials.clear();
        watch = watch(ELSEWHERE, WatchKind.SILENCE);
        establish(ELSEWHERE, false).cut();
        assertNull(pass(0));
        long cutNs = nowNs;
        int dial = 1;
        while (nowNs - cutNs < SILENCE.toNanos() - Duration.ofSeconds(4).toNanos()) {
            dials.get(dial++).refuse();
            assertNull(pass(0));
            passUntilDial(dial + 1);
        }
        dials.get(dial).open();
        assertNull(pass(0));
        dials.get(dial).pong(ELSEWHERE, false);
        assertNull(pass(0));
    }

    private PeerWatch watch(ProcessIdentity process) {
        return watch(process, WatchKind.LOSS);
    }

    private PeerWatch watch(ProcessIdentity process, WatchKind kind) {
        PeerProcess where = new PeerProcess(1, process.pid(), 1, 1, 1, 1, process.start(), process.namespace());
        return new PeerWatch(new PeerInfo(3, where, InetSocketAddress.createUnresolved("localhost", 1), ""), kind,
                isNear, address -> dial(), asked -> isAlive, SILENCE.toNanos(), nowNs);
    }

    private CompletableFuture<ProxyClient> dial() {
        dials.add(new Dial());
        return dials.getLast().opened;
    }

    private Dial establish(ProcessIdentity process, boolean isDriven) {
        Dial dial = dials.getFirst();
        dial.open();
        assertNull(pass(0));
        dial.pong(process, isDriven);
        assertNull(pass(0));
        return dial;
    }

    private PeerLoss pass(long ms) {
        nowNs += Duration.ofMillis(ms).toNanos();
        return watch.doWork(nowNs);
    }

    /** Goes from one time that it asks for to the next. */
    private void passUntilDial(int count) {
        for (int i = 0; dials.size() < count; i++) {
            assertTrue(i < 100, "it does not dial");
            nowNs = Math.max(nowNs + 1, watch.dueNs());
            assertNull(watch.doWork(nowNs));
        }
    }

    private static void assertLoss(PeerLoss loss, String text, boolean hasDied) {
        assertTrue(loss.cause().getMessage().contains(text), loss.cause().getMessage());
        assertEquals(ProxyResult.REMOTE_ERROR, loss.cause().result());
        assertEquals(hasDied, loss.hasDied());
    }
}
