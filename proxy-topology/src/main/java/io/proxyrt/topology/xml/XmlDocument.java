/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology.xml;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Documents of NCCL's, read within its limits: no document type, and so no entities; elements that the grammar does not
 * know are left out, with all that is in them.
 */
public final class XmlDocument {
    /** Of a file. */
    public static final int MAX_BYTES = 4 << 20;
    /** Of elements in one another. NCCL has no limit but its stack. */
    public static final int MAX_DEPTH = 64;
    /** Characters of a value. */
    public static final int MAX_VALUE = 255;
    /** Of an element. */
    public static final int MAX_ATTRIBUTES = 16;
    /** Of an element. */
    public static final int MAX_CHILDREN = 512;
    private static final Map<Character, String> ESCAPES = Map.of('&', "&amp;", '<', "&lt;", '>', "&gt;", '"', "&quot;");
    /** Would forge lines of a message, or show what is not there. */
    private static final Pattern CONTROLS = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private final String what;
    private final Grammar grammar;
    private final Deque<XmlElement.Builder> open = new ArrayDeque<>();
    private XmlElement root;
    private int elements;

    /**
     * What a document is made of.
     *
     * @param root        name of its root
     * @param children    by name of an element, those that may be in it
     * @param maxElements that are taken
     */
    public record Grammar(String root, Map<String, Set<String>> children, int maxElements) {
    }

    private XmlDocument(String what, Grammar grammar) {
        this.what = what;
        this.grammar = grammar;
    }

    /**
     * Reads a file.
     *
     * @param file of XML
     * @return its text
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be read, and
     *                        {@link ProxyResult#INVALID_ARGUMENT} if it is too large, or no text
     */
    public static String text(Path file) {
        return text(file, "an XML file", MAX_BYTES);
    }

    /**
     * As {@link #text(Path)}, of a file of another kind.
     *
     * @param file     of text
     * @param kind     with its article, for messages
     * @param maxBytes that are taken
     * @return its text
     */
    public static String text(Path file, String kind, int maxBytes) {
        // Before it is opened: to open a pipe waits for a writer.
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, file + " is no regular file; give " + kind);
        }
        try (InputStream stream = Files.newInputStream(file)) {
            byte[] bytes = stream.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, file + " has more than " + maxBytes
                        + " bytes, more than is taken of " + kind);
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, file + " is no text in UTF-8", e);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot read " + file + ": " + e, e);
        }
    }

    /**
     * Reads a document.
     *
     * @param what    where it comes from, for messages
     * @param text    of it
     * @param grammar what it is made of
     * @return its root
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} with the line that is wrong
     */
    public static XmlElement parse(String what, String text, Grammar grammar) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        XmlDocument document = new XmlDocument(what, grammar);
        try {
            XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(text));
            document.read(reader);
            reader.close();
        } catch (XMLStreamException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    what + " is no whole XML document: " + e.getMessage().replaceAll("\\s+", " "), e);
        }
        return document.root;
    }

    /**
     * Writes a document, two spaces a level, as NCCL does.
     *
     * @param element its root
     * @return its text
     */
    public static String write(XmlElement element) {
        StringBuilder text = new StringBuilder();
        write(element, "", text);
        return text.toString();
    }

    private static void write(XmlElement element, String indent, StringBuilder text) {
        text.append(indent).append('<').append(element.name());
        element.attributes().forEach((key, value) -> text.append(' ').append(key).append("=\"").append(escaped(value))
                .append('"'));
        if (element.children().isEmpty()) {
            text.append("/>\n");
            return;
        }
        text.append(">\n");
        element.children().forEach(child -> write(child, indent + "  ", text));
        text.append(indent).append("</").append(element.name()).append(">\n");
    }

    private static String escaped(String value) {
        StringBuilder text = new StringBuilder();
        for (char c : value.toCharArray()) {
            text.append(ESCAPES.getOrDefault(c, String.valueOf(c)));
        }
        return text.toString();
    }

    private void read(XMLStreamReader reader) throws XMLStreamException {
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> begin(reader);
                case XMLStreamConstants.END_ELEMENT -> end();
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    if (!reader.isWhiteSpace()) {
                        throw wrong(reader, "has text between elements");
                    }
                }
                case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
                        throw wrong(reader, "has a document type or entities, which are not taken");
                default -> {
                    // Comments and blanks.
                }
            }
        }
    }

    private void begin(XMLStreamReader reader) throws XMLStreamException {
        String name = reader.getLocalName();
        if (open.isEmpty() && !name.equals(grammar.root)) {
            throw wrong(reader, "begins with <" + name + ">; <" + grammar.root + "> is wanted");
        }
        if (!open.isEmpty() && !grammar.children.getOrDefault(open.peek().name(), Set.of()).contains(name)) {
            skip(reader);
            return;
        }
        if (++elements > grammar.maxElements) {
            throw wrong(reader, "has more than " + grammar.maxElements + " elements");
        }
        if (open.size() == MAX_DEPTH) {
            throw wrong(reader, "is deeper than " + MAX_DEPTH + " elements");
        }
        if (!open.isEmpty() && open.peek().childCount() == MAX_CHILDREN) {
            throw wrong(reader, "has more than " + MAX_CHILDREN + " elements in one <" + open.peek().name() + ">");
        }
        open.push(attributes(reader, XmlElement.at(reader.getLocation().getLineNumber(), name)));
    }

    private XmlElement.Builder attributes(XMLStreamReader reader, XmlElement.Builder element) {
        if (reader.getAttributeCount() > MAX_ATTRIBUTES) {
            throw wrong(reader, "has more than " + MAX_ATTRIBUTES + " attributes in one <" + element.name() + ">");
        }
        for (int i = 0; i < reader.getAttributeCount(); i++) {
            String value = reader.getAttributeValue(i);
            if (value.length() > MAX_VALUE) {
                throw wrong(reader, "has a value of more than " + MAX_VALUE + " characters, "
                        + reader.getAttributeLocalName(i) + " of <" + element.name() + ">");
            }
            if (CONTROLS.matcher(value).find()) {
                throw wrong(reader, "has a control character in " + reader.getAttributeLocalName(i) + " of <"
                        + element.name() + ">");
            }
            element.set(reader.getAttributeLocalName(i), value);
        }
        return element;
    }

    private void end() {
        XmlElement element = open.pop().build();
        if (open.isEmpty()) {
            root = element;
        } else {
            open.peek().add(element);
        }
    }

    private static void skip(XMLStreamReader reader) throws XMLStreamException {
        int depth = 1;
        while (depth > 0) {
            int event = reader.next();
            depth += event == XMLStreamConstants.START_ELEMENT ? 1 : event == XMLStreamConstants.END_ELEMENT ? -1 : 0;
        }
    }

    private ProxyException wrong(XMLStreamReader reader, String fault) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT,
                what + ", line " + reader.getLocation().getLineNumber() + ", " + fault);
    }
}
