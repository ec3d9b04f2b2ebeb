/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.util.Locale;

/**
 * How fast a device is attached to its bus, at best. Immutable.
 *
 * @param gigatransfers a second on each lane; 0 if it is not known
 * @param lanes         how many; 0 if it is not known
 */
public record PciLink(double gigatransfers, int lanes) {
    /** Of a device that does not say. */
    public static final PciLink UNKNOWN = new PciLink(0, 0);
    /** What RCCL takes for a speed or a width that is not told. */
    private static final double USUAL_GIGATRANSFERS = 8;
    private static final int USUAL_LANES = 16;
    /** Of generation 3 the 16 lanes carry 12 GB/s, others in proportion. */
    private static final double GB_PER_LANE_AND_GT = 12.0 / 16 / 8;

    /**
     * What data get of it in one direction, by RCCL's rule of thumb.
     *
     * @return GB/s, greater than 0
     */
    public double gigabytesPerSecond() {
        return (gigatransfers > 0 ? gigatransfers : USUAL_GIGATRANSFERS) * (lanes > 0 ? lanes : USUAL_LANES)
                * GB_PER_LANE_AND_GT;
    }

    /**
     * What is left of two links in a row.
     *
     * @param other of the port above
     * @return the slower speed and the lesser width, where both are known
     */
    public PciLink and(PciLink other) {
        return new PciLink(gigatransfers == 0 || other.gigatransfers > 0 && other.gigatransfers < gigatransfers
                ? other.gigatransfers : gigatransfers,
                lanes == 0 || other.lanes > 0 && other.lanes < lanes ? other.lanes : lanes);
    }

    /** For people. */
    @Override
    public String toString() {
        return gigatransfers == 0 || lanes == 0 ? "not known"
                : String.format(Locale.ROOT, "%s GT/s x%d", Double.toString(gigatransfers).replaceAll("\\.0$", ""),
                        lanes);
    }
}
