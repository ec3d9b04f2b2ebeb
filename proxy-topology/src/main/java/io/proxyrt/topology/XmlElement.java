/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An element of a document, with what is in it. Immutable.
 *
 * @param name       of it
 * @param attributes in the order of the document
 * @param children   in the order of the document
 */
record XmlElement(String name, Map<String, String> attributes, List<XmlElement> children) {
    XmlElement {
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
        children = List.copyOf(children);
    }

    /** Begins an element. */
    static Builder of(String name) {
        return new Builder(name);
    }

    /** The first child of that name. */
    Optional<XmlElement> child(String childName) {
        return children.stream().filter(child -> child.name.equals(childName)).findFirst();
    }

    /** Those of that name. */
    List<XmlElement> children(String childName) {
        return children.stream().filter(child -> child.name.equals(childName)).toList();
    }

    /** Itself and what is in it. */
    int size() {
        return 1 + children.stream().mapToInt(XmlElement::size).sum();
    }

    /** An element that is being made. */
    static final class Builder {
        private final String name;
        private final Map<String, String> attributes = new LinkedHashMap<>();
        private final List<XmlElement> children = new ArrayList<>();

        private Builder(String name) {
            this.name = name;
        }

        Builder set(String key, Object value) {
            attributes.put(key, String.valueOf(value));
            return this;
        }

        Builder add(XmlElement child) {
            children.add(child);
            return this;
        }

        int childCount() {
            return children.size();
        }

        String name() {
            return name;
        }

        XmlElement build() {
            return new XmlElement(name, attributes, children);
        }
    }
}
