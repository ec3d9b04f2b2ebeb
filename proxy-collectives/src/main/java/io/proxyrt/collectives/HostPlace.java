/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankGroup;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.topology.GraphXml;
import io.proxyrt.topology.HostMachine;
import io.proxyrt.topology.HostRanks;
import io.proxyrt.topology.RankPlace;
import io.proxyrt.topology.TopologyOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * What the topology of this rank's host says to it. Where it says nothing, as of GPUs and adapters that are not in it,
 * all goes by numbers, as if there were none; only a file that cannot be read is an error.
 */
final class HostPlace {
    private static final Logger LOG = Subsystem.GRAPH.logger();
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private final ProxyConfig config;
    private final List<TransportAdapter> adapters;
    private final List<PeerInfo> infos;
    private final List<Integer> locals;
    private final String self;
    private final int rank;
    private final boolean isOnGpu;
    /** Null until it is looked for. */
    private HostMachine machine;

    /**
     * For a rank.
     *
     * @param infos of all ranks of the group
     * @param nodes of these
     */
    HostPlace(ProxyState proxy, RankGroup group, List<PeerInfo> infos, Nodes nodes, boolean isOnGpu) {
        this.config = proxy.config();
        this.adapters = proxy.adapters();
        this.self = group.self();
        this.rank = group.rank();
        this.isOnGpu = isOnGpu;
        this.infos = infos;
        this.locals = nodes.ranks().get(nodes.nodeOf(rank));
    }

    /** The adapters that channels take in turn; none if the transport is to choose. */
    int[] adapters() {
        if (adapters.size() < 2) {
            return new int[0];
        }
        if (config.get(TopologyOptions.TOPO_FILE).isEmpty()
                && adapters.stream().allMatch(adapter -> adapter.pciPath().isEmpty())) {
            return all("they are virtual");
        }
        Optional<RankPlace> ofHost = isOnGpu ? Optional.empty() : RankPlace.ofThisProcess(config);
        if (!isOnGpu && ofHost.isEmpty()) {
            return all("its CPUs are of several NUMA nodes, or the system does not tell");
        }
        HostMachine found = machine();
        try {
            return nearest(found.ranks(ofHost.map(List::of).orElseGet(this::places)),
                    isOnGpu ? locals.indexOf(rank) : 0);
        } catch (ProxyException e) {
            return all(e.getMessage());
        }
    }

    private int[] nearest(HostRanks ranks, int own) {
        List<Integer> near = ranks.adapters(own);
        if (near.isEmpty()) {
            return all("the topology knows the place of none");
        }
        log().info("{}: channels take the adapters nearest to {} in turn: {}", self,
                isOnGpu ? "GPU " + infos.get(rank).device().pciId() : "its NUMA node",
                near.stream().map(adapter -> adapters.get(adapter).name() + " (" + ranks.distance(own, adapter) + ")")
                        .collect(Collectors.joining(", ")));
        return near.stream().mapToInt(Integer::intValue).toArray();
    }

    private int[] all(String why) {
        log().info("{}: channels take all {} adapters in turn: {}", self, adapters.size(), why);
        return new int[0];
    }

    /** In which order the GPUs of the host follow each other; empty if that cannot be told. */
    Optional<HostRanks.Order> order(boolean isAlone, boolean isOdd) {
        HostMachine found = machine();
        if (locals.getFirst() == rank) {
            tell(found);
        }
        String file = config.get(TopologyOptions.GRAPH_FILE);
        GraphXml given = file.isEmpty() ? null : GraphXml.read(Path.of(file));
        try {
            HostRanks ranks = found.ranks(places());
            return Optional.of(given == null ? ranks.order(isAlone, isOdd) : order(ranks, given, isAlone, isOdd));
        } catch (ProxyException e) {
            log().info("{}: the topology gives the GPUs of its host no order: {}", self, e.getMessage());
            return Optional.empty();
        }
    }

    private HostRanks.Order order(HostRanks ranks, GraphXml given, boolean isAlone, boolean isOdd) {
        try {
            return ranks.order(given, isAlone, isOdd);
        } catch (ProxyException e) {
            LOG.warn("{}: {} does not suit its host, whose rings and trees are searched for: {}", self,
                    TopologyOptions.GRAPH_FILE, e.getMessage());
            return ranks.order(isAlone, isOdd);
        }
    }

    /** What {@link TopologyOptions#TOPO_DUMP_FILE} and {@link TopologyOptions#GRAPH_DUMP_FILE} ask for. */
    void dump(boolean isAlone) {
        String whole = config.get(TopologyOptions.TOPO_DUMP_FILE);
        String graph = config.get(TopologyOptions.GRAPH_DUMP_FILE);
        if (!whole.isEmpty()) {
            HostMachine found = isOnGpu ? machine() : HostMachine.find(config, adapters);
            tell(found);
            found.xml().write(Path.of(whole));
        }
        if (!graph.isEmpty() && isOnGpu) {
            machine().ranks(places()).graphXml(isAlone).write(Path.of(graph));
        }
    }

    private static Logger log() {
        return Subsystem.INIT.loggerOr(LOG);
    }

    private void tell(HostMachine found) {
        untold(found.xml().problems()).forEach(problem -> LOG.warn("{}: some of what joins the GPUs of its host is not "
                + "known: {}", self, problem));
    }

    /** Those that this process did not tell before; all its communicators are on one machine. */
    static List<String> untold(List<String> problems) {
        return problems.stream().filter(TOLD::add).toList();
    }

    /** Only ranks on GPUs have the driver of GPUs asked, and what is written. */
    private HostMachine machine() {
        if (machine == null) {
            machine = isOnGpu ? HostMachine.find(config, adapters) : HostMachine.findWithoutLinks(config, adapters);
        }
        return machine;
    }

    private List<RankPlace> places() {
        return locals.stream().map(infos::get).map(info -> RankPlace.ofGpu(0, address(info))).toList();
    }

    private static String address(PeerInfo info) {
        if (info.device().pciId().isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "rank " + info.rank() + "'s GPU has no address on PCI");
        }
        return info.device().pciId();
    }
}
