/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class RpcRigsBenchTest {
    @Test
    void shouldGiveAddressesToOtherProcessesAsWords() {
        InetSocketAddress internet = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
        assertEquals(internet, Addresses.parse(Addresses.format(internet)));
        UnixDomainSocketAddress unix = UnixDomainSocketAddress.of("/tmp/a:b");
        assertEquals(unix, Addresses.parse(Addresses.format(unix)));
    }

    @Test
    void shouldTakeWordsWithADotForOptionsOfTheRuntime() {
        RigArguments arguments = new RigArguments(List.of("warmup=0.1", "rpc.listen=unix", "seconds=1"));
        assertEquals(Map.of("rpc.listen", "unix"), arguments.options());
    }

    @Test
    void shouldGetTheOwnBodyBack() {
        Rank rank = new Rank(0, Rank.SECRET, Map.of());
        EchoAgent service = new EchoAgent(rank);
        Histogram took = Measurements.histogram();
        try (Rank.Running _ = rank.start(service);
                EchoCaller caller = new EchoCaller(new Rank(1, Rank.SECRET, Map.of()), service::address)) {
            caller.run(20_000_000, took);
        }
        assertTrue(took.getTotalCount() > 0);
    }

    @Test
    void shouldNotTakeAnothersAnswer() {
        ByteBuffer answer = ByteBuffer.allocate(EchoCaller.BODY_BYTES).putLong(0, 6);
        EchoCaller.check(answer, 6);
        assertThrows(IllegalStateException.class, () -> EchoCaller.check(answer, 7));
        assertThrows(IllegalStateException.class, () -> EchoCaller.check(answer.limit(8), 6));
    }

    @Test
    void shouldAttackWithoutGettingIn() throws Exception {
        Rank rank = new Rank(0, Rank.SECRET, Map.of());
        EchoAgent service = new EchoAgent(rank);
        try (Rank.Running _ = rank.start(service); Attacks attacks = new Attacks(service.address())) {
            for (int i = 0; i < 25; i++) {
                attacks.next();
            }
            assertEquals(25, attacks.count());
        }
    }

    @Test
    void shouldTakeCertificatesAwayAgain() throws Exception {
        Path file;
        try (Certificates certificates = new Certificates(true)) {
            file = Path.of(certificates.options().get("rpc.tls.key"));
            assertTrue(Files.readString(file).startsWith("-----BEGIN PRIVATE KEY-----"));
        }
        assertFalse(Files.exists(file.getParent()));
        try (Certificates none = new Certificates(false)) {
            assertEquals(Map.of(), none.options());
        }
    }

    @Test
    void shouldEndAPeerWithItsInputAndSayHowItEnded() throws Exception {
        try (PeerJvm service = PeerJvm.of("echo", List.of("control.linger=0"))) {
            assertTrue(Integer.parseInt(service.line()) > 0);
        }
        PeerJvm broken = PeerJvm.of("nonsense", List.of());
        assertTrue(assertThrows(IllegalStateException.class, broken::close).getMessage().endsWith("status 1"));
    }
}
