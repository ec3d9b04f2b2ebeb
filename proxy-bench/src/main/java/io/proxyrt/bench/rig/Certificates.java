/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A certificate that is signed by itself, of all ranks, by the JDK's own tool; or none. */
final class Certificates implements AutoCloseable {
    private static final String PASSWORD = "only of this run";
    private static final String ALIAS = "rank";
    private static final int LINE_CHARACTERS = 64;

    private final Path folder;

    Certificates(boolean isWanted) throws IOException {
        folder = isWanted ? Files.createTempDirectory("proxyrt-bench-tls-") : null;
        if (isWanted) {
            make();
        }
    }

    /** What turns TLS on; empty if there is none. */
    Map<String, String> options() {
        return folder == null ? Map.of() : Map.of("rpc.tls.certificate", file("crt").toString(),
                "rpc.tls.key", file("key").toString(), "rpc.tls.trust", file("crt").toString());
    }

    private void make() throws IOException {
        Path store = file("p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", ALIAS, "-dname", "CN=ranks", "-keyalg", "EC", "-validity", "2", "-keystore",
                store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD)
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        try {
            if (!keytool.waitFor(Rank.PATIENCE.toMillis(), TimeUnit.MILLISECONDS) || keytool.exitValue() != 0) {
                throw new IOException("keytool makes no certificate");
            }
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            write("crt", "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
            write("key", "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a certificate is made", e);
        } catch (GeneralSecurityException e) {
            throw new IOException("keytool made a certificate that cannot be read", e);
        } finally {
            keytool.destroyForcibly();
        }
    }

    private void write(String ending, String kind, byte[] bytes) throws IOException {
        Files.write(file(ending), List.of("-----BEGIN " + kind + "-----",
                Base64.getMimeEncoder(LINE_CHARACTERS, new byte[] {'\n'}).encodeToString(bytes),
                "-----END " + kind + "-----"));
    }

    private Path file(String ending) {
        return folder.resolve("ranks." + ending);
    }

    @Override
    public void close() {
        if (folder == null) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
