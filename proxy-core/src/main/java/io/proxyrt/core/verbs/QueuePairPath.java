/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

/**
 * How a queue pair reaches its peer's: what RTR needs.
 *
 * @param remoteNumber of the peer's queue pair
 * @param mtu          of the path, as {@link VerbsPort#mtu()} numbers it
 * @param remoteLid    of the peer's port; of no matter over Ethernet
 * @param remoteGid    of the peer's port; null to go by LID alone
 * @param gidIndex     in the table of one's own port
 * @param port         one's own
 * @param serviceLevel {@code sl}
 * @param trafficClass of packets with a GID
 * @param maxReads     RDMA reads and atomics that the peer may have under way
 * @param minRnrTimer  how long the peer is to wait where no receive is posted, as verbs number it
 */
public record QueuePairPath(int remoteNumber, int mtu, int remoteLid, Gid remoteGid, int gidIndex, int port,
        int serviceLevel, int trafficClass, int maxReads, int minRnrTimer) {
    /** Routers that a packet may pass. */
    public static final int HOP_LIMIT = 255;
}
