/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A document as maps, lists, texts, booleans, and numbers that are exact. */
public final class ParsedJson {
    private ParsedJson() {
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> object(String text) {
        return (Map<String, Object>) parse(text);
    }

    @SuppressWarnings("unchecked")
    public static List<Map<String, Object>> objects(Object list) {
        return (List<Map<String, Object>>) list;
    }

    private static Object parse(String text) {
        try (JsonParser json = new JsonFactory().createParser(text)) {
            json.nextToken();
            Object value = value(json);
            if (json.nextToken() != null) {
                throw new AssertionError("more than one value");
            }
            return value;
        } catch (IOException e) {
            throw new AssertionError(text.substring(0, Math.min(1000, text.length())), e);
        }
    }

    private static Object value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> fields = new LinkedHashMap<>();
                while (json.nextToken() != JsonToken.END_OBJECT) {
                    String name = json.currentName();
                    json.nextToken();
                    fields.put(name, value(json));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<Object> values = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    values.add(value(json));
                }
                yield values;
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new BigDecimal(json.getText());
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> "null";
            default -> json.getText();
        };
    }
}
