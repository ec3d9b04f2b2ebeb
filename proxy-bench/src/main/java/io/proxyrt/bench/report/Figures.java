/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Stat;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers for people: three digits that mean something. */
public final class Figures {
    private static final MathContext THREE_DIGITS = new MathContext(3);
    private static final String NOT_MEASURED = "–";

    private Figures() {
    }

    /**
     * A number.
     *
     * @param value that may be missing
     * @return three digits, or all before the point
     */
    public static String format(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return NOT_MEASURED;
        }
        if (Math.abs(value) >= 1000) {
            return String.format(Locale.ROOT, "%,d", Math.round(value));
        }
        if (Math.abs(value) < 0.001) {
            return "0";
        }
        return new BigDecimal(value).round(THREE_DIGITS).stripTrailingZeros().toPlainString();
    }

    /**
     * A number with a unit.
     *
     * @param value that may be missing
     * @param unit  behind it
     * @return both
     */
    public static String format(double value, String unit) {
        return format(value) + ' ' + unit;
    }

    /** What stands in a cell. */
    static String text(Object cell) {
        return switch (cell) {
            case Stat stat -> format(stat);
            case Double number -> format(number);
            default -> cell.toString();
        };
    }

    /** Median, and with several rounds the least and the most. */
    static String format(Stat stat) {
        if (stat.count() < 2) {
            return format(stat.median());
        }
        return format(stat.median()) + " [" + format(stat.min()) + ".." + format(stat.max()) + "]";
    }
}
