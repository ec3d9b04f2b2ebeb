/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether a private key is that of a certificate, which the JDK's TLS takes on trust until the first handshake. */
final class KeyMatch {
    private static final Pattern PKCS8 = Pattern.compile("-BEGIN PRIVATE KEY-+([^-]*)-");
    private static final Map<String, String> SIGNATURES = Map.of("EC", "SHA256withECDSA", "RSA", "SHA256withRSA");
    private static final byte[] SAMPLE = {1};

    private KeyMatch() {
    }

    /** Whether it certainly is another's: what cannot be read here is for TLS to judge. */
    static boolean isRefuted(File certificate, File key) {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(certificate.toPath()))) {
            PublicKey certified = CertificateFactory.getInstance("X.509").generateCertificate(in).getPublicKey();
            Matcher pem = PKCS8.matcher(Files.readString(key.toPath(), StandardCharsets.ISO_8859_1));
            return SIGNATURES.containsKey(certified.getAlgorithm()) && pem.find()
                    && !isPair(certified, Base64.getMimeDecoder().decode(pem.group(1)));
        } catch (CertificateException | IOException e) {
            return false;
        }
    }

    private static boolean isPair(PublicKey certified, byte[] pkcs8) {
        try {
            PrivateKey secret = KeyFactory.getInstance(certified.getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            Signature signature = Signature.getInstance(SIGNATURES.get(certified.getAlgorithm()));
            signature.initSign(secret);
            signature.update(SAMPLE);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            signature.update(SAMPLE);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            // Of another algorithm, or of another curve.
            return false;
        }
    }
}
