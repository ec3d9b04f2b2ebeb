/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLConnection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that do not know the job's secret call a service that serves good clients meanwhile. */
@Tag(Extent.SCALED)
class HostileUnauthenticatedTest {
    private static final PeerId IDENTITY = new PeerId(Siege.INSIDER_RANK, 4711);
    private static final int HTTP_REQUESTS = Extent.count(200);
    private static final int TLS_HANDSHAKES = Extent.count(100);
    private static final int DRIPPING = 32;
    private static final int DRIP_MS = 20;
    private static final int HALF_OPEN = 400;
    private static final String TOO_LATE = "no hello within 2000 ms";

    @TempDir
    static Path directory;
    private static Siege siege;

    @BeforeAll
    static void begin() {
        siege = new Siege(directory, Map.of());
    }

    @AfterAll
    static void end() {
        siege.close();
    }

    @Test
    void shouldServeGoodClientsDuringHttpRequests() throws Exception {
        siege.attack("HTTP requests", () -> {
            for (int i = 0; i < HTTP_REQUESTS; i++) {
                URLConnection browser = URI.create("http://127.0.0.1:" + address().getPort() + "/" + i).toURL()
                        .openConnection();
                browser.setReadTimeout((int) Ranks.TIMEOUT.toMillis());
                assertThrows(IOException.class, browser::getInputStream);
            }
            return HTTP_REQUESTS;
        });
    }

    @Test
    void shouldServeGoodClientsDuringTlsHandshakes() throws Exception {
        siege.attack("TLS client hellos", () -> {
            for (int i = 0; i < TLS_HANDSHAKES; i++) {
                shakeHandsInTls();
            }
            return TLS_HANDSHAKES;
        });
    }

    @Test
    void shouldServeGoodClientsDuringConnectsAndDrops() throws Exception {
        int count = Extent.count(10_000);
        siege.attack("connects and drops", () -> {
            byte[] hello = RawCaller.hello(IDENTITY);
            for (int i = 0; i < count; i++) {
                try (RawCaller caller = new RawCaller(siege.service)) {
                    if (i % 4 == 1) {
                        caller.send(hello);
                    }
                    if (i % 2 == 0) {
                        caller.reset();
                    }
                }
            }
            return count;
        });
    }

    @Test
    void shouldDriveOutTheOldestOfAFloodOfHalfOpenConnections() throws Exception {
        siege.attack("half-open connections held, three times the cap", () -> {
            List<RawCaller> flood = new ArrayList<>();
            try {
                for (int i = 0; i < HALF_OPEN; i++) {
                    RawCaller caller = new RawCaller(siege.service);
                    flood.add(caller);
                    caller.send(i % 2 == 0 ? new byte[0] : "PRXR".getBytes(StandardCharsets.US_ASCII));
                }
                for (RawCaller oldest : flood.subList(0, HALF_OPEN - 128)) {
                    String text = refusal(oldest);
                    assertTrue(text.contains("the port is flooded by") || text.contains(TOO_LATE), text);
                }
            } finally {
                for (RawCaller caller : flood) {
                    caller.close();
                }
            }
            return HALF_OPEN;
        });
    }

    @Test
    void shouldCutWhoDripsItsHandshake() throws Exception {
        siege.attack("handshakes that drip, a byte at a time", () -> {
            List<RawCaller> dripping = new ArrayList<>();
            try {
                for (int i = 0; i < DRIPPING; i++) {
                    dripping.add(new RawCaller(siege.service));
                }
                drip(dripping);
                for (RawCaller caller : dripping) {
                    String text = refusal(caller);
                    assertTrue(text.contains(TOO_LATE), text);
                }
            } finally {
                for (RawCaller caller : dripping) {
                    caller.close();
                }
            }
            return DRIPPING;
        });
    }

    @Test
    void shouldRefuseOtherSecrets() throws Exception {
        int count = Extent.count(1000);
        siege.attack("wrong secrets", () -> {
            for (int i = 0; i < count; i++) {
                byte[] hello = RawCaller.hello(IDENTITY);
                try (RawCaller caller = new RawCaller(siege.service)) {
                    caller.send(hello);
                    caller.send(caller.proof(hello, caller.read(RawCaller.ANSWER_BYTES), JobSecret.random()));
                    assertRefused(caller.end());
                }
            }
            return count;
        });
    }

    @Test
    void shouldRefuseHandshakesThatArePlayedAgain() throws Exception {
        int count = Extent.count(1000);
        siege.attack("handshakes played again", () -> {
            byte[] hello = RawCaller.hello(IDENTITY);
            byte[] proof;
            try (RawCaller witness = new RawCaller(siege.service)) {
                proof = witness.shakeHands(hello, Ranks.SECRET);
            }
            for (int i = 0; i < count; i++) {
                try (RawCaller caller = new RawCaller(siege.service)) {
                    caller.send(FrameSource.joined(hello, proof));
                    caller.read(RawCaller.ANSWER_BYTES);
                    assertRefused(caller.end());
                }
            }
            return count;
        });
    }

    @Test
    void shouldSurviveAPortScan() throws Exception {
        assumeTrue(isInstalled("nmap"), "nmap is not installed");
        siege.attack("nmap -sV", () -> {
            Process nmap = new ProcessBuilder("nmap", "-Pn", "-sV", "--version-all", "-p",
                    Integer.toString(address().getPort()), "127.0.0.1").redirectErrorStream(true).start();
            String said = new String(nmap.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, nmap.waitFor(), said);
            assertTrue(said.contains(address().getPort() + "/tcp open"), said);
            return 1;
        });
    }

    private static InetSocketAddress address() {
        return (InetSocketAddress) siege.service.serviceAddress();
    }

    private static void shakeHandsInTls() throws IOException, GeneralSecurityException {
        try (SSLSocket socket = (SSLSocket) SSLContext.getDefault().getSocketFactory()
                .createSocket(address().getAddress(), address().getPort())) {
            socket.setSoTimeout((int) Ranks.TIMEOUT.toMillis());
            assertThrows(IOException.class, socket::startHandshake);
        }
    }

    /** All but the last byte of a hello, on all of them in turn, or until the service has enough of it. */
    private static void drip(List<RawCaller> dripping) throws IOException {
        byte[] hello = RawCaller.hello(IDENTITY);
        for (int i = 0; i < hello.length - 1 && !dripping.getFirst().isAnsweredWithin(DRIP_MS); i++) {
            for (RawCaller caller : dripping) {
                caller.send(new byte[] {hello[i]});
            }
        }
    }

    private static String refusal(RawCaller caller) throws IOException {
        byte[] header = caller.read(24);
        return new String(caller.read(ByteBuffer.wrap(header).getShort(10)), StandardCharsets.UTF_8);
    }

    private static void assertRefused(byte[] answer) {
        assertEquals(ProxyResult.INVALID_USAGE.code(), ByteBuffer.wrap(answer).getInt(12));
        assertTrue(new String(answer, StandardCharsets.UTF_8).contains("has another job secret"));
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(
                folder -> Files.isExecutable(Path.of(folder, program)));
    }
}
