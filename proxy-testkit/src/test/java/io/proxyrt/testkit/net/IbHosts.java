/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsDevice;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.testkit.verbs.SoftDevice;
import io.proxyrt.testkit.verbs.SoftFabric;
import io.proxyrt.testkit.verbs.SoftVerbs;
import io.proxyrt.transport.net.ib.IbNetProvider;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Two hosts with RDMA adapters of software between them, and their IB networks. */
final class IbHosts {
    private static final Map<String, String> LOOPBACK = Map.of("net.socket.ifname", "=lo",
            "net.socket.retry.count", "2", "net.socket.retry.sleep", "1ms");

    final SoftFabric fabric = new SoftFabric();
    final SoftDevice[] devices = new SoftDevice[2];
    final SoftVerbs[] verbs = new SoftVerbs[2];
    private final Map<String, String> options = new HashMap<>(LOOPBACK);

    private IbHosts(Map<String, String> options) {
        this.options.putAll(options);
    }

    /** With one RoCE port each. */
    static IbHosts roce(Map<String, String> options) {
        IbHosts hosts = new IbHosts(options);
        for (int rank = 0; rank < 2; rank++) {
            hosts.devices[rank] = hosts.fabric.addRoce("soft" + rank, "10.0.0." + (rank + 1));
            hosts.verbs[rank] = hosts.fabric.host("soft" + rank);
        }
        return hosts;
    }

    /** With one InfiniBand port each. */
    static IbHosts infiniBand(Map<String, String> options) {
        IbHosts hosts = new IbHosts(options);
        for (int rank = 0; rank < 2; rank++) {
            hosts.devices[rank] = hosts.fabric.addInfiniBand("soft" + rank, rank + 1);
            hosts.verbs[rank] = hosts.fabric.host("soft" + rank);
        }
        return hosts;
    }

    /** Gives a host's adapter more ports, of one device. */
    IbHosts merge(int rank, int ports) {
        devices[rank].pciPath("/sys/devices/pci0000:80/0000:86:00." + rank);
        for (int port = 2; port <= ports; port++) {
            devices[rank].addRocePort("10.0." + port + "." + (rank + 1));
        }
        return this;
    }

    /** Has all ports take no more bytes in a message, as soft-RoCE does. */
    IbHosts maxMessageBytes(int bytes) {
        for (SoftDevice device : devices) {
            VerbsPort is = device.port(1).attributes();
            device.port(1).attributes(new VerbsPort(is.state(), is.mtu(), is.gids(), bytes, is.lid(), is.linkLayer(),
                    is.width(), is.speed()));
        }
        return this;
    }

    /** Gives the adapters a second port, which is another device. */
    IbHosts secondPorts() {
        for (int rank = 0; rank < 2; rank++) {
            devices[rank].addRocePort("10.0.1." + (rank + 1));
        }
        return this;
    }

    /** Has the queues of all adapters hold no more. */
    IbHosts limits(int maxWrs, int maxCqes) {
        for (SoftDevice device : devices) {
            VerbsDevice is = device.attributes();
            device.attributes(new VerbsDevice(is.firmware(), is.guid(), is.vendorId(), is.maxMrBytes(), is.maxMrs(),
                    is.maxQps(), maxWrs, is.maxSges(), maxCqes, is.maxReads(), is.ports()));
        }
        return this;
    }

    /** A host's network. */
    NetPlugin open(int rank) {
        return open(rank, verbs[rank]);
    }

    /** A host's network by other verbs. */
    NetPlugin open(int rank, Verbs by) {
        return open(rank, by, Topology::ofHost);
    }

    /** A host's network of adapters that are elsewhere. */
    NetPlugin open(int rank, Verbs by, Supplier<Topology> host) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of());
        options.forEach(config::set);
        return new IbNetProvider(() -> by, host).create(config.build(), rank);
    }
}
