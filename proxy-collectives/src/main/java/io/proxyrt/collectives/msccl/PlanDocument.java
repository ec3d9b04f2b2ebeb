/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.math.BigInteger;
import java.util.regex.Pattern;

/** Reads JSON, by Jackson's limits and by its own: for more than a plan has, nothing is allocated. */
final class PlanDocument {
    /** Of a file. */
    static final int MAX_BYTES = 16 << 20;
    /** Of objects and lists in one another: a plan has 11. */
    private static final int MAX_DEPTH = 16;
    private static final int MAX_TEXT = 255;
    private static final int MAX_DIGITS = 64;
    private static final int MAX_VALUES = 1 << 19;
    /** Would forge lines of a message, or show what is not there. */
    private static final Pattern CONTROLS = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH)
                    .maxDocumentLength(MAX_BYTES).maxStringLength(MAX_TEXT).maxNameLength(MAX_TEXT)
                    .maxNumberLength(MAX_DIGITS).build()).build();

    private final String file;
    private final JsonParser parser;
    private int values;

    private PlanDocument(String file, JsonParser parser) {
        this.file = file;
        this.parser = parser;
    }

    /** An object that is the whole document. */
    static PlanValue parse(String file, String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            return new PlanDocument(file, parser).read();
        } catch (IOException e) {
            throw new AssertionError("a text is read from memory", e);
        }
    }

    private PlanValue read() throws IOException {
        try {
            parser.nextToken();
            PlanValue root = value(null, "");
            if (parser.nextToken() != null) {
                throw AlgorithmFile.refused(file, "line " + line(), "something comes behind the plan");
            }
            return root;
        } catch (JsonProcessingException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, file + ", line " + line()
                    + ": this is no JSON of a plan: " + CONTROLS.matcher(e.getOriginalMessage()).replaceAll(" "), e);
        }
    }

    private int line() {
        return parser.currentTokenLocation().getLineNr();
    }

    private PlanValue value(PlanValue parent, String key) throws IOException {
        if (++values > MAX_VALUES) {
            throw AlgorithmFile.refused(file, "line " + line(), "there are more than " + MAX_VALUES + " values");
        }
        JsonToken token = parser.currentToken();
        return switch (token) {
            case null -> throw AlgorithmFile.refused(file, "line " + line(), "there is no plan");
            case START_OBJECT -> object(PlanValue.object(file, parent, key, line()));
            case START_ARRAY -> list(PlanValue.list(file, parent, key, line()));
            default -> PlanValue.of(file, parent, key, line(), scalar(token));
        };
    }

    private PlanValue object(PlanValue object) throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = printable(parser.currentName());
            parser.nextToken();
            PlanValue child = value(object, name);
            if (!object.add(child)) {
                throw child.refused("is there twice");
            }
        }
        return object;
    }

    private PlanValue list(PlanValue list) throws IOException {
        for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
            list.add(value(list, "[" + i + "]"));
        }
        return list;
    }

    private Object scalar(JsonToken token) throws IOException {
        return switch (token) {
            case VALUE_STRING -> printable(parser.getText());
            case VALUE_NUMBER_INT -> whole(parser.getBigIntegerValue());
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private static Long whole(BigInteger value) {
        return value.min(MOST).max(MOST.negate()).longValue();
    }

    private String printable(String text) {
        if (CONTROLS.matcher(text).find()) {
            throw AlgorithmFile.refused(file, "line " + line(), "a text has a control character");
        }
        return text;
    }
}
