/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.auth.Transcript;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.service.UdsClient;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Peers that mean ill, beside one that does not. */
@ParameterizedClass
@EnumSource(names = {"JUNIXSOCKET", "NATIVE"})
class HostilePeerTest {
    private static final int FRAMES = 5_000;

    private final SocketsKind kind;
    private final FakeHandler handler = new FakeHandler();
    private Rig rig;
    private UdsService service;
    private UdsClient bystander;

    HostilePeerTest(SocketsKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() {
        rig = new Rig(kind);
        handler.export(1);
        service = rig.open(1, handler);
        bystander = rig.connect(rig.open(0, new FakeHandler()), service);
    }

    @AfterEach
    void close() {
        bystander.getFd(Rig.PATIENCE, rig::turn, 1).getFirst().close();
        bystander.close();
        rig.close();
        handler.close();
    }

    @Test
    void shouldRefuseWhoDoesNotKnowTheSecretAndSayWhy() {
        UdsService outsider = rig.open(5, "a wholly different secret".getBytes(StandardCharsets.UTF_8),
                new FakeHandler());

        ProxyException failure = Rig.failure(() -> rig.connect(outsider, service));

        assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("does not know the secret of this job"), failure.getMessage());
        assertEquals(1, service.refusals().count());
        assertEquals(1, service.peers());
    }

    @Test
    void shouldRefuseAHandshakeThatIsPlayedAgain() {
        RawPeer first = rig.raw(service);
        ByteBuffer proof = first.shakeHands(3, JobSecret.of(Rig.SECRET));
        assertEquals(2, service.peers());
        RawPeer second = rig.raw(service);
        second.send(RawPeer.hello(3));
        second.frame();
        second.send(proof);

        assertRefused(second, "does not know the secret of this job");
        assertEquals(2, service.peers());
    }

    @Test
    void shouldRefuseAProofMeantForAnotherService() {
        UdsService other = rig.open(2, new FakeHandler());
        RawPeer victim = rig.raw(service);
        RawPeer relay = rig.raw(other);
        Transcript meant = new Transcript(JobSecret.of(Rig.SECRET)).add(service.address());
        ByteBuffer hello = RawPeer.hello(3);
        meant.add(hello);
        relay.send(hello);
        meant.add(relay.frame());
        relay.send(RawPeer.proof(3, meant));

        assertRefused(relay, "does not know the secret of this job");
        assertFalse(victim.isAtEnd());
    }

    @Test
    void shouldRefuseFramesThatAreNone() {
        assertRefused("does not speak this protocol", frame -> frame.putInt(0, 0x47455420));
        assertRefused("speaks version 2 of the protocol, and this is version 1", frame -> frame.putShort(4, (short) 2));
        assertRefused("does not begin with a hello", frame -> frame.putShort(6, UdsFrameDescriptor.GET_FD));
        assertRefused("sent an answer without a request", frame -> frame.putInt(12, 1));
        assertRefused("sent a frame with 136 bytes of data", frame -> frame.putInt(16, 136));
        assertRefused("sent a frame with -8 bytes of data", frame -> frame.putInt(16, -8));
        assertRefused("sent a frame with 17 descriptors", frame -> frame.putShort(20, (short) 17));
        assertRefused("sent 0 descriptors with a frame that has 1", frame -> frame.putShort(20, (short) 1));
        assertRefused("sent an answer without a request", frame -> frame.putShort(22, (short) 1));
        assertRefused("sent a frame with something behind its data", frame -> frame.put(159, (byte) 1));
    }

    @Test
    void shouldCloseDescriptorsThatWereNotAskedFor() {
        long before = Rig.openDescriptors();
        try (OwnedFd fd = Rig.DESCRIPTORS.memfd("stray", 8)) {
            RawPeer early = rig.raw(service);
            early.send(RawPeer.hello(3), fd, fd);
            assertRefused(early, "sent 2 descriptors with a frame that has 0");
            RawPeer late = rig.rawAccepted(service, 3);
            late.send(UdsFrame.of(UdsFrameDescriptor.GET_FD, 3, 1, 0, UdsFrame.longs(1)).bytes(), fd);
            assertRefused(late, "sent 1 descriptors with a frame that has 0");
            early.close();
            late.close();
        }
        rig.turn();
        assertEquals(before, Rig.openDescriptors());
    }

    @Test
    void shouldCloseAllOfTheMostDescriptorsThatAMessageCarries() {
        long before = Rig.openDescriptors();
        try (OwnedFd fd = Rig.DESCRIPTORS.memfd("many", 8)) {
            OwnedFd[] most = Collections.nCopies(253, fd).toArray(OwnedFd[]::new);
            for (int i = 0; i < 20; i++) {
                RawPeer peer = rig.raw(service);
                peer.send(ByteBuffer.allocate(1), most);
                assertRefused(peer, "sent 253 descriptors at once");
                peer.close();
            }
        }
        assertEquals(before, Rig.openDescriptors());
    }

    @Test
    void shouldRefuseRequestsThatAreNoGood() {
        assertRequestRefused("asks for something unknown, number 11", (short) 11, 3, 1);
        assertRequestRefused("is rank 3 and says it is rank 4", UdsFrameDescriptor.GET_FD, 4, 1);
        assertRequestRefused("asks for GetFd with 0 descriptors and 0 bytes", UdsFrameDescriptor.GET_FD, 3);
        assertRequestRefused("asks for QueryFd with 0 descriptors and 8 bytes", UdsFrameDescriptor.QUERY_FD, 3, 1);
        assertEquals(List.of(), handler.askers.stream().filter(peer -> peer.rank() != 0).toList());
    }

    @Test
    void shouldTakeAHandshakeByteByByte() {
        RawPeer peer = rig.raw(service);
        Transcript transcript = new Transcript(JobSecret.of(Rig.SECRET)).add(service.address());
        ByteBuffer hello = RawPeer.hello(3);
        transcript.add(hello);
        drip(peer, hello);
        transcript.add(peer.frame());
        drip(peer, RawPeer.proof(3, transcript));

        assertEquals(UdsFrameDescriptor.WELCOME, UdsFrame.read(peer.frame()).type());
        drip(peer, UdsFrame.of(UdsFrameDescriptor.GET_FD, 3, 3, 0, UdsFrame.longs(1)).bytes());
        assertEquals(0, UdsFrame.read(peer.frame()).status());
        assertEquals(1, Rig.read(peer.fds().getFirst()));
    }

    @Test
    void shouldCutWhoProvesNothingInTime() {
        UdsService hasty = rig.open(2, handler, "uds.hello.timeout", "30ms");
        RawPeer silent = rig.raw(hasty);
        RawPeer half = rig.raw(hasty);
        half.send(RawPeer.hello(3).limit(100));
        RawPeer unproven = rig.raw(hasty);
        unproven.send(RawPeer.hello(3));

        rig.await(() -> silent.isAtEnd() && half.isAtEnd() && unproven.isAtEnd());
        assertTrue(silent.text().endsWith("has proven nothing in time; proxyrt.uds.hello.timeout"), silent.text());
        assertEquals(3, hasty.refusals().count());
    }

    @Test
    void shouldLetGoodPeersInDuringAFloodOfHalfOpenOnes() {
        UdsService flooded = rig.open(2, handler, "uds.max.half.open", "4", "uds.max.connections", "2");
        UdsService good = rig.open(6, new FakeHandler());
        RawPeer oldest = rig.raw(flooded);
        for (int i = 0; i < 40; i++) {
            rig.raw(flooded);
            if (i % 10 == 0) {
                rig.connect(good, flooded).close();
            }
        }
        rig.await(() -> oldest.isAtEnd() && flooded.peers() == 0);
        assertTrue(oldest.text().contains("is the oldest: the port is flooded by "),
                oldest.text());
    }

    @Test
    void shouldCutWhoDoesNotReadItsAnswers() {
        UdsService hasty = rig.open(2, handler, "uds.answer.timeout", "50ms");
        long before = Rig.openDescriptors();
        RawPeer greedy = rig.rawAccepted(hasty, 3);
        long deadline = System.nanoTime() + Rig.PATIENCE.toNanos();
        while (hasty.peers() == 1 && System.nanoTime() - deadline < 0) {
            greedy.send(UdsFrame.of(UdsFrameDescriptor.GET_FD, 3, 4, 0, UdsFrame.longs(1, 1)).bytes());
            rig.turn();
        }
        assertEquals(0, hasty.peers());
        assertTrue(hasty.refusals().last().contains("has not read its answer in time"), hasty.refusals().last());
        greedy.close();
        assertEquals(before, Rig.openDescriptors());
    }

    @Test
    void shouldForgetWhoVanishesInTheMiddleOfARequest() {
        long before = Rig.openDescriptors();
        try (OwnedFd fd = Rig.DESCRIPTORS.memfd("half", 8)) {
            for (int i = 0; i < 50; i++) {
                RawPeer peer = rig.rawAccepted(service, 3);
                ByteBuffer request = UdsFrame.of(UdsFrameDescriptor.QUERY_FD, 3, 1, 1, UdsFrame.noData()).bytes();
                peer.send(request.limit(1 + i), fd);
                rig.turn();
                peer.close();
            }
            rig.await(() -> service.peers() == 1);
        }
        assertEquals(before, Rig.openDescriptors());
        assertEquals(50, handler.gone.size());
    }

    @Test
    void shouldCloseWhatItWasAskedForByOneWhoIsGone() {
        long before = Rig.openDescriptors();
        for (int i = 0; i < 50; i++) {
            RawPeer peer = rig.rawAccepted(service, 3);
            peer.send(UdsFrame.of(UdsFrameDescriptor.GET_FD, 3, 1, 0, UdsFrame.longs(1)).bytes());
            peer.close();
        }
        rig.await(() -> service.peers() == 1);
        assertEquals(before, Rig.openDescriptors());
    }

    @Test
    void shouldSurviveRandomAndMutatedFramesWithStrayDescriptors() {
        Random random = new Random(20_261_122);
        List<OwnedFd> strays = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            strays.add(Rig.DESCRIPTORS.memfd("stray-" + i, 8));
        }
        long before = Rig.openDescriptors();
        RawPeer peer = rig.raw(service);
        int accepted = 0;
        for (int i = 0; i < FRAMES; i++) {
            if (peer.isAtEnd() || random.nextInt(16) == 0) {
                peer.close();
                boolean isAccepted = random.nextBoolean();
                peer = isAccepted ? rig.rawAccepted(service, 3) : rig.raw(service);
                accepted += isAccepted ? 1 : 0;
            }
            peer.send(mutant(random), strays.subList(0, random.nextInt(strays.size())).toArray(OwnedFd[]::new));
            rig.turn();
        }
        peer.close();
        rig.await(() -> service.peers() == 1);
        handler.received.forEach(OwnedFd::close);
        assertEquals(before, Rig.openDescriptors());
        strays.forEach(OwnedFd::close);
        assertTrue(service.refusals().count() > FRAMES / 10 && accepted > 100,
                service.refusals() + ", " + accepted + " accepted");
    }

    private static ByteBuffer mutant(Random random) {
        byte[] frame = switch (random.nextInt(4)) {
            case 0 -> noise(random);
            case 1 -> RawPeer.hello(3).array();
            case 2 -> UdsFrame.of(UdsFrameDescriptor.QUERY_FD, 3, random.nextLong(), random.nextInt(17),
                    UdsFrame.noData()).bytes().array();
            default -> UdsFrame.of(UdsFrameDescriptor.GET_FD, 3, random.nextLong(), 0,
                    UdsFrame.longs(random.nextInt(3), 1)).bytes().array();
        };
        switch (random.nextInt(4)) {
            case 0 -> frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            case 1 -> ByteBuffer.wrap(frame).putInt(4 * random.nextInt(8), random.nextInt() >> random.nextInt(32));
            case 2 -> frame = Arrays.copyOf(frame, random.nextInt(1, 2 * frame.length));
            default -> {
                return ByteBuffer.wrap(frame);
            }
        }
        return ByteBuffer.wrap(frame);
    }

    private static byte[] noise(Random random) {
        byte[] noise = new byte[random.nextInt(32, 400)];
        random.nextBytes(noise);
        return noise;
    }

    private void drip(RawPeer peer, ByteBuffer bytes) {
        for (int i = 0; i < bytes.capacity(); i++) {
            peer.send(bytes.duplicate().position(i).limit(i + 1));
            rig.turn();
        }
    }

    private void assertRequestRefused(String reason, short type, int rank, long... data) {
        RawPeer peer = rig.rawAccepted(service, 3);
        peer.send(UdsFrame.of(type, rank, 5, 0, UdsFrame.longs(data)).bytes());
        assertRefused(peer, reason);
    }

    private void assertRefused(String reason, java.util.function.Consumer<ByteBuffer> mutation) {
        RawPeer peer = rig.raw(service);
        ByteBuffer hello = RawPeer.hello(3);
        mutation.accept(hello);
        peer.send(hello);
        assertRefused(peer, reason);
    }

    private void assertRefused(RawPeer peer, String reason) {
        int before = service.refusals().count();
        UdsFrame refusal = UdsFrame.read(peer.frame());
        assertEquals(UdsFrameDescriptor.REFUSAL, refusal.type());
        assertTrue(peer.text().startsWith(reason), peer.text());
        rig.await(peer::isAtEnd);
        assertTrue(service.refusals().count() <= before + 1);
    }
}
