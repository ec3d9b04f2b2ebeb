/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import java.util.BitSet;
import java.util.StringJoiner;

/** Linux's way of writing a set of CPUs: {@code 0-3,8}. */
public final class CpuList {
    /** More than any kernel is built for; a typing error must not become a set of gigabytes. */
    private static final int MAX_CPU = (1 << 16) - 1;

    private CpuList() {
    }

    /**
     * Reads a list.
     *
     * @param text numbers and ranges between commas, in any order; they may overlap, and blanks do not matter
     * @return empty for a blank text
     * @throws IllegalArgumentException if it is malformed, with the part that is
     */
    public static BitSet parse(String text) {
        BitSet cpus = new BitSet();
        if (text.isBlank()) {
            return cpus;
        }
        for (String part : text.split(",", -1)) {
            String[] ends = part.split("-", -1);
            int first = number(ends[0], part);
            int last = ends.length == 1 ? first : number(ends[1], part);
            if (ends.length > 2 || last < first) {
                throw malformed(part, "is no range, such as 0-3");
            }
            cpus.set(first, last + 1);
        }
        return cpus;
    }

    /**
     * Writes a list.
     *
     * @param cpus by number
     * @return in ascending order, without blanks; {@code none} for an empty set
     */
    public static String format(BitSet cpus) {
        StringJoiner list = new StringJoiner(",").setEmptyValue("none");
        for (int first = cpus.nextSetBit(0); first >= 0; ) {
            int end = cpus.nextClearBit(first);
            list.add(end - first == 1 ? "" + first : first + "-" + (end - 1));
            first = cpus.nextSetBit(end);
        }
        return list.toString();
    }

    private static int number(String text, String part) {
        String digits = text.strip();
        if (!digits.matches("[0-9]+")) {
            throw malformed(part, "is no CPU number or range; a list looks like 0-3,8");
        }
        if (digits.length() > 9 || Integer.parseInt(digits) > MAX_CPU) {
            throw malformed(part, "is beyond CPU " + MAX_CPU);
        }
        return Integer.parseInt(digits);
    }

    private static IllegalArgumentException malformed(String part, String why) {
        return new IllegalArgumentException("'" + part.strip() + "' " + why);
    }
}
