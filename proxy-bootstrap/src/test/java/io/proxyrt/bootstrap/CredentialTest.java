/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.auth.Transcript;
import static io.proxyrt.bootstrap.Jobs.LONG;
import static io.proxyrt.bootstrap.Jobs.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who may join a job, and what a listener learns. */
class CredentialTest {
    private static final Duration SHORT = Duration.ofSeconds(2);
    private final WarningLog warnings = new WarningLog();

    @Test
    void shouldRefuseWhoHasTheIdButNotTheSecretAndTakeTheRightfulRank() throws Exception {
        try (BootstrapRoot root = root(UniqueId.random(Jobs.loopback()), "given")) {
            for (final String wrong : new String[] {"", "guessed"}) {
                assertFails(ProxyResult.REMOTE_ERROR,
                        () -> Bootstrap.join(root.id(), 1, 2, SHORT, config(wrong)), "was not taken in",
                        "rank 1 of 2, pid " + ProcessHandle.current().pid(), "another unique id or another secret");
            }
            assertTrue(warnings.messages().getFirst().contains("another secret"), warnings.messages()::toString);
            assertEquals(1, secrets(root, "given").stream().distinct().count());
        }
    }

    @Test
    void shouldNotJoinARootThatLacksTheSecret() {
        try (BootstrapRoot root = root(UniqueId.random(Jobs.loopback()), "")) {
            assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(root.id(), 1, 2, SHORT, config("given")),
                    "another secret");
        }
    }

    @Test
    void shouldGiveEachJobASecretOfItsOwn() throws Exception {
        final UniqueId id = UniqueId.random(Jobs.loopback());
        final String first;
        try (BootstrapRoot root = root(id, "given")) {
            first = secrets(root, "given").getFirst();
        }
        try (BootstrapRoot root = root(id, "given")) {
            assertFalse(secrets(root, "given").contains(first));
        }
    }

    @Test
    void shouldRefuseAProofThatIsPlayedAgain() throws Exception {
        try (BootstrapRoot root = root(UniqueId.random(Jobs.loopback()), "");
                RawRank first = RawRank.connect(root); RawRank replay = RawRank.connect(root)) {
            final Message.Hello hello = RawRank.hello(1, 2);
            final Message.Proof proof = first.prove(RawRank.credential(root.id()), hello);
            assertInstanceOf(Message.Welcome.class, first.next());

            replay.send(hello);
            assertInstanceOf(Message.Challenge.class, replay.next());
            replay.send(proof);
            final Message.Refused refused = assertInstanceOf(Message.Refused.class, replay.next());
            assertTrue(refused.text().contains("another unique id"), refused.text());
            assertTrue(replay.isClosedByRoot());
        }
    }

    @Test
    void shouldNotTakeAProofForItsChallenge() throws Exception {
        try (BootstrapRoot root = root(UniqueId.random(Jobs.loopback()), "");
                RawRank early = RawRank.connect(root); RawRank twice = RawRank.connect(root)) {
            early.send(new Message.Proof(Transcript.nonce()));
            assertTrue(early.isClosedByRoot());

            twice.send(RawRank.hello(1, 2));
            assertInstanceOf(Message.Challenge.class, twice.next());
            twice.send(RawRank.hello(1, 2));
            assertTrue(twice.isClosedByRoot());
        }
    }

    /** It answers as a root does, but with another id. */
    @Test
    void shouldTellAFakeRootNothingThatHelpsIt() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(Jobs.loopback());
            final UniqueId id = UniqueId.random((InetSocketAddress) server.getLocalAddress());
            final CompletableFuture<byte[]> heard = pretend(server, RawRank.credential(UniqueId.random(id.address())));

            assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(id, 1, 2, SHORT, config("")),
                    "does not know the unique id or the secret of this job");
            assertFalse(contains(Jobs.get(heard), id.key()), "the key was sent");
            assertServesNone(id, Jobs.get(heard));
        }
    }

    private static CompletableFuture<byte[]> pretend(ServerSocketChannel server, Credential credential) {
        final CompletableFuture<byte[]> heard = new CompletableFuture<>();
        Jobs.start(() -> {
            while (true) {
                final RawRoot root = RawRoot.accept(server, credential);
                root.send(RawRoot.accepted(1000, 5000, Integer.MAX_VALUE, Integer.MAX_VALUE));
                heard.complete(root.heard());
            }
        });
        return heard;
    }

    /** What a fake root heard, said to the real one. */
    private void assertServesNone(UniqueId id, byte[] heard) throws IOException {
        try (BootstrapRoot root = root(id.at(Jobs.loopback()), ""); RawRank replay = RawRank.connect(root)) {
            replay.send(heard);
            assertInstanceOf(Message.Challenge.class, replay.next());
            assertInstanceOf(Message.Refused.class, replay.next());
        }
    }

    private static boolean contains(byte[] all, byte[] part) {
        return new String(all, StandardCharsets.ISO_8859_1).contains(new String(part, StandardCharsets.ISO_8859_1));
    }

    @Test
    void shouldNotSendTheKeyOrTheSecretOfTheJob() throws Exception {
        try (BootstrapRoot root = root(UniqueId.random(Jobs.loopback()), "given");
                RawRank rank = RawRank.connect(root)) {
            final Credential credential = Credential.of(root.id(), config("given"));
            rank.prove(credential, RawRank.hello(1, 2));
            final Message.Welcome welcome = (Message.Welcome) rank.next();

            assertFalse(JobSecret.of(welcome.salt()).isProof("x", said(), credential.job(welcome.salt()).proof("x",
                    said())));
        }
    }

    @Test
    void shouldRefuseAnIdMadeOfANameBeyondLoopbackUnlessThereIsASecret() {
        final UniqueId everywhere = UniqueId.of(new InetSocketAddress(0), "train");

        assertFails(ProxyResult.INVALID_USAGE, () -> root(everywhere, ""), "follows from a name",
                "other hosts can reach", "proxyrt.secret.file", "PROXYRT_SECRET_FILE");
        assertFails(ProxyResult.INVALID_USAGE, () -> Bootstrap.join(UniqueId.of(new InetSocketAddress("192.0.2.1", 7),
                "train"), 0, 1, SHORT, config("")), "192.0.2.1", "proxyrt.secret.file");
        root(everywhere, "given").close();
    }

    @Test
    void shouldTakeAnIdMadeOfANameOnLoopback() throws Exception {
        try (BootstrapRoot root = root(UniqueId.of(Jobs.loopback(), "train"), "")) {
            assertEquals(1, secrets(root, "").stream().distinct().count());
        }
    }

    /** What the ranks of a job of two make of their secret. */
    private static List<String> secrets(BootstrapRoot root, String secret) throws Exception {
        return Jobs.getAll(Jobs.start(2, rank -> {
            try (Bootstrap bootstrap = Bootstrap.join(root.id(), rank, 2, LONG, config(secret))) {
                bootstrap.barrier(LONG);
                return HexFormat.of().formatHex(bootstrap.secret().proof("x", said()));
            }
        }));
    }

    private static ByteBuffer said() {
        return ByteBuffer.wrap(new byte[] {1, 2, 3});
    }

    private BootstrapRoot root(UniqueId id, String secret) {
        return BootstrapRoot.open(id, 2, BootstrapConfig.defaults(), Credential.of(id, config(secret)), warnings);
    }

    private static ProxyConfig config(String secret) {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.SECRET, secret).build();
    }
}
