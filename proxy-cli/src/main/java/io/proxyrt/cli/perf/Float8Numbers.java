/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.DataType;

/** Floating-point numbers of 8 bits, found by looking at all of them. */
final class Float8Numbers {
    private static final int SIGN = 0x80;
    private static final int NAN = 0x7F;

    private Float8Numbers() {
    }

    static double value(DataType type, long bits) {
        boolean isE4m3 = type == DataType.FLOAT8_E4M3;
        int mantissaBits = isE4m3 ? 3 : 2;
        int magnitude = (int) bits & SIGN - 1;
        double fraction = magnitude % (1 << mantissaBits) / (double) (1 << mantissaBits);
        int exponent = (magnitude >> mantissaBits) - (isE4m3 ? 7 : 15);
        double value = magnitude >> mantissaBits == 0 ? Math.scalb(fraction, exponent + 1)
                : Math.scalb(1 + fraction, exponent);
        if (magnitude > most(type)) {
            value = isE4m3 || fraction > 0 ? Double.NaN : Double.POSITIVE_INFINITY;
        }
        return (bits & SIGN) == 0 ? value : -value;
    }

    /** The nearest that is finite; of two, the one whose last bit is 0. */
    static long bits(DataType type, double value) {
        if (Double.isNaN(value)) {
            return NAN;
        }
        int nearest = 0;
        for (int magnitude = 1; magnitude <= most(type); magnitude++) {
            double gained = Math.abs(Math.abs(value) - value(type, nearest))
                    - Math.abs(Math.abs(value) - value(type, magnitude));
            nearest = gained > 0 || gained == 0 && magnitude % 2 == 0 ? magnitude : nearest;
        }
        return Math.copySign(1, value) < 0 ? SIGN | nearest : nearest;
    }

    private static int most(DataType type) {
        return type == DataType.FLOAT8_E4M3 ? 0x7E : 0x7B;
    }
}
