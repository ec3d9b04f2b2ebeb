/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.Direction;
import io.proxyrt.core.device.Copier;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.progress.TransportContext;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The lanes of a transport: one for each peer and direction, from the first connection on. */
public final class CopyLanes implements AutoCloseable {
    private final Device device;
    private final int rank;
    private final Copiers copiers;
    private final Map<Key, CopyLane> byPeer = new HashMap<>();
    /** For the progress thread, which only reads; the service thread puts a new one here. */
    private volatile CopyLane[] all = {};

    private record Key(int peer, Direction direction) {}

    /**
     * None yet.
     *
     * @param context of the transport; its device stays the caller's
     */
    public CopyLanes(TransportContext context) {
        this.device = context.device();
        this.rank = context.rank();
        this.copiers = new Copiers(Platform.find(), context.config(), rank);
    }

    /**
     * What copies the slots of a connection. Service thread.
     *
     * @param end          of this rank
     * @param simpleBytes  of all slots
     * @param cpuCopyBytes up to which size the progress thread copies by itself, if the CPU reaches the device's memory
     * @return to be connected and closed by its owner, before this
     */
    public CopyEngine engine(ConnectorEnd end, long simpleBytes, long cpuCopyBytes) {
        CopyLane lane = byPeer.computeIfAbsent(new Key(end.remoteRank(), end.direction()), this::open);
        Copier copier = copiers.of(end.direction(), "rank " + end.remoteRank() + " in copy-engine mode");
        return new CopyEngine(device, lane, copier, end.direction(), simpleBytes, cpuCopyBytes);
    }

    private CopyLane open(Key key) {
        String between = key.direction == Direction.SEND ? "-to-" : "-from-";
        CopyLane lane = new CopyLane(device, "proxy-copy-" + rank + between + key.peer);
        CopyLane[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = lane;
        all = more;
        return lane;
    }

    /** Gives the device what has gathered, and asks it how far it is. Progress thread, between passes. */
    void poll() {
        for (CopyLane lane : all) {
            lane.pollIfBusy();
        }
    }

    @Override
    public void close() {
        try (Owned owned = new Owned()) {
            for (CopyLane lane : all) {
                owned.add(lane);
            }
        }
        byPeer.clear();
        all = new CopyLane[0];
    }
}
