/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.verbs.QueuePairPath;
import io.proxyrt.core.verbs.VerbsDevice;
import io.proxyrt.core.verbs.VerbsEvent;
import java.util.ArrayList;
import java.util.List;

/** A device of a {@link SoftFabric}. Any thread. */
public final class SoftDevice {
    private static final long GUID = 0x0200_5e00_0000_0000L;
    private static final int FIRST_NUMBER = 17;
    private static final int LOCAL_KEY = 0x2a;
    private static final int REMOTE_KEY = 0xd5;

    private final SoftFabric fabric;
    private final String name;
    private final long guid;
    private final List<SoftPort> ports = new ArrayList<>();
    private final List<SoftContext> contexts = new ArrayList<>();
    private final List<SoftQueuePair> queuePairs = new ArrayList<>();
    private final List<SoftRegion> regions = new ArrayList<>();
    private VerbsDevice attributes;
    private String pciPath = "";
    private int openQueuePairs;
    private int openRegions;
    private boolean isGone;
    private boolean isKeepingCompletions;

    SoftDevice(SoftFabric fabric, String name, int index) {
        this.fabric = fabric;
        this.name = name;
        this.guid = GUID | (long) index << 16;
        this.attributes = new VerbsDevice("soft", guid, 0x1af4, 1L << 40, 1 << 16, 1 << 12, 1 << 14, 32, 1 << 20, 16,
                0);
    }

    /**
     * Its name.
     *
     * @return as it was added
     */
    public String name() {
        return name;
    }

    /**
     * One of its ports.
     *
     * @param number from 1 on
     * @return to change it
     */
    public SoftPort port(int number) {
        synchronized (fabric) {
            return ports.get(number - 1);
        }
    }

    /**
     * Adds an Ethernet port.
     *
     * @param ipv4 its address, as {@link SoftFabric#addRoce} has it
     * @return to change it
     */
    public SoftPort addRocePort(String ipv4) {
        synchronized (fabric) {
            return addPort(SoftPort.roce(this, ports.size() + 1, ipv4));
        }
    }

    /**
     * Adds an InfiniBand port.
     *
     * @param lid its address
     * @return to change it
     */
    public SoftPort addInfiniBandPort(int lid) {
        synchronized (fabric) {
            return addPort(SoftPort.infiniBand(this, ports.size() + 1, lid));
        }
    }

    /**
     * Changes what the device says of itself. Its limits on regions, queue pairs, work requests, pieces and completions
     * are kept.
     *
     * @param changed as {@code ibv_query_device} is to tell, the number of ports excepted
     * @return this
     */
    public SoftDevice attributes(VerbsDevice changed) {
        synchronized (fabric) {
            attributes = changed;
            return this;
        }
    }

    /**
     * What the device says of itself.
     *
     * @return as last set, with the number of ports
     */
    public VerbsDevice attributes() {
        synchronized (fabric) {
            VerbsDevice a = attributes;
            return new VerbsDevice(a.firmware(), a.guid(), a.vendorId(), a.maxMrBytes(), a.maxMrs(), a.maxQps(),
                    a.maxWrs(), a.maxSges(), a.maxCqes(), a.maxReads(), ports.size());
        }
    }

    /**
     * Puts the device somewhere.
     *
     * @param path of its PCI function in sysfs
     * @return this
     */
    public SoftDevice pciPath(String path) {
        synchronized (fabric) {
            pciPath = path;
            return this;
        }
    }

    /**
     * Has completions of a queue pair stay in their queue when it is destroyed, as soft-RoCE does; others drop them.
     *
     * @return this
     */
    public SoftDevice keepCompletions() {
        synchronized (fabric) {
            isKeepingCompletions = true;
            return this;
        }
    }

    /** Breaks the device: its queue pairs fail, and it answers no call any more. */
    public void fail() {
        synchronized (fabric) {
            isGone = true;
            tell(new VerbsEvent(VerbsEvent.DEVICE_FATAL, 0));
            for (SoftQueuePair queuePair : queuePairs) {
                if (queuePair != null) {
                    queuePair.fail();
                }
            }
        }
    }

    SoftFabric fabric() {
        return fabric;
    }

    long guid() {
        return guid;
    }

    String pciPath() {
        return pciPath;
    }

    boolean isKeepingCompletions() {
        return isKeepingCompletions;
    }

    boolean isGone() {
        return isGone;
    }

    /** What keeps a call from an answer. */
    void requirePresent(String what) {
        if (isGone) {
            throw SoftErrors.refused("cannot " + what + " of " + name, SoftErrors.EIO);
        }
    }

    SoftPort addPort(SoftPort port) {
        ports.add(port);
        return port;
    }

    /** One of its ports; null if it has none of that number. */
    SoftPort portOrNull(int number) {
        return number >= 1 && number <= ports.size() ? ports.get(number - 1) : null;
    }

    SoftPort find(SoftPort from, QueuePairPath path) {
        for (int i = 0; i < ports.size(); i++) {
            if (ports.get(i).isAt(from, path)) {
                return ports.get(i);
            }
        }
        return null;
    }

    void tell(VerbsEvent event) {
        contexts.forEach(context -> context.tell(event));
        fabric.notifyAll();
    }

    void add(SoftContext context) {
        contexts.add(context);
    }

    void remove(SoftContext context) {
        contexts.remove(context);
    }

    /** Gives a queue pair its number. */
    int add(SoftQueuePair queuePair) {
        if (openQueuePairs == attributes.maxQps()) {
            throw SoftErrors.refused("cannot make a queue pair of " + name, SoftErrors.ENOMEM);
        }
        openQueuePairs++;
        queuePairs.add(queuePair);
        return FIRST_NUMBER + queuePairs.size() - 1;
    }

    void remove(SoftQueuePair queuePair) {
        openQueuePairs--;
        queuePairs.set(queuePair.number() - FIRST_NUMBER, null);
    }

    /** Null if there is none of that number. */
    SoftQueuePair queuePair(int number) {
        int index = number - FIRST_NUMBER;
        return index >= 0 && index < queuePairs.size() ? queuePairs.get(index) : null;
    }

    /** Gives a region its index, of which its keys are made. */
    int add(SoftRegion region) {
        if (openRegions == attributes.maxMrs()) {
            throw SoftErrors.refused("cannot register memory with " + name, SoftErrors.ENOMEM);
        }
        openRegions++;
        regions.add(region);
        return regions.size() - 1;
    }

    void remove(int index) {
        openRegions--;
        regions.set(index, null);
    }

    static int localKey(int index) {
        return index << 8 | LOCAL_KEY;
    }

    static int remoteKey(int index) {
        return index << 8 | REMOTE_KEY;
    }

    /** The region of a local key; null if there is none. */
    SoftRegion local(int key) {
        return region(key, LOCAL_KEY);
    }

    /** The region of a remote key; null if there is none. */
    SoftRegion remote(int key) {
        return region(key, REMOTE_KEY);
    }

    private SoftRegion region(int key, int kind) {
        int index = key >>> 8;
        return (key & 0xff) == kind && index < regions.size() ? regions.get(index) : null;
    }
}
