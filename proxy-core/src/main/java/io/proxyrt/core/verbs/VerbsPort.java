/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

/**
 * A port of a device: the part of {@code ibv_port_attr} that a network looks at.
 *
 * @param state           4 is active: {@code IBV_PORT_ACTIVE}
 * @param mtu             active MTU as verbs number it: 1 for 256 bytes, to 5 for 4096
 * @param gids            entries of its GID table
 * @param maxMessageBytes most bytes of one message
 * @param lid             address in an InfiniBand subnet; 0 over Ethernet
 * @param linkLayer       1 InfiniBand, 2 Ethernet
 * @param width           active width, a bit: 1, 2, 4, 8, 16 for 1, 4, 8, 12, 2 lanes
 * @param speed           active speed of a lane, a bit, as {@code active_speed}
 */
public record VerbsPort(int state, int mtu, int gids, long maxMessageBytes, int lid, int linkLayer, int width,
        int speed) {
    /** {@code IBV_PORT_ACTIVE}. */
    public static final int ACTIVE = 4;
    /** {@code IBV_LINK_LAYER_INFINIBAND}. */
    public static final int INFINIBAND = 1;
    /** {@code IBV_LINK_LAYER_ETHERNET}: RoCE. */
    public static final int ETHERNET = 2;

    private static final int[] WIDTHS = {1, 4, 8, 12, 2};
    /** SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR. */
    private static final int[] LANE_MBPS = {2500, 5000, 10_000, 10_000, 14_000, 25_000, 50_000, 100_000, 200_000};
    private static final int MTU_BYTES = 128;

    /**
     * Whether data can pass.
     *
     * @return true if the port is active
     */
    public boolean isActive() {
        return state == ACTIVE;
    }

    /**
     * How fast the port is: all lanes, as NCCL counts them.
     *
     * @return in 10^6 bits per second
     */
    public int speedMbps() {
        return lowest(WIDTHS, width) * lowest(LANE_MBPS, speed);
    }

    /** By the lowest bit that is set. */
    private static int lowest(int[] values, int bits) {
        return values[Math.min(Integer.numberOfTrailingZeros(bits), values.length - 1)];
    }

    /**
     * How large packets may be.
     *
     * @return bytes of {@link #mtu()}
     */
    public int mtuBytes() {
        return MTU_BYTES << mtu;
    }
}
