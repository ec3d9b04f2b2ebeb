/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.transport.net.IbOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The adapters of this host, and which of their ports are used.
 *
 * @param devices  in the order of verbs
 * @param adapters open
 * @param findings a line for each port: whether it is used, why, and what would change that
 */
record IbDevices(List<IbDevice> devices, List<IbAdapter> adapters, List<String> findings) implements AutoCloseable {
    private static final int MAX_DEVICES = 32;

    /** Opens the adapters that are used. */
    static IbDevices open(Verbs verbs, Supplier<Topology> host, IbSettings settings) {
        List<IbAdapter> adapters = new ArrayList<>();
        List<String> findings = new ArrayList<>();
        try {
            if (settings.discovery().isDisabled()) {
                findings.add("devices: not used, " + IbOptions.DISABLE + " is 1");
            } else if (!verbs.whyNot().isEmpty()) {
                findings.add("devices: not used, " + verbs.whyNot());
            } else {
                return new Search(settings, adapters, findings).of(verbs, host);
            }
        } catch (RuntimeException | Error e) {
            closing(adapters);
            throw e;
        }
        return new IbDevices(List.of(), List.of(), List.copyOf(findings));
    }

    /** A search under way. */
    private record Search(IbSettings settings, List<IbAdapter> adapters, List<String> findings) {
        IbDevices of(Verbs verbs, Supplier<Topology> host) {
            PortGroups groups = new PortGroups(settings.discovery().merging(), host);
            for (String name : names(verbs)) {
                look(verbs, name).forEach(groups::add);
            }
            List<IbDevice> all = groups.devices();
            all.stream().skip(MAX_DEVICES).forEach(device -> findings.add(device.name() + ": not used, " + MAX_DEVICES
                    + " devices come before it, which is as many as are used; to use it, leave others out by "
                    + IbOptions.HCA));
            List<IbDevice> devices = all.stream().limit(MAX_DEVICES).toList();
            closeUnused(devices);
            return new IbDevices(devices, List.copyOf(adapters), List.copyOf(findings));
        }

        private void closeUnused(List<IbDevice> devices) {
            Set<IbAdapter> used = devices.stream().flatMap(device -> device.ports().stream()).map(IbPort::adapter)
                    .collect(Collectors.toSet());
            List<IbAdapter> unused = adapters.stream().filter(adapter -> !used.contains(adapter)).toList();
            adapters.removeAll(unused);
            try {
                closing(unused).end();
            } catch (ProxyException e) {
                findings.add("devices: one that is not used stays open, " + e.getMessage());
            }
        }

        private List<String> names(Verbs verbs) {
            try {
                List<String> names = verbs.devices();
                if (names.isEmpty()) {
                    findings.add("devices: not used, this host has no RDMA device");
                }
                return names;
            } catch (ProxyException e) {
                findings.add("devices: not used, " + e.getMessage());
                return List.of();
            }
        }

        private List<IbPort> look(Verbs verbs, String name) {
            List<IbPort> all = new ArrayList<>();
            try {
                IbAdapter adapter = IbAdapter.of(verbs.open(name));
                adapters.add(adapter);
                List<VerbsPort> ports = ports(adapter);
                for (int i = 0; i < ports.size(); i++) {
                    IbPort used = used(adapter, i + 1, ports.get(i));
                    if (used != null) {
                        all.add(used);
                    }
                }
            } catch (ProxyException e) {
                findings.add(name + ": not used, " + e.getMessage());
            }
            return all;
        }

        /** All of an adapter, or none: one that does not answer is not used by half. */
        private static List<VerbsPort> ports(IbAdapter adapter) {
            int most = adapter.attributes().maxWrs();
            if (most < IbSendComm.LEAST_SENDS) {
                throw new ProxyException(ProxyResult.SYSTEM_ERROR, "a queue of its queue pairs holds " + most
                        + " work requests, and a group of messages takes up to " + IbSendComm.LEAST_SENDS);
            }
            return IntStream.rangeClosed(1, adapter.attributes().ports()).mapToObj(adapter.context()::port).toList();
        }

        /** Null if the port is not used. */
        private IbPort used(IbAdapter adapter, int number, VerbsPort attributes) {
            IbPort port = new IbPort(adapter, number, attributes, settings.path().gid());
            String layer = attributes.linkLayer() == VerbsPort.INFINIBAND ? "InfiniBand" : "RoCE";
            if (!settings.discovery().filter().accepts(adapter.name(), number)) {
                findings.add(port.name() + ": not used, " + IbOptions.HCA + " or " + IbOptions.HCA.alias()
                        + " leaves it out; to use it, name it there");
                return null;
            }
            if (!attributes.isActive()) {
                findings.add(port.name() + ": not used, it is in state " + attributes.state()
                        + "; to use it, bring its link up first");
                return null;
            }
            findings.add(port.name() + ": " + layer + ", " + port.speedMbps() + " Mb/s, " + address(port));
            return port;
        }

        private static String address(IbPort port) {
            try {
                IbAddress address = port.address();
                return address.linkLayer() == VerbsPort.INFINIBAND ? "LID " + address.lid()
                        : "GID " + address.gidIndex() + " " + address.gid() + ", see " + IbOptions.GID_INDEX;
            } catch (ProxyException e) {
                return e.getMessage();
            }
        }
    }

    @Override
    public void close() {
        closing(adapters).end();
    }

    private static Closing closing(List<IbAdapter> adapters) {
        adapters.forEach(IbAdapter::stop);
        Closing closing = new Closing();
        adapters.forEach(closing::add);
        return closing;
    }
}
