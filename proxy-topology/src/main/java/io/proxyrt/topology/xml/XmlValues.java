/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology.xml;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/**
 * Values of attributes. NCCL takes what {@code strtol} makes of them; here, what is no number is an error.
 *
 * @param what where the document comes from, for messages
 */
public record XmlValues(String what) {
    /**
     * A whole number, decimal or behind 0x.
     *
     * @param element   that has it
     * @param key       of the attribute
     * @param otherwise if there is none
     * @param min       least that is taken
     * @param max       greatest that is taken
     * @return within the limits
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} with the line, for anything else
     */
    public int number(XmlElement element, String key, int otherwise, int min, int max) {
        return (int) longNumber(element, key, otherwise, min, max);
    }

    /**
     * As {@link #number}, of 64 bits.
     *
     * @param element   that has it
     * @param key       of the attribute
     * @param otherwise if there is none
     * @param min       least that is taken
     * @param max       greatest that is taken
     * @return within the limits
     */
    public long longNumber(XmlElement element, String key, long otherwise, long min, long max) {
        String text = element.attributes().get(key);
        if (text == null || text.isEmpty()) {
            return otherwise;
        }
        try {
            long value = Long.decode(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // The same answer as for one that is too large.
        }
        throw wrong(element, key, "a number in " + min + ".." + max);
    }

    /**
     * As {@link #number}, of an attribute that has to be there.
     *
     * @param element that has it
     * @param key     of the attribute
     * @param min     least that is taken
     * @param max     greatest that is taken
     * @return within the limits
     */
    public int needed(XmlElement element, String key, int min, int max) {
        text(element, key);
        return number(element, key, 0, min, max);
    }

    /**
     * A decimal fraction.
     *
     * @param element   that has it
     * @param key       of the attribute
     * @param otherwise if there is none
     * @param max       greatest that is taken
     * @return from 0 on
     */
    public double fraction(XmlElement element, String key, double otherwise, double max) {
        String text = element.attributes().get(key);
        if (text == null || text.isEmpty()) {
            return otherwise;
        }
        try {
            double value = Double.parseDouble(text);
            if (value >= 0 && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // The same answer as for one that is too large.
        }
        throw wrong(element, key, "a number in 0.." + max);
    }

    /**
     * An id of 64 bits.
     *
     * @param element   that has it
     * @param key       of the attribute
     * @param otherwise if there is none
     * @return without a sign
     */
    public long id(XmlElement element, String key, long otherwise) {
        String text = element.attributes().get(key);
        if (text == null || text.isEmpty()) {
            return otherwise;
        }
        try {
            return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16)
                    : Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw wrong(element, key, "an id of 64 bits");
        }
    }

    /**
     * A text that has to be there.
     *
     * @param element that has it
     * @param key     of the attribute
     * @return not empty
     */
    public String text(XmlElement element, String key) {
        String text = element.attributes().get(key);
        if (text == null || text.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, at(element) + " without " + key);
        }
        return text;
    }

    /**
     * What is wrong with a value.
     *
     * @param element that has it
     * @param key     of the attribute
     * @param wanted  what should be there
     * @return to be thrown
     */
    public ProxyException wrong(XmlElement element, String key, String wanted) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, at(element) + " with " + key + "=\""
                + element.attributes().get(key) + "\"; " + wanted + " is wanted");
    }

    private String at(XmlElement element) {
        return what + (element.line() > 0 ? ", line " + element.line() + "," : "") + " has a <" + element.name() + ">";
    }
}
