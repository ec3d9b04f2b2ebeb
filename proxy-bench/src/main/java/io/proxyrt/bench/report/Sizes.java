/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import java.util.Comparator;
import java.util.List;

/** Sizes of messages in bytes, which are scenarios. */
public final class Sizes {
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB");

    private Sizes() {
    }

    /**
     * Orders them.
     *
     * @param sizes as numbers
     * @return the least first
     */
    public static List<String> sorted(List<String> sizes) {
        return sizes.stream().sorted(Comparator.comparingLong(Long::parseLong)).toList();
    }

    /**
     * A size for people, exact if it is a power of two.
     *
     * @param bytes a number
     * @return with a unit
     */
    public static String format(String bytes) {
        long number = Long.parseLong(bytes);
        int unit = 0;
        while (number >= 1024 && number % 1024 == 0 && unit < UNITS.size() - 1) {
            number /= 1024;
            unit++;
        }
        return number + " " + UNITS.get(unit);
    }
}
