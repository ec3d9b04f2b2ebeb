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
public record VerbsPort(int state, int mtu, int gids, int maxMessageBytes, int lid, int linkLayer, int width,
        int speed) {
    /** {@code IBV_PORT_ACTIVE}. */
    public static final int ACTIVE = 4;
    /** {@code IBV_LINK_LAYER_INFINIBAND}. */
    public static final int INFINIBAND = 1;
    /** {@code IBV_LINK_LAYER_ETHERNET}: RoCE. */
    public static final int ETHERNET = 2;

    /**
     * Whether data can pass.
     *
     * @return true if the port is active
     */
    public boolean isActive() {
        return state == ACTIVE;
    }
}
