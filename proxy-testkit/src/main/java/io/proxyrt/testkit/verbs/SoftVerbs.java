/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsContext;
import java.util.List;

/**
 * The verbs of a host on a {@link SoftFabric}: the faithful stand-in for libibverbs where there is no RDMA. Queue pairs
 * are of type RC: in order, with states, retries and receives that run out. Where devices differ it is the strict one:
 * slots of a send queue are free only when a later signalled completion has been polled, and queues hold no more than
 * was asked for. What it does not have: dma-bufs, packets, and time, that of retries excepted.
 */
public final class SoftVerbs implements Verbs {
    private final SoftFabric fabric;
    private final List<SoftDevice> devices;
    private final SoftCounters counters = new SoftCounters();

    SoftVerbs(SoftFabric fabric, List<SoftDevice> devices) {
        this.fabric = fabric;
        this.devices = devices;
    }

    @Override
    public String name() {
        return "soft verbs";
    }

    @Override
    public String whyNot() {
        return "";
    }

    @Override
    public List<String> devices() {
        return devices.stream().map(SoftDevice::name).toList();
    }

    @Override
    public VerbsContext open(String name) {
        SoftDevice device = devices.stream().filter(each -> each.name().equals(name)).findFirst()
                .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_ARGUMENT, "there is no RDMA device " + name
                        + " here, only " + devices()));
        synchronized (fabric) {
            device.requirePresent("open the device");
            return new SoftContext(device, counters);
        }
    }

    /**
     * What this host has asked its devices for.
     *
     * @return the sums over all contexts it has opened
     */
    public VerbsCounts counts() {
        synchronized (fabric) {
            return counters.counts();
        }
    }
}
