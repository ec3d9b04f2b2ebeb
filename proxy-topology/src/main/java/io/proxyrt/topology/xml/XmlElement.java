/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology.xml;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An element of a document, with what is in it. Immutable. Elements that say the same are equal, wherever they are.
 *
 * @param line       where it ends its first tag; 0 if it was not read
 * @param name       of it
 * @param attributes in the order of the document
 * @param children   in the order of the document
 */
public record XmlElement(int line, String name, Map<String, String> attributes, List<XmlElement> children) {
    /** Copies both. */
    public XmlElement {
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
        children = List.copyOf(children);
    }

    /**
     * Begins an element.
     *
     * @param name of it
     * @return to be filled
     */
    public static Builder of(String name) {
        return new Builder(0, name);
    }

    /** Begins one that is read. */
    static Builder at(int line, String name) {
        return new Builder(line, name);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof XmlElement element && name.equals(element.name)
                && attributes.equals(element.attributes) && children.equals(element.children);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, attributes, children);
    }

    /**
     * The first child of a name.
     *
     * @param childName of it
     * @return empty if there is none
     */
    public Optional<XmlElement> child(String childName) {
        return children.stream().filter(child -> child.name.equals(childName)).findFirst();
    }

    /**
     * The children of a name.
     *
     * @param childName of them
     * @return in the order of the document
     */
    public List<XmlElement> children(String childName) {
        return children.stream().filter(child -> child.name.equals(childName)).toList();
    }

    /** {@return how many elements it is, with all in it} */
    public int size() {
        return 1 + children.stream().mapToInt(XmlElement::size).sum();
    }

    /** An element that is being made. */
    public static final class Builder {
        private final int line;
        private final String name;
        private final Map<String, String> attributes = new LinkedHashMap<>();
        private final List<XmlElement> children = new ArrayList<>();

        private Builder(int line, String name) {
            this.line = line;
            this.name = name;
        }

        /**
         * Sets an attribute.
         *
         * @param key   of it
         * @param value of it
         * @return this
         */
        public Builder set(String key, Object value) {
            attributes.put(key, String.valueOf(value));
            return this;
        }

        /**
         * Adds a child behind the others.
         *
         * @param child of it
         * @return this
         */
        public Builder add(XmlElement child) {
            children.add(child);
            return this;
        }

        int childCount() {
            return children.size();
        }

        String name() {
            return name;
        }

        /** {@return the element} */
        public XmlElement build() {
            return new XmlElement(line, name, attributes, children);
        }
    }
}
