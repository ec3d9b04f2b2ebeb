/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.CurrentUser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobSecretTest {
    private static final ByteBuffer SAID = ByteBuffer.wrap("what was said".getBytes(StandardCharsets.UTF_8));

    @TempDir
    Path directory;

    @Test
    void shouldBeHmacSha256() {
        JobSecret secret = JobSecret.of(HexFormat.of().parseHex("0b".repeat(20)));
        assertEquals(JobSecret.PROOF_BYTES, secret.proof("", SAID).length);
        // printf 'client\0what was said' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0b0b...
        assertEquals("966337f03b28ab96833d32229bbd773ef6acd019d94813655a074393cbebe900",
                HexFormat.of().formatHex(secret.proof("client", SAID)));
    }

    @Test
    void shouldKnowAProofOfItsOwn() {
        JobSecret secret = JobSecret.random();
        byte[] proof = secret.proof("client", SAID);
        assertTrue(secret.isProof("client", SAID, proof));
        assertFalse(secret.isProof("service", SAID, proof), "a proof serves one side only");
        assertFalse(JobSecret.random().isProof("client", SAID, proof));
        assertFalse(secret.isProof("client", SAID.slice(1, 5), proof));
        assertFalse(secret.isProof("client", SAID, new byte[0]));
        proof[31] ^= 1;
        assertFalse(secret.isProof("client", SAID, proof));
    }

    @Test
    void shouldDeriveTheSameForTheSame() {
        JobSecret secret = JobSecret.of(new byte[16]);
        assertArrayEquals(secret.derive("a", new byte[] {1}).proof("x", SAID),
                secret.derive("a", new byte[] {1}).proof("x", SAID));
        assertFalse(secret.derive("a", new byte[] {2}).isProof("x", SAID,
                secret.derive("a", new byte[] {1}).proof("x", SAID)));
    }

    @Test
    void shouldComeFromTextOrFromAFileThatOthersCannotRead() throws IOException {
        assertTrue(JobSecret.of(config(Map.of())).isEmpty());
        JobSecret text = JobSecret.of(config(Map.of("secret", "open sesame"))).orElseThrow();
        assertTrue(text.isProof("a", SAID,
                JobSecret.of(config(Map.of("secret", "open sesame"))).orElseThrow().proof("a", SAID)));
        Path file = Files.write(directory.resolve("secret"), new byte[32]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        JobSecret fromFile = JobSecret.of(config(Map.of("secret.file", file.toString(), "secret", "x"))).orElseThrow();
        assertTrue(fromFile.isProof("a", SAID, JobSecret.of(new byte[32]).proof("a", SAID)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-----w-"})
    void shouldRefuseAFileOfOthers(String permissions) throws IOException {
        Path file = Files.write(directory.resolve("secret"), new byte[32]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        String message = refusal(file);
        assertTrue(message.contains("chmod 600"), message);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 15, 4097})
    void shouldRefuseAFileOfAnUnlikelySize(int bytes) throws IOException {
        Path file = Files.write(directory.resolve("secret"), new byte[bytes]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        String message = refusal(file);
        assertTrue(message.contains("bytes"), message);
    }

    @Test
    void shouldRefuseAPipeAndAFileOfAnotherUser() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", "-m", "600", pipe.toString()).start().waitFor());
        assertTrue(refusal(pipe).contains("no regular file"));
        Path file = Files.write(directory.resolve("secret"), new byte[32]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assumeTrue(CurrentUser.id() == 0, "only root gives files away");
        Files.setAttribute(file, "unix:uid", 12_345);
        assertTrue(refusal(file).contains("it belongs to user 12345"));
    }

    @Test
    void shouldRefuseAFileThatIsNotThere() {
        String message = refusal(directory.resolve("none"));
        assertTrue(message.contains("proxyrt.secret.file") && message.contains("none"), message);
    }

    @Test
    void shouldNotShow() {
        ProxyConfig config = config(Map.of("secret", "open sesame"));
        assertFalse(config.settings().toString().contains("sesame"));
        ProxyConfig.Setting setting = config.settings().stream()
                .filter(each -> each.option() == CoreOptions.SECRET).findFirst().orElseThrow();
        assertEquals("(set)", setting.text());
        assertFalse(JobSecret.of(config).orElseThrow().toString().contains("sesame"));
    }

    private static String refusal(Path file) {
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> JobSecret.of(config(Map.of("secret.file", file.toString()))));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        return refusal.getMessage();
    }

    private static ProxyConfig config(Map<String, String> options) {
        ProxyConfig.Builder builder = ProxyConfig.builder().environment(Map.of());
        options.forEach(builder::set);
        return builder.build();
    }
}
