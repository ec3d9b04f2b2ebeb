/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.transport.net.IbOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    static IbDevices open(Verbs verbs, IbSettings settings) {
        List<IbAdapter> adapters = new ArrayList<>();
        List<String> findings = new ArrayList<>();
        try {
            if (settings.discovery().isDisabled()) {
                findings.add("not used, " + IbOptions.DISABLE + " is 1");
            } else if (!verbs.whyNot().isEmpty()) {
                findings.add("not used, " + verbs.whyNot());
            } else {
                return new Search(settings, adapters, findings).of(verbs);
            }
        } catch (RuntimeException | Error e) {
            close(adapters);
            throw e;
        }
        return new IbDevices(List.of(), List.of(), List.copyOf(findings));
    }

    /** A search under way. */
    private record Search(IbSettings settings, List<IbAdapter> adapters, List<String> findings) {
        IbDevices of(Verbs verbs) {
            Map<String, List<IbPort>> groups = new LinkedHashMap<>();
            Map<String, String> paths = new LinkedHashMap<>();
            for (String name : names(verbs)) {
                look(verbs, name, groups, paths);
            }
            List<IbDevice> devices = groups.entrySet().stream().limit(MAX_DEVICES)
                    .map(group -> new IbDevice(List.copyOf(group.getValue()), paths.get(group.getKey()))).toList();
            return new IbDevices(devices, List.copyOf(adapters), List.copyOf(findings));
        }

        private List<String> names(Verbs verbs) {
            try {
                List<String> names = verbs.devices();
                if (names.isEmpty()) {
                    findings.add("not used, this host has no RDMA device");
                }
                return names;
            } catch (ProxyException e) {
                findings.add("not used, " + e.getMessage());
                return List.of();
            }
        }

        private void look(Verbs verbs, String name, Map<String, List<IbPort>> groups, Map<String, String> paths) {
            try {
                VerbsContext context = verbs.open(name);
                IbAdapter adapter = IbAdapter.of(context);
                adapters.add(adapter);
                String path = PciPath.ofAdapter(context.pciPath(), settings.discovery().isMergingVfs());
                for (int port = 1; port <= adapter.attributes().ports(); port++) {
                    IbPort used = used(adapter, port);
                    if (used != null) {
                        String key = key(groups, used, path);
                        groups.computeIfAbsent(key, any -> new ArrayList<>()).add(used);
                        paths.putIfAbsent(key, path);
                    }
                }
            } catch (ProxyException e) {
                findings.add(name + ": not used, " + e.getMessage());
            }
        }

        /** Null if the port is not used. */
        private IbPort used(IbAdapter adapter, int number) {
            VerbsPort attributes = adapter.context().port(number);
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

        /** What devices are told apart by: the adapter, if its ports are merged and it has room for another one. */
        private String key(Map<String, List<IbPort>> groups, IbPort port, String path) {
            String key = path + " " + port.linkLayer();
            List<IbPort> group = groups.getOrDefault(key, List.of());
            boolean isMerged = settings.discovery().isMerging() && !path.isEmpty() && group.size() < IbDevice.MAX_PORTS;
            return isMerged ? key : port.name();
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
        close(adapters);
    }

    private static void close(List<IbAdapter> adapters) {
        adapters.forEach(IbAdapter::stop);
        adapters.forEach(IbAdapter::close);
    }
}
