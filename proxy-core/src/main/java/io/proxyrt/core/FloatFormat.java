/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/**
 * A floating-point format of 8 or 16 bits, by arithmetic: for single values and for tables.
 *
 * @param bits         of a value
 * @param mantissaBits of them
 * @param bias         of its exponents
 * @param most         what anything too large becomes: infinity, or the largest number
 * @param nan          what becomes of NaNs
 */
record FloatFormat(int bits, int mantissaBits, int bias, int most, int nan) {
    static final FloatFormat HALF = new FloatFormat(16, 10, 15, 0x7C00, 0x7E00);
    static final FloatFormat BFLOAT = new FloatFormat(16, 7, 127, 0x7F80, 0x7FC0);
    static final FloatFormat E4M3 = new FloatFormat(8, 3, 7, 0x7E, 0x7F);
    static final FloatFormat E5M2 = new FloatFormat(8, 2, 15, 0x7B, 0x7E);

    /** To nearest, ties to even. */
    long encode(double value) {
        if (Double.isNaN(value)) {
            return nan;
        }
        long sign = Math.copySign(1, value) < 0 ? 1L << bits - 1 : 0;
        return sign | Math.min(magnitude(Math.min(Math.abs(value), Float.MAX_VALUE)), most);
    }

    /** Goes on beyond the format's largest, as if it had more exponents. */
    private long magnitude(double value) {
        int exponent = Math.max(Math.getExponent(value), 1 - bias);
        long units = (long) Math.rint(Math.scalb(value, mantissaBits - exponent));
        return ((long) (exponent + bias - 1) << mantissaBits) + units;
    }

    /** Of a format without infinities, whose last magnitude is NaN. */
    double decodeFinite(long code) {
        int magnitude = (int) code & (1 << bits - 1) - 1;
        int exponent = Math.max(magnitude >> mantissaBits, 1);
        int units = magnitude - (exponent - 1 << mantissaBits);
        double value = magnitude == nan ? Double.NaN : Math.scalb((double) units, exponent - bias - mantissaBits);
        return (code >> bits - 1 & 1) == 0 ? value : -value;
    }
}
