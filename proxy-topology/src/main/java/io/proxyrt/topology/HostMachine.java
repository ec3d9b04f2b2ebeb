/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.progress.TransportAdapter;
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
    private static final HostMachines OF_HOST = new HostMachines(Topology::ofHost, NvidiaDriver::find);
    private static final Recent<HostRanks.Key, HostRanks> RANKS = new Recent<>();

    /**
     * Finds it. Blocks for as long as the kernel's files and GPUs' drivers take, the first time; for a driver that is
     * stuck, no longer than {@link io.proxyrt.core.config.CoreOptions#CONNECT_TIMEOUT} of the rank that asks first. A
     * driver that is there and told nothing is asked again the next time.
     *
     * @param config   effective settings
     * @param adapters of the network, by their numbers
     * @return as for any rank of the process with the same
     * @throws ProxyException as {@link SystemXml#read}; {@link ProxyResult#INVALID_USAGE} if the thread is interrupted
     *                        while another one looks
     */
    public static HostMachine find(ProxyConfig config, List<TransportAdapter> adapters) {
        return OF_HOST.find(config, adapters, true);
    }

    /**
     * The same for ranks on no GPU: without the links of NVIDIA's GPUs, for which their driver would have to be asked.
     *
     * @param config   effective settings
     * @param adapters of the network, by their numbers
     * @return as for any rank of the process with the same
     * @throws ProxyException as {@link SystemXml#read}; {@link ProxyResult#INVALID_USAGE} if the thread is interrupted
     *                        while another one looks
     */
    public static HostMachine findWithoutLinks(ProxyConfig config, List<TransportAdapter> adapters) {
        return OF_HOST.find(config, adapters, false);
    }

    /**
     * The same for channels that take another number of adapters.
     *
     * @param policy that says how many
     * @return this one, if it has that number
     */
    public HostMachine with(NetDevsPolicy policy) {
        return policy.equals(netDevs) ? this : new HostMachine(xml, knowsAdapters, policy);
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
