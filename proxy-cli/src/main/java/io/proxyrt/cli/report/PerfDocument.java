/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What {@code proxyrt perf --json} wrote.
 *
 * @param text a JSON object that has an array of rows, once
 */
public record PerfDocument(String text) {
    private static final long MAX_BYTES = 16 << 20;

    /**
     * Reads one.
     *
     * @param file where it is
     * @return whole
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public static PerfDocument read(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw wrong(file, "it has more than " + MAX_BYTES + " bytes", null);
            }
            String text = Files.readString(file);
            if (!hasRows(text)) {
                throw wrong(file, "it is not what perf --json writes: it has no rows", null);
            }
            return new PerfDocument(text);
        } catch (IOException e) {
            throw wrong(file, e.toString().lines().findFirst().orElse(""), e);
        }
    }

    private static boolean hasRows(String text) throws IOException {
        boolean hasRows = false;
        try (JsonParser json = new JsonFactory().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                .createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                hasRows |= json.nextToken() == JsonToken.START_ARRAY && name.equals("rows");
                json.skipChildren();
            }
            return hasRows && json.nextToken() == null;
        }
    }

    void write(JsonGenerator json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(text)) {
            parser.nextToken();
            json.copyCurrentStructure(parser);
        }
    }

    private static ProxyException wrong(Path file, String why, IOException cause) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, "cannot take rows of " + file + ": " + why, cause);
    }
}
