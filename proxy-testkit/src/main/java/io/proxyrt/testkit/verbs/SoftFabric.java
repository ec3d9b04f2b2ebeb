/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.QueuePairPath;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * A network of devices that are none. What is posted is done at once, by the thread that posts it, or later where a
 * test {@linkplain #hold() holds it back}. Any thread: one lock guards it all, and neither posts nor polls allocate.
 *
 * <pre>{@code
 * SoftFabric fabric = new SoftFabric();
 * fabric.addRoce("soft0", "10.0.0.1");
 * fabric.addRoce("soft1", "10.0.0.2");
 * Verbs one = fabric.host("soft0");
 * Verbs other = fabric.host("soft1");
 * }</pre>
 */
public final class SoftFabric {
    private final List<SoftDevice> devices = new ArrayList<>();
    private final List<SoftQueuePair> queuePairs = new ArrayList<>();
    private boolean isHeld;
    private int turn;

    /** A network without devices. */
    public SoftFabric() {
    }

    /**
     * Adds a device with one Ethernet port, which is up.
     *
     * @param name such as {@code soft0}
     * @param ipv4 the port's address: of entries 2 and 3 of its GID table, of RoCE v1 and v2, as drivers have it;
     *             entries 0 and 1 are link-local
     * @return to change it
     */
    public synchronized SoftDevice addRoce(String name, String ipv4) {
        SoftDevice device = new SoftDevice(this, name, devices.size() + 1);
        device.addPort(SoftPort.roce(device, 1, ipv4));
        return add(device);
    }

    /**
     * Adds a device with one InfiniBand port, which is up.
     *
     * @param name such as {@code soft0}
     * @param lid  the port's address
     * @return to change it
     */
    public synchronized SoftDevice addInfiniBand(String name, int lid) {
        SoftDevice device = new SoftDevice(this, name, devices.size() + 1);
        device.addPort(SoftPort.infiniBand(device, 1, lid));
        return add(device);
    }

    private SoftDevice add(SoftDevice device) {
        devices.add(device);
        return device;
    }

    /**
     * The verbs of a host, or of one process of it.
     *
     * @param names of the devices that it has; none for all that there are by now
     * @return others than any before, with counts of their own
     */
    public synchronized SoftVerbs host(String... names) {
        return new SoftVerbs(this, names.length == 0 ? List.copyOf(devices)
                : List.of(names).stream().map(this::device).toList());
    }

    /**
     * A device.
     *
     * @param name that it was added by
     * @return to change it
     */
    public synchronized SoftDevice device(String name) {
        return devices.stream().filter(device -> device.name().equals(name)).findFirst()
                .orElseThrow(() -> new NoSuchElementException("no device " + name));
    }

    /** Holds back all that is posted from now on, until {@link #step} or {@link #release}. */
    public synchronized void hold() {
        isHeld = true;
    }

    /**
     * Does one of the sends that are held back, of each queue pair in turn.
     *
     * @return whether there was one that could be done
     */
    public synchronized boolean step() {
        for (int i = 0; i < queuePairs.size(); i++) {
            turn = (turn + 1) % queuePairs.size();
            if (queuePairs.get(turn).step()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Does the first of a queue pair's sends that are held back.
     *
     * @param queuePair of a device of this fabric
     * @return whether there was one that could be done
     */
    public synchronized boolean step(QueuePair queuePair) {
        return ((SoftQueuePair) queuePair).step();
    }

    /** Does all that is held back, and holds back nothing any more. */
    public synchronized void release() {
        isHeld = false;
        runAll();
    }

    /** Ends the patience of all queue pairs that wait for an answer, or for a receive of the peer. */
    public synchronized void expire() {
        for (int i = 0; i < queuePairs.size(); i++) {
            queuePairs.get(i).expire();
        }
    }

    boolean isHeld() {
        return isHeld;
    }

    void add(SoftQueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    void remove(SoftQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    /** What waited for a port may pass now. */
    void runAll() {
        for (int i = 0; i < queuePairs.size(); i++) {
            queuePairs.get(i).run();
        }
    }

    /** Where a path leads, up or not; null if nowhere. */
    SoftPort find(SoftPort from, QueuePairPath path) {
        for (int i = 0; i < devices.size(); i++) {
            SoftPort port = devices.get(i).find(from, path);
            if (port != null) {
                return port;
            }
        }
        return null;
    }
}
