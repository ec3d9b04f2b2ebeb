/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.thread.CpuList;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.HostPages;
import io.proxyrt.core.platform.PciDevice;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportAdapter;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Where {@link CoreOptions#NIC_AFFINITY} puts a runtime: on the CPUs and into the memory of the NUMA node of the
 * adapter that its network uses first. If that cannot be told, nothing is bound; if the system refuses to bind memory,
 * only threads are. {@link #toString()} says why. Immutable.
 */
public final class NicAffinity {
    private static final int UNKNOWN = -1;
    private static final long PAGE_BYTES = 4096;
    private static final String NOTHING = "nothing is bound: ";

    private final ProxyConfig config;
    private final String text;
    private final boolean isRefused;

    private NicAffinity(ProxyConfig config, String text, boolean isRefused) {
        this.config = config;
        this.text = text;
        this.isRefused = isRefused;
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
            return new NicAffinity(asked, "not asked for", false);
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
        if (node < 0) {
            return nothing(asked, adapter.name() + (adapter.pciPath().isEmpty()
                    ? " is virtual, and on no NUMA node" : " is on no NUMA node that the system tells of"));
        }
        String where = adapter.name() + " is on NUMA node " + node;
        try {
            return onNode(asked, platform, node, topology.nodeCpus(node), where);
        } catch (ProxyException e) {
            return new NicAffinity(asked, NOTHING + where + ", and " + e.getMessage(), true);
        }
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
                : bound(asked, platform.pages(), node, CpuList.format(cpus), where);
    }

    /** What the user has decided stays. */
    private static NicAffinity bound(ProxyConfig asked, HostPages pages, int node, String cpus, String where) {
        boolean isThreads = asked.get(CoreOptions.CPUSET).isEmpty();
        ProxyConfig threads = isThreads ? asked.with(CoreOptions.CPUSET, cpus) : asked;
        String text = where + (isThreads ? ": threads on its CPUs " + cpus : ": threads by " + CoreOptions.CPUSET);
        if (!asked.get(CoreOptions.NUMA_NODE).isEmpty()) {
            return new NicAffinity(threads, text + ", memory by " + CoreOptions.NUMA_NODE, false);
        }
        String whyNoMemory = whyNoMemory(pages, node);
        return whyNoMemory.isEmpty() ? new NicAffinity(threads.with(CoreOptions.NUMA_NODE, Integer.toString(node)),
                text + ", memory there", false)
                : new NicAffinity(threads, text + ", memory is not bound: " + whyNoMemory, true);
    }

    /** Tries it: a filter of system calls may let a process ask about nodes, and not choose one. */
    private static String whyNoMemory(HostPages pages, int node) {
        try (Arena arena = Arena.ofConfined()) {
            pages.bind(pages.map(PAGE_BYTES, arena), node);
            return "";
        } catch (ProxyException e) {
            return e.getMessage();
        }
    }

    private static NicAffinity nothing(ProxyConfig asked, String reason) {
        return new NicAffinity(asked, NOTHING + reason, false);
    }

    /**
     * Whether the option is on.
     *
     * @return false if nothing changes
     */
    boolean isAskedFor() {
        return config.get(CoreOptions.NIC_AFFINITY);
    }

    /** Whether the system refused what would have been bound. */
    boolean isRefused() {
        return isRefused;
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
