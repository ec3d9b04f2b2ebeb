/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.agent.thread.CpuList;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.PciDevice;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportAdapter;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Where {@link CoreOptions#NIC_AFFINITY} puts a runtime: on the CPUs and into the memory of the NUMA node of the
 * adapter that its network uses first. If that cannot be told, nothing is bound, and {@link #toString()} says why.
 * Immutable.
 */
public final class NicAffinity {
    private static final int UNKNOWN = -1;

    private final ProxyConfig config;
    private final String text;

    private NicAffinity(ProxyConfig config, String text) {
        this.config = config;
        this.text = text;
    }

    /**
     * Asks the transports that the modules have. Opens network adapters, and closes them again, if it is asked for.
     *
     * @param asked what is configured
     * @param rank  of the runtime
     * @return what comes of it
     */
    public static NicAffinity of(ProxyConfig asked, int rank) {
        return of(asked, rank, List.of());
    }

    /** With transports that were added. */
    static NicAffinity of(ProxyConfig asked, int rank, List<ProxyTransportProvider> added) {
        if (!asked.get(CoreOptions.NIC_AFFINITY)) {
            return new NicAffinity(asked, "not asked for");
        }
        Optional<TransportAdapter> adapter = Transports.providers(added).values().stream()
                .flatMap(provider -> provider.firstAdapter(asked, rank).stream()).findFirst();
        return adapter.map(found -> of(asked, Platform.find(), Topology.ofHost(), found))
                .orElseGet(() -> nothing(asked, "no transport has a network adapter here"));
    }

    /** On a host with an adapter. */
    static NicAffinity of(ProxyConfig asked, Platform platform, Topology topology, TransportAdapter adapter) {
        if (!platform.whyNot().isEmpty()) {
            return nothing(asked, platform.whyNot());
        }
        int node = topology.pciDeviceAt(adapter.pciPath()).map(PciDevice::numaNode).orElse(UNKNOWN);
        return node < 0 ? nothing(asked, adapter.name() + (adapter.pciPath().isEmpty()
                ? " is virtual, and on no NUMA node" : " is on no NUMA node that the system tells of"))
                : onNode(asked, platform, node, topology.nodeCpus(node), adapter.name() + " is on NUMA node " + node);
    }

    private static NicAffinity onNode(ProxyConfig asked, Platform platform, int node, String all, String where) {
        int[] nodes = platform.pages().nodes();
        BitSet own = platform.processCpus();
        BitSet cpus = CpuList.parse(all);
        if (!asked.get(CoreOptions.IGNORE_CPU_AFFINITY)) {
            cpus.and(own);
        }
        if (Arrays.stream(nodes).noneMatch(allowed -> allowed == node)) {
            return nothing(asked, where + ", and this process may have memory on " + Arrays.toString(nodes));
        }
        if (all.isEmpty()) {
            return nothing(asked, where + ", which has no CPU");
        }
        return cpus.isEmpty() ? nothing(asked, where + ", and none of its CPUs, " + all + ", is among those of this"
                + " process, " + CpuList.format(own) + "; " + CoreOptions.IGNORE_CPU_AFFINITY + " takes them anyway")
                : bound(asked, node, CpuList.format(cpus), where);
    }

    /** What the user has decided stays. */
    private static NicAffinity bound(ProxyConfig asked, int node, String cpus, String where) {
        boolean isThreads = asked.get(CoreOptions.CPUSET).isEmpty();
        boolean isMemory = asked.get(CoreOptions.NUMA_NODE).isEmpty();
        ProxyConfig threads = isThreads ? asked.with(CoreOptions.CPUSET, cpus) : asked;
        return new NicAffinity(isMemory ? threads.with(CoreOptions.NUMA_NODE, Integer.toString(node)) : threads,
                where + (isThreads ? ": threads on its CPUs " + cpus : ": threads by " + CoreOptions.CPUSET)
                        + (isMemory ? ", memory there" : ", memory by " + CoreOptions.NUMA_NODE));
    }

    private static NicAffinity nothing(ProxyConfig asked, String reason) {
        return new NicAffinity(asked, "nothing is bound: " + reason);
    }

    /**
     * Whether the option is on.
     *
     * @return false if nothing changes
     */
    boolean isAskedFor() {
        return config.get(CoreOptions.NIC_AFFINITY);
    }

    /** With {@link CoreOptions#CPUSET} and {@link CoreOptions#NUMA_NODE}, where they were not set. */
    ProxyConfig config() {
        return config;
    }

    /** For people. */
    @Override
    public String toString() {
        return text;
    }
}
