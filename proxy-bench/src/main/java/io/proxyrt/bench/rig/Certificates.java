/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.process.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** A certificate that is signed by itself, of all ranks, by the JDK's own tool; or none. */
final class Certificates implements AutoCloseable {
    private static final String PASSWORD = "only of this run";
    private static final String ALIAS = "rank";
    private static final int LINE_CHARACTERS = 64;

    private final TemporaryFolder folder;

    Certificates(boolean isWanted) throws IOException {
        folder = isWanted ? TemporaryFolder.in(TemporaryFolder.TEMPORARY, "proxyrt-bench-tls-") : null;
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
            if (!keytool.waitFor(Rank.PATIENCE) || keytool.exitValue() != 0) {
                throw new IOException("keytool makes no certificate");
            }
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
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
        return folder.path().resolve("ranks." + ending);
    }

    @Override
    public void close() {
        if (folder != null) {
            folder.close();
        }
    }
}
