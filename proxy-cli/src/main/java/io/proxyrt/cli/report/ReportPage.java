/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes a page that is whole in itself: no network, no library. Its policy lets no script run but its own, which has a
 * hash, and lets nothing be loaded; names that come from files are data, and become text.
 */
public final class ReportPage {
    private static final List<String> SCRIPTS = List.of("parts.js", "timeline.js", "page.js");

    private ReportPage() {
    }

    /**
     * Writes one.
     *
     * @param report all that it shows
     * @param writer which stays open
     * @throws IOException if it cannot be written
     */
    public static void write(Report report, Writer writer) throws IOException {
        String script = SCRIPTS.stream().map(ReportPage::part).collect(Collectors.joining("\n"));
        String page = part("report.html").replace("@HASH@", hash(script)).replace("@STYLE@", part("report.css"))
                .replace("@SCRIPT@", script);
        int data = page.indexOf("@DATA@");
        writer.write(page, 0, data);
        ReportData.write(report, writer);
        writer.write(page.substring(data + "@DATA@".length()).stripTrailing());
    }

    private static String hash(String script) {
        try {
            return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256")
                    .digest(script.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }

    private static String part(String name) {
        try (InputStream part = ReportPage.class.getResourceAsStream(name)) {
            return new String(part.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
