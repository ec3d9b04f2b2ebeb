/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a device is on the PCI buses of a host. Immutable.
 *
 * @param domain   of buses
 * @param bus      0 to 255
 * @param device   0 to 31
 * @param function 0 to 7
 */
public record PciAddress(int domain, int bus, int device, int function) implements Comparable<PciAddress> {
    private static final Pattern TEXT =
            Pattern.compile("(?:([0-9a-fA-F]{4,7}):)?([0-9a-fA-F]{2}):([01][0-9a-fA-F])\\.([0-7])");

    /**
     * Reads an address.
     *
     * @param text such as {@code 0000:c1:00.0}; without a domain it is 0
     * @return empty if it is none
     */
    public static Optional<PciAddress> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        return matcher.matches() ? Optional.of(new PciAddress(matcher.group(1) == null ? 0 : hex(matcher.group(1)),
                hex(matcher.group(2)), hex(matcher.group(3)), hex(matcher.group(4)))) : Optional.empty();
    }

    /** Of a device in sysfs, or of the one of PCI that a virtual bus sits on. */
    static Optional<PciAddress> of(Path device) {
        Optional<PciAddress> address = Optional.empty();
        for (Path at = device; at != null && at.getFileName() != null && address.isEmpty(); at = at.getParent()) {
            address = parse(at.getFileName().toString());
        }
        return address;
    }

    /**
     * The device of which a partition of an AMD GPU is a part: partitions are numbered as functions that the bus does
     * not have.
     *
     * @return function 0
     */
    public PciAddress whole() {
        return new PciAddress(domain, bus, device, 0);
    }

    @Override
    public int compareTo(PciAddress other) {
        return Long.compare(number(), other.number());
    }

    /** As the kernel writes it. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%04x:%02x:%02x.%x", domain, bus, device, function);
    }

    private long number() {
        return (long) domain << 16 | bus << 8 | device << 3 | function;
    }

    private static int hex(String digits) {
        return Integer.parseInt(digits, 16);
    }
}
