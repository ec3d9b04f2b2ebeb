/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

/**
 * What was going on while a group of measurements ran.
 *
 * @param round     from 1
 * @param group     its name
 * @param c2cBefore nanoseconds of a cache line's round trip before it; NaN if unknown
 * @param c2cAfter  the same after it
 * @param others    per cent of one CPU that other programs used meanwhile; NaN if unknown
 */
public record Noise(int round, String group, double c2cBefore, double c2cAfter, double others) {
    /** Between two CPUs of one cache, 50 to 300 on machines seen so far, and two that are apart, 500 to 600. */
    private static final double FAR_NS = 400;

    /** How the host of a virtual machine has placed its CPUs. */
    public enum Placement {
        /** Close to each other, before and after. */
        NEAR,
        /** Far from each other, before and after. */
        FAR,
        /** Not the same before and after. */
        MOVED,
        /** Not measured. */
        UNKNOWN
    }

    /**
     * How the CPUs lay.
     *
     * @return figures of different placements do not compare
     */
    public Placement placement() {
        if (Double.isNaN(c2cBefore) || Double.isNaN(c2cAfter)) {
            return Placement.UNKNOWN;
        }
        if (c2cBefore >= FAR_NS != c2cAfter >= FAR_NS) {
            return Placement.MOVED;
        }
        return c2cBefore >= FAR_NS ? Placement.FAR : Placement.NEAR;
    }
}
