/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.ProxyException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A value of a plan's JSON, which knows where it stands. */
final class PlanValue {
    private static final int MOST_SHOWN = 60;

    private final String file;
    /** Null of the document itself. */
    private final PlanValue parent;
    private final String key;
    private final int line;
    /** A map, a list, a text, a long, a double, a boolean, or null. */
    private final Object value;

    private PlanValue(String file, PlanValue parent, String key, int line, Object value) {
        this.file = file;
        this.parent = parent;
        this.key = key;
        this.line = line;
        this.value = value;
    }

    /** A value of an object, by its name, or of a list, by its number in brackets. */
    static PlanValue of(String file, PlanValue parent, String key, int line, Object value) {
        return new PlanValue(file, parent, key, line, value);
    }

    static PlanValue object(String file, PlanValue parent, String key, int line) {
        return new PlanValue(file, parent, key, line, new LinkedHashMap<String, PlanValue>());
    }

    static PlanValue list(String file, PlanValue parent, String key, int line) {
        return new PlanValue(file, parent, key, line, new ArrayList<PlanValue>());
    }

    /** While it is read; false if an object has the name already. */
    @SuppressWarnings("unchecked")
    boolean add(PlanValue child) {
        if (value instanceof List<?>) {
            return ((List<PlanValue>) value).add(child);
        }
        return ((Map<String, PlanValue>) value).put(child.key, child) == null;
    }

    /** Such as {@code line 7, gpus[0].id}. */
    String place() {
        return parent == null ? "line " + line : "line " + line + ", " + path();
    }

    private String path() {
        String before = parent.parent == null ? "" : parent.path();
        return key.startsWith("[") || before.isEmpty() ? before + key : before + "." + key;
    }

    boolean has(String name) {
        return value instanceof Map<?, ?> map && map.containsKey(name);
    }

    PlanValue needed(String name) {
        if (!(value instanceof Map<?, ?> map)) {
            throw wrong("an object");
        }
        if (map.get(name) instanceof PlanValue child) {
            return child;
        }
        throw refused("has no " + name + ", which a plan of MSCCL++ has there");
    }

    /** Of a list that has to be there. */
    @SuppressWarnings("unchecked")
    List<PlanValue> items(String name, int most) {
        PlanValue list = needed(name);
        if (!(list.value instanceof List<?> items)) {
            throw list.wrong("a list");
        }
        if (items.size() > most) {
            throw list.refused("has " + items.size() + " elements; " + most + " at most are taken");
        }
        return (List<PlanValue>) items;
    }

    /** Of a list that may be absent. */
    List<PlanValue> itemsIfAny(String name, int most) {
        return has(name) ? items(name, most) : List.of();
    }

    int number(String name, int min, int max) {
        return needed(name).number(min, max);
    }

    int number(int min, int max) {
        if (value instanceof Long number && number >= min && number <= max) {
            return number.intValue();
        }
        throw wrong("a number in " + min + ".." + max);
    }

    /** From 0 on; of one that is greater than any size, the greatest. */
    long bytes(String name, long otherwise) {
        if (!has(name)) {
            return otherwise;
        }
        PlanValue number = needed(name);
        if (number.value instanceof Long bytes && bytes >= 0) {
            return bytes;
        }
        throw number.wrong("a number of bytes, 0 or more,");
    }

    boolean flag(String name) {
        PlanValue flag = needed(name);
        if (flag.value instanceof Boolean isSo) {
            return isSo;
        }
        throw flag.wrong("true or false");
    }

    String text(String name) {
        return needed(name).text();
    }

    String text() {
        if (value instanceof String text) {
            return text;
        }
        throw wrong("a text");
    }

    ProxyException wrong(String wanted) {
        return refused("is " + shown() + "; " + wanted + " is wanted");
    }

    private String shown() {
        return switch (value) {
            case null -> "null";
            case Map<?, ?> map -> "an object";
            case List<?> list -> "a list";
            case String text -> '"' + text.substring(0, Math.min(text.length(), MOST_SHOWN)) + '"';
            default -> value.toString();
        };
    }

    ProxyException refused(String why) {
        return AlgorithmFile.refused(file, place(), why);
    }

    String file() {
        return file;
    }
}
