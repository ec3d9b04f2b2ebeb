/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.PciAddress;
import java.util.Arrays;

/**
 * Values of attributes. NCCL takes what {@code strtol} makes of them; here, what is no number is an error.
 *
 * @param what where the document comes from, for messages
 */
record XmlValues(String what) {
    /** A whole number, decimal or behind 0x, within limits. */
    int number(XmlElement element, String key, int otherwise, int min, int max) {
        String text = element.attributes().get(key);
        if (text == null || text.isEmpty()) {
            return otherwise;
        }
        try {
            long value = Long.decode(text);
            if (value >= min && value <= max) {
                return (int) value;
            }
        } catch (NumberFormatException e) {
            // The same answer as for one that is too large.
        }
        throw wrong(element, key, "a number in " + min + ".." + max);
    }

    /** As above, of an attribute that has to be there. */
    int needed(XmlElement element, String key, int min, int max) {
        text(element, key);
        return number(element, key, 0, min, max);
    }

    /** A decimal fraction within limits. */
    double fraction(XmlElement element, String key, double otherwise, double max) {
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

    /** An id of 64 bits. */
    long id(XmlElement element, String key, long otherwise) {
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

    /** An address on PCI. */
    PciAddress address(XmlElement element, String key) {
        return PciAddress.parse(text(element, key))
                .orElseThrow(() -> wrong(element, key, "an address such as 0000:c1:00.0"));
    }

    /** A text that has to be there. */
    String text(XmlElement element, String key) {
        String text = element.attributes().get(key);
        if (text == null || text.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, at(element) + " without " + key);
        }
        return text;
    }

    /** A type of paths. */
    PathType pathType(XmlElement element, String key) {
        return PathType.find(text(element, key)).orElseThrow(() -> wrong(element, key,
                "one of " + Arrays.toString(PathType.values())));
    }

    ProxyException wrong(XmlElement element, String key, String wanted) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, at(element) + " with " + key + "=\""
                + element.attributes().get(key) + "\"; " + wanted + " is wanted");
    }

    private String at(XmlElement element) {
        return what + (element.line() > 0 ? ", line " + element.line() + "," : "") + " has a <" + element.name() + ">";
    }
}
