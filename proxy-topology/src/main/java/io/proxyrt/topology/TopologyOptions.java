/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.util.List;

/** The options of topologies. */
public final class TopologyOptions implements OptionsProvider {
    /** What the host is made of. */
    public static final Option<String> TOPO_FILE = Option.ofString("topo.file", "NCCL_TOPO_FILE", "",
            "XML file that says what the host is made of; empty: the system is asked")
            .when("the system does not tell, as in a virtual machine, or another machine is to be looked at");
    /** Where to what the host is made of is written. */
    public static final Option<String> TOPO_DUMP_FILE = Option.ofString("topo.dump.file", "NCCL_TOPO_DUMP_FILE", "",
            "XML file to which what the host is made of is written; empty: none")
            .when("NCCL, RCCL or a later run is to have the same");
    /** Rings and trees that are to be taken. */
    public static final Option<String> GRAPH_FILE = Option.ofString("graph.file", "NCCL_GRAPH_FILE", "",
            "XML file with rings and trees that are taken instead of those that a search finds; empty: none")
            .when("another search, such as NCCL's, found better ones");
    /** Where to rings and trees are written. */
    public static final Option<String> GRAPH_DUMP_FILE = Option.ofString(
            "graph.dump.file", "NCCL_GRAPH_DUMP_FILE", "",
            "XML file to which the rings and trees that were found are written; empty: none")
            .when("NCCL, RCCL or a later run is to have the same");

    /** How many adapters are taken. */
    public static final Option<NetDevsPolicy> NETDEVS_POLICY = Option.of(
            "topo.netdevs.policy", "NCCL_NETDEVS_POLICY", NetDevsPolicy.AUTO, NetDevsPolicy::parse,
            "AUTO, ALL, MAX:N",
            "how many of the adapters nearest to a rank's device its channels take in turn: AUTO: its share, where "
            + "GPUs are equally near; ALL; MAX:N: N at most")
            .when("GPUs do not send at the same time, or an adapter is to be used by fewer");

    /** For {@link java.util.ServiceLoader}. */
    public TopologyOptions() {
    }

    @Override
    public String title() {
        return "Topology, for communicators and proxyrt info topology";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(TOPO_FILE, TOPO_DUMP_FILE, GRAPH_FILE, GRAPH_DUMP_FILE, NETDEVS_POLICY);
    }
}
