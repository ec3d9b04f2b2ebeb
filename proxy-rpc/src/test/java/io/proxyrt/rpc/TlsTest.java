/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.auth.Transcript;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.BlockingClient;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions in TLS, and those that do not come about. */
class TlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private static Path directory;

    private final Rig rig = new Rig();
    private final FakeHandler handler = new FakeHandler();

    /** Certificates that sign themselves, as the JDK's own tool makes them; one claims another's name. */
    @BeforeAll
    static void makeCertificates() throws Exception {
        for (String name : List.of("ours", "other", "impostor", "rsa", "rsa2")) {
            Path store = directory.resolve(name + ".p12");
            Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair", "-alias", "rank", "-dname", name.equals("impostor") ? "CN=ours" : "CN=" + name,
                    "-keyalg", name.startsWith("rsa") ? "RSA" : "EC", "-validity", "2",
                    "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", new String(PASSWORD))
                    .redirectErrorStream(true).start();
            String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, keytool.waitFor(), output);
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD);
            }
            write(name + ".crt", "CERTIFICATE", keys.getCertificate("rank").getEncoded());
            write(name + ".key", "PRIVATE KEY", keys.getKey("rank", PASSWORD).getEncoded());
        }
    }

    private static void write(String name, String kind, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(directory.resolve(name),
                "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    private static String[] tls(String own, String trusted) {
        return new String[] {"rpc.tls.certificate", directory.resolve(own + ".crt").toString(), "rpc.tls.key",
            directory.resolve(own + ".key").toString(), "rpc.tls.trust", directory.resolve(trusted + ".crt").toString(),
            "rpc.hello.timeout", "10s"};
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private RpcEndpoint service(String... keysAndValues) {
        return rig.open(1, handler, keysAndValues);
    }

    private ProxyException refused(RpcEndpoint service, String... keysAndValues) {
        ProxyException failure = rig.failure(rig.open(0, new FakeHandler(), keysAndValues).connect(service.address()));
        rig.await(() -> service.refusals().count() > 0);
        rig.settle();
        assertEquals(1, service.refusals().count());
        assertEquals(List.of(), handler.come);
        return failure;
    }

    @Test
    void shouldCarryCallsInTls() {
        RpcEndpoint service = service(tls("ours", "ours"));
        ProxyClient client = rig.connect(rig.open(0, new FakeHandler(), tls("ours", "ours")), service);
        String body = "secret " + "x".repeat(100_000);

        assertEquals(body, Rig.text(rig.await(client.call(MessageType.SETUP, 0, Rig.bytes(body)))));

        client.close();
        rig.await(() -> service.peers() == 0);
        assertEquals(0, service.refusals().count());
    }

    /** Sits between a session and its socket, and keeps what passes. */
    private static final class Tap extends ChannelDuplexHandler {
        private final StringBuilder seen = new StringBuilder();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            seen.append(((ByteBuf) message).toString(StandardCharsets.ISO_8859_1));
            context.fireChannelRead(message);
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            seen.append(((ByteBuf) message).toString(StandardCharsets.ISO_8859_1));
            context.write(message, promise);
        }
    }

    /** What the wire between the two carries, both ways, for one call. */
    private String tapped(String... keysAndValues) {
        RpcEndpoint service = service(keysAndValues);
        Tap tap = new Tap();
        service.listener().pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object accepted) {
                ((Channel) accepted).pipeline().addFirst(tap);
                context.fireChannelRead(accepted);
            }
        });
        ProxyClient client = rig.connect(rig.open(0, new FakeHandler(), keysAndValues), service);
        assertEquals("a body", Rig.text(rig.await(client.call(MessageType.SETUP, 0, Rig.bytes("a body")))));
        return tap.seen.toString();
    }

    @Test
    void shouldShowNothingOfACallOnTheWire() {
        assertTrue(tapped().contains("a body"));
        assertFalse(tapped(tls("ours", "ours")).contains("a body"));
    }

    @Test
    void shouldPrintNothing() throws Exception {
        assertEquals("", QuietStartTest.output(tls("ours", "ours")));
    }

    @Test
    void shouldCarryBlockingCallsInTls() throws InterruptedException {
        ServiceThread service = new ServiceThread(Rig.endpoint(1, new FakeHandler(), tls("ours", "ours")));
        RpcEndpoint here = rig.open(0, new FakeHandler(), tls("ours", "ours"));
        Duration patience = Duration.ofMinutes(2);

        try (BlockingClient client = here.connectBlocking(service.endpoint().address(), patience)) {
            for (int i = 0; i < 100; i++) {
                assertEquals("x" + i, Rig.text(client.call(MessageType.SETUP, 0, Rig.bytes("x" + i), patience)));
            }
        }
        service.stop();
    }

    /** A caller that has all that it takes, but for the proof perhaps: what a service answers to it. */
    private static byte[] answered(RpcEndpoint service, boolean isBound) throws Exception {
        InetSocketAddress address = (InetSocketAddress) service.address();
        try (SSLSocket socket = (SSLSocket) context().getSocketFactory().createSocket(
                address.getAddress(), address.getPort())) {
            byte[] hello = RawPeer.hello(2);
            socket.getOutputStream().write(hello);
            byte[] challenge = socket.getInputStream().readNBytes(RpcFrameDescriptor.ANSWER_BYTES);
            byte[] binding = isBound ? ((ExtendedSSLSession) socket.getSession())
                    .exportKeyingMaterialData("EXPORTER-Channel-Binding", new byte[0], 32) : new byte[32];
            socket.getOutputStream().write(new Transcript(Rig.SECRET).add(Addresses.dialled(address))
                    .add(ByteBuffer.wrap(hello)).add(ByteBuffer.wrap(challenge)).add(ByteBuffer.wrap(binding))
                    .proof(RpcFrameDescriptor.CALLER));
            return socket.getInputStream().readNBytes(RpcFrameDescriptor.ANSWER_BYTES);
        }
    }

    private static SSLContext context() throws Exception {
        KeyStore keys = KeyStore.getInstance(directory.resolve("ours.p12").toFile(), PASSWORD);
        keys.setCertificateEntry("trusted", keys.getCertificate("rank"));
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    @Test
    void shouldBindAProofToItsTlsConnection() throws Exception {
        ServiceThread service = new ServiceThread(Rig.endpoint(1, handler, tls("ours", "ours")));

        assertEquals(ProxyResult.SUCCESS.code(), ByteBuffer.wrap(answered(service.endpoint(), true))
                .getInt(RpcFrameDescriptor.ANSWER_STATUS_OFFSET));
        assertEquals(ProxyResult.INVALID_USAGE.code(), ByteBuffer.wrap(answered(service.endpoint(), false))
                .getInt(RpcFrameDescriptor.ANSWER_STATUS_OFFSET));
        service.stop();
    }

    @Test
    void shouldRefuseAPlainCallerInPlainWords() {
        RpcEndpoint service = service(tls("ours", "ours"));
        RawPeer plain = rig.raw(service);

        plain.send(RawPeer.hello(0));

        rig.await(plain::isAtEnd);
        assertTrue(plain.receivedText().endsWith("the service wants TLS, and the caller speaks without; see "
                + "proxyrt.rpc.tls.certificate"), plain.receivedText());
        assertEquals(0, service.unauthenticated());
    }

    @Test
    void shouldTellAPlainClientThatTheServiceWantsTls() {
        RpcEndpoint service = service(tls("ours", "ours"));

        ProxyException failure = refused(service);

        assertSame(ProxyResult.INVALID_USAGE, failure.result());
        assertTrue(failure.getMessage().endsWith("refused the session: the service wants TLS, and the caller speaks "
                + "without; see proxyrt.rpc.tls.certificate"), failure.getMessage());
    }

    @Test
    void shouldTellATlsClientThatTheServiceIsPlain() {
        RpcEndpoint service = service();

        ProxyException failure = refused(service, tls("ours", "ours"));

        assertSame(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("TLS"), failure.getMessage());
        assertTrue(service.refusals().last().endsWith("that may be TLS, which is off here, see "
                + "proxyrt.rpc.tls.certificate"), service.refusals().last());
    }

    @Test
    void shouldRefuseAClientWithoutACertificateForTheService() {
        RpcEndpoint service = service(tls("ours", "ours"));

        ProxyException failure = refused(service, tls("other", "ours"));

        assertSame(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("and this side do not agree on TLS"), failure.getMessage());
        assertTrue(service.refusals().last().contains("TLS failed: "), service.refusals().last());
        assertTrue(service.refusals().last().contains("Empty client certificate chain"), service.refusals().last());
    }

    @Test
    void shouldRefuseAClientWhoseCertificateIsNotTrusted() {
        RpcEndpoint service = service(tls("ours", "ours"));

        ProxyException failure = refused(service, tls("impostor", "ours"));

        assertSame(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("and this side do not agree on TLS"), failure.getMessage());
        assertTrue(service.refusals().last().contains("TLS failed: "), service.refusals().last());
        assertFalse(service.refusals().last().contains("Empty client certificate"), service.refusals().last());
    }

    @Test
    void shouldRefuseAServiceWhoseCertificateIsNotTrusted() {
        for (String other : List.of("other", "impostor")) {
            ProxyException failure = refused(service(tls(other, "ours")), tls("ours", "ours"));

            assertSame(ProxyResult.REMOTE_ERROR, failure.result());
            assertTrue(failure.getMessage().contains("do not agree on TLS"), failure.getMessage());
        }
    }

    @Test
    void shouldCloseACallerThatStopsWithinTheTlsHandshake() {
        String[] options = tls("ours", "ours");
        options[7] = "50ms";
        RpcEndpoint service = service(options);
        RawPeer stuck = rig.raw(service);

        stuck.send(new byte[] {0x16, 0x03, 0x01, 0x01, 0x00});

        rig.await(stuck::isAtEnd);
        assertTrue(service.refusals().last().endsWith("no hello within 50 ms"), service.refusals().last());
        rig.await(() -> service.unauthenticated() == 0);
    }

    /** A last word would wait for a handshake that never ends. */
    @Test
    void shouldDriveOutAtOnceWhoHasNotAgreedOnTls() {
        List<String> options = new ArrayList<>(List.of(tls("ours", "ours")));
        options.addAll(List.of("rpc.hello.timeout", "60m", "rpc.max.unauthenticated", "1"));
        RpcEndpoint service = service(options.toArray(String[]::new));
        RawPeer stuck = rig.raw(service);
        rig.settle();

        rig.connect(rig.open(0, new FakeHandler(), tls("ours", "ours")), service);

        rig.await(stuck::isAtEnd);
        assertEquals(0, service.unauthenticated());
    }

    @Test
    void shouldCloseOnGarbageInsteadOfTls() {
        RpcEndpoint service = service(tls("ours", "ours"));
        RawPeer browser = rig.raw(service);

        browser.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");

        rig.await(browser::isAtEnd);
        assertEquals(1, service.refusals().count());
        assertTrue(service.refusals().last().contains("TLS failed: "), service.refusals().last());
    }

    private static ProxyException failure(String... keysAndValues) {
        ProxyException failure = assertThrows(ProxyException.class,
                () -> Rig.endpoint(1, new FakeHandler(), keysAndValues));
        assertSame(ProxyResult.INVALID_ARGUMENT, failure.result());
        return failure;
    }

    @Test
    void shouldNameTheFileThatCannotBeUsed() throws IOException {
        Path broken = Files.writeString(directory.resolve("broken"), "-----BEGIN CERTIFICATE-----\nnonsense\n");

        String[] some = tls("ours", "ours");
        some[3] = "";
        assertTrue(failure(some).getMessage().endsWith("not set: [proxyrt.rpc.tls.key]"), failure(some).getMessage());
        for (int file : new int[] {1, 3, 5}) {
            String[] absent = tls("ours", "ours");
            absent[file] = directory.resolve("absent").toString();
            assertEquals("proxyrt." + absent[file - 1] + " is '" + absent[file]
                    + "': no such file, or it may not be read", failure(absent).getMessage());
            String[] unusable = tls("ours", "ours");
            unusable[file] = broken.toString();
            assertTrue(failure(unusable).getMessage().contains(broken.toString()), failure(unusable).getMessage());
        }
    }

    @Test
    void shouldRefuseAKeyOfAnotherCertificateAtOnce() {
        for (String certificate : List.of("ours", "rsa")) {
            String[] options = tls(certificate, "ours");
            Rig.endpoint(1, new FakeHandler(), options).onClose();
            for (String key : List.of("other", "rsa2")) {
                options[3] = directory.resolve(key + ".key").toString();
                assertEquals("cannot use [" + options[1] + ", " + options[3] + ", " + options[5] + "] of "
                        + "[proxyrt.rpc.tls.certificate, proxyrt.rpc.tls.key, proxyrt.rpc.tls.trust]: the key is not "
                        + "that of the certificate", failure(options).getMessage());
            }
        }
    }
}
