/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.Gid.Kind;
import io.proxyrt.core.verbs.QueuePairPath;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.core.verbs.VerbsPort;
import java.util.List;

/** A port of a {@link SoftDevice}. Any thread. */
public final class SoftPort {
    private static final long LINK_LOCAL = 0xfe80L << 48;
    private static final int DOWN = 1;
    private static final int MTU_4096 = 5;
    private static final int TABLE_ENTRIES = 16;
    private static final int MAX_MESSAGE_BYTES = 1 << 30;
    private static final int FOUR_LANES = 2;
    private static final int EDR = 32;
    private static final int INFINIBAND_PKEYS = 128;

    private final SoftDevice device;
    private final int number;
    private VerbsPort attributes;
    private List<Gid> gids;

    private SoftPort(SoftDevice device, int number, int lid, int linkLayer, List<Gid> gids) {
        this.device = device;
        this.number = number;
        this.attributes = new VerbsPort(VerbsPort.ACTIVE, MTU_4096, TABLE_ENTRIES, MAX_MESSAGE_BYTES, lid, linkLayer,
                FOUR_LANES, EDR);
        this.gids = gids;
    }

    static SoftPort roce(SoftDevice device, int number, String ipv4) {
        long mapped = 0xffffL;
        for (String part : ipv4.split("\\.")) {
            mapped = mapped << 8 | Integer.parseInt(part);
        }
        long local = device.guid() ^ 2L << 56 | number;
        return new SoftPort(device, number, 0, VerbsPort.ETHERNET, List.of(
                new Gid(LINK_LOCAL, local, Kind.ROCE_V1), new Gid(LINK_LOCAL, local, Kind.ROCE_V2),
                new Gid(0, mapped, Kind.ROCE_V1), new Gid(0, mapped, Kind.ROCE_V2)));
    }

    static SoftPort infiniBand(SoftDevice device, int number, int lid) {
        return new SoftPort(device, number, lid, VerbsPort.INFINIBAND,
                List.of(new Gid(LINK_LOCAL, device.guid() | number, Kind.IB)));
    }

    /** Breaks the link: what is posted waits, and fails when its time is up. */
    public void down() {
        attributes(new VerbsPort(DOWN, attributes.mtu(), attributes.gids(), attributes.maxMessageBytes(),
                attributes.lid(), attributes.linkLayer(), attributes.width(), attributes.speed()));
    }

    /** Mends the link. */
    public void up() {
        attributes(new VerbsPort(VerbsPort.ACTIVE, attributes.mtu(), attributes.gids(), attributes.maxMessageBytes(),
                attributes.lid(), attributes.linkLayer(), attributes.width(), attributes.speed()));
    }

    /**
     * Changes what the port says of itself; what that does to its state is an event.
     *
     * @param changed as {@code ibv_query_port} is to tell
     */
    public void attributes(VerbsPort changed) {
        synchronized (device.fabric()) {
            boolean wasActive = attributes.isActive();
            attributes = changed;
            if (wasActive != changed.isActive()) {
                device.tell(new VerbsEvent(wasActive ? VerbsEvent.PORT_ERR : VerbsEvent.PORT_ACTIVE, number));
                device.fabric().runAll();
            }
        }
    }

    /**
     * What the port says of itself.
     *
     * @return as last set
     */
    public VerbsPort attributes() {
        synchronized (device.fabric()) {
            return attributes;
        }
    }

    /**
     * Changes the port's addresses, which is an event.
     *
     * @param changed the beginning of its table; the rest is unused
     */
    public void gids(List<Gid> changed) {
        synchronized (device.fabric()) {
            gids = List.copyOf(changed);
            device.tell(new VerbsEvent(VerbsEvent.GID_CHANGE, number));
        }
    }

    SoftDevice device() {
        return device;
    }

    int number() {
        return number;
    }

    boolean isEthernet() {
        return attributes.linkLayer() == VerbsPort.ETHERNET;
    }

    /** Under the fabric's lock. */
    boolean isActive() {
        return attributes.isActive() && !device.isGone();
    }

    boolean hasPkey(int index) {
        return index >= 0 && index < (isEthernet() ? 1 : INFINIBAND_PKEYS);
    }

    Gid gid(int index) {
        return index < gids.size() ? gids.get(index) : new Gid(0, 0, isEthernet() ? Kind.ROCE_V1 : Kind.IB);
    }

    /** Whether a path from another port leads here. */
    boolean isAt(SoftPort from, QueuePairPath path) {
        if (from.attributes.linkLayer() != attributes.linkLayer()) {
            return false;
        }
        return isEthernet() ? hasGid(path.remoteGid(), from.gid(path.gidIndex()).kind())
                : attributes.lid() == path.remoteLid();
    }

    /** Whether what is sent from here, by an entry of the table, is what a path at another port expects. */
    boolean isSource(int gidIndex, SoftPort to, QueuePairPath path) {
        if (!isEthernet()) {
            return attributes.lid() == path.remoteLid();
        }
        Gid gid = gid(gidIndex);
        Gid expected = path.remoteGid();
        return gid.high() == expected.high() && gid.low() == expected.low()
                && gid.kind() == to.gid(path.gidIndex()).kind();
    }

    /** Of the kind that the sender uses, whatever the kind was called on the way. */
    private boolean hasGid(Gid wanted, Kind kind) {
        for (int i = 0; i < gids.size(); i++) {
            Gid gid = gids.get(i);
            if (gid.high() == wanted.high() && gid.low() == wanted.low() && gid.kind() == kind) {
                return true;
            }
        }
        return false;
    }
}
