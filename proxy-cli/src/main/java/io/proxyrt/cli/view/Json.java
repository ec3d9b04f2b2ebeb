/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.Optional;

/**
 * Writes a tree of records for programs. Components are fields of the same name and in the same order; an empty
 * {@link Optional} is no field at all.
 */
public final class Json {
    private Json() {
    }

    /** A record whose fields stand among those of the record that it belongs to. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface Inline {
    }

    /** A component that only people are told. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface TextOnly {
    }

    /**
     * Writes a text.
     *
     * @param tree all that is in it
     * @return several lines
     */
    public static String text(Record tree) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter());
            writeValue(json, tree);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void writeValue(JsonGenerator json, Object value) throws IOException {
        switch (value) {
            case null -> json.writeNull();
            case Boolean flag -> json.writeBoolean(flag);
            case Integer number -> json.writeNumber(number);
            case Long number -> json.writeNumber(number);
            case Double number -> json.writeNumber(number);
            case Enum<?> constant -> json.writeString(constant.name());
            case Iterable<?> values -> {
                json.writeStartArray();
                for (Object one : values) {
                    writeValue(json, one);
                }
                json.writeEndArray();
            }
            case Map<?, ?> fields -> {
                json.writeStartObject();
                for (Map.Entry<?, ?> field : fields.entrySet()) {
                    writeField(json, field.getKey().toString(), field.getValue());
                }
                json.writeEndObject();
            }
            case Record fields -> {
                json.writeStartObject();
                writeFields(json, fields);
                json.writeEndObject();
            }
            default -> json.writeString(value.toString());
        }
    }

    private static void writeFields(JsonGenerator json, Record fields) throws IOException {
        for (RecordComponent component : fields.getClass().getRecordComponents()) {
            if (component.isAnnotationPresent(Inline.class)) {
                writeFields(json, (Record) valueOf(component, fields));
            } else if (!component.isAnnotationPresent(TextOnly.class)) {
                writeField(json, component.getName(), valueOf(component, fields));
            }
        }
    }

    private static void writeField(JsonGenerator json, String name, Object value) throws IOException {
        if (value instanceof Optional<?> optional) {
            if (optional.isPresent()) {
                writeField(json, name, optional.get());
            }
            return;
        }
        json.writeFieldName(name);
        writeValue(json, value);
    }

    private static Object valueOf(RecordComponent component, Record fields) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(fields);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(component + " of " + fields, e);
        }
    }
}
