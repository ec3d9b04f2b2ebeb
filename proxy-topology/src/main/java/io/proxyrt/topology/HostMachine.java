/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.topology.xml.XmlDocument;
import java.nio.file.Path;
import java.util.List;

/**
 * What this host is made of, with the adapters that a network has here. Remembered, so that the ranks of a process look
 * once. Immutable; any thread.
 *
 * @param xml           what {@link TopologyOptions#TOPO_FILE} says, or else the system, with the adapters in place of
 *                      all others
 * @param knowsAdapters whether it knows the place of an adapter
 * @param netDevs       how many of them the channels of a rank take
 */
public record HostMachine(SystemXml xml, boolean knowsAdapters, NetDevsPolicy netDevs) {
    private static final Recent<Source, HostMachine> MACHINES = new Recent<>();
    private static final Recent<HostRanks.Key, HostRanks> RANKS = new Recent<>();

    /**
     * What it is found from.
     *
     * @param file     that says it; empty for the system
     * @param text     of the file
     * @param adapters of the network
     * @param netDevs  how many of them are taken
     * @param driver   tells how NVIDIA's GPUs are linked
     */
    private record Source(String file, String text, List<TransportAdapter> adapters, NetDevsPolicy netDevs,
            Driver driver) {
    }

    /** Whether GPUs' drivers are asked: one that is not loaded yet may take seconds. */
    private enum Driver { ASKED, LEFT_ALONE }

    /**
     * Finds it. Blocks for as long as the kernel's files and GPUs' drivers take, the first time.
     *
     * @param config   effective settings
     * @param adapters of the network, by their numbers
     * @return as for any rank of the process with the same
     * @throws ProxyException as {@link SystemXml#read}
     */
    public static HostMachine find(ProxyConfig config, List<TransportAdapter> adapters) {
        return find(config, adapters, Driver.ASKED);
    }

    /**
     * The same for ranks on no GPU: without the links of NVIDIA's GPUs, for which their driver would have to be asked.
     *
     * @param config   effective settings
     * @param adapters of the network, by their numbers
     * @return as for any rank of the process with the same
     * @throws ProxyException as {@link SystemXml#read}
     */
    public static HostMachine findWithoutLinks(ProxyConfig config, List<TransportAdapter> adapters) {
        return find(config, adapters, Driver.LEFT_ALONE);
    }

    private static HostMachine find(ProxyConfig config, List<TransportAdapter> adapters, Driver driver) {
        String file = config.get(TopologyOptions.TOPO_FILE);
        String text = file.isEmpty() ? "" : XmlDocument.text(Path.of(file));
        return MACHINES.get(new Source(file, text, List.copyOf(adapters),
                config.get(TopologyOptions.NETDEVS_POLICY), driver), HostMachine::of);
    }

    private static HostMachine of(Source source) {
        HostMachine machine = source.file.isEmpty() ? ofHost(source.adapters, source.driver)
                : SystemXml.parse(source.file, source.text).with(source.adapters);
        return machine.netDevs(source.netDevs);
    }

    private static HostMachine ofHost(List<TransportAdapter> adapters, Driver driver) {
        Topology host = Topology.ofHost();
        NvidiaDriver asked = driver == Driver.ASKED ? NvidiaDriver.find()
                : gpus -> new NvidiaDriver.Answer(List.of(), List.of());
        return new HostMachine(SystemDetection.of(host, asked, adapters),
                adapters.stream().anyMatch(adapter -> host.pciDeviceAt(adapter.pciPath()).isPresent()),
                NetDevsPolicy.AUTO);
    }

    HostMachine netDevs(NetDevsPolicy policy) {
        return new HostMachine(xml, knowsAdapters, policy);
    }

    /**
     * What it says to ranks that are on it.
     *
     * @param places of these ranks; their host ids are not looked at
     * @return their paths
     * @throws ProxyException as {@link TopologyGraph#of(SystemXml, List)}
     */
    public HostRanks ranks(List<RankPlace> places) {
        return RANKS.get(new HostRanks.Key(this, List.copyOf(places)), HostRanks::new);
    }
}
