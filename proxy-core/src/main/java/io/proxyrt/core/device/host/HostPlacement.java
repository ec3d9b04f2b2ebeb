/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.HugePages;
import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.thread.CpuList;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.HostPages;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;

/**
 * What pages the memory of a host device has, and on which NUMA node they lie. What was asked for is had, or refused
 * with the reason; {@link #toString()} tells the outcome. Any thread.
 */
public final class HostPlacement {
    private static final int ANY_NODE = -1;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final Platform platform;
    /** Null without a platform: then memory comes from Java. */
    private final HostPages pages;
    private final HugePages huge;
    private final int node;

    private HostPlacement(Platform platform, HugePages huge, int node) {
        this.platform = platform;
        this.pages = platform.whyNot().isEmpty() ? platform.pages() : null;
        this.huge = huge;
        this.node = node;
    }

    /**
     * Ordinary pages, each on the node of the thread that touches it first.
     *
     * @param platform should it do; without one that works, memory comes from Java, zeroed page by page
     * @return for any device of the host
     */
    public static HostPlacement ordinary(Platform platform) {
        return new HostPlacement(platform, HugePages.OFF, ANY_NODE);
    }

    /**
     * Reads and checks what is asked for.
     *
     * @param platform should it do
     * @param config   {@link CoreOptions#HUGE_PAGES}, {@link CoreOptions#NUMA_NODE} and {@link CoreOptions#CPUSET}
     * @return for any device of the host
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if that cannot be had here,
     *                        {@link ProxyResult#INVALID_ARGUMENT} if there is no such node
     */
    public static HostPlacement of(Platform platform, ProxyConfig config) {
        HugePages huge = config.get(CoreOptions.HUGE_PAGES);
        String node = config.get(CoreOptions.NUMA_NODE);
        if (huge != HugePages.OFF) {
            require(config, CoreOptions.HUGE_PAGES, platform.whyNot());
            require(config, CoreOptions.HUGE_PAGES, platform.pages().whyNoHuge(false));
        }
        if (node.isEmpty()) {
            return new HostPlacement(platform, huge, ANY_NODE);
        }
        require(config, CoreOptions.NUMA_NODE, platform.whyNot());
        return new HostPlacement(platform, huge, node.equals("auto") ? nodeOfCpus(platform, config)
                : nodeNumber(platform.pages(), config, node));
    }

    private static int nodeNumber(HostPages pages, ProxyConfig config, String node) {
        int[] nodes = pages.nodes();
        for (int number : nodes) {
            if (Integer.toString(number).equals(node)) {
                return number;
            }
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, asked(config, CoreOptions.NUMA_NODE)
                + ": this process may use the nodes " + Arrays.toString(nodes) + "; or say auto");
    }

    private static int nodeOfCpus(Platform platform, ProxyConfig config) {
        BitSet cpus = platform.processCpus();
        BitSet bound = CpuList.parse(config.get(CoreOptions.CPUSET));
        if (config.get(CoreOptions.IGNORE_CPU_AFFINITY) && !bound.isEmpty()) {
            cpus = bound;
        } else if (!bound.isEmpty()) {
            cpus.and(bound);
        }
        int[] nodes = cpus.stream().map(platform.pages()::nodeOf).distinct().toArray();
        require(config, CoreOptions.NUMA_NODE, nodes.length == 1 ? "" : "the CPUs " + CpuList.format(cpus)
                + " are of the nodes " + Arrays.toString(nodes) + "; set " + CoreOptions.CPUSET + " to those of one");
        return nodes[0];
    }

    private static void require(ProxyConfig config, Option<?> option, String whyNot) {
        if (!whyNot.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, asked(config, option) + " cannot be had: " + whyNot);
        }
    }

    private static String asked(ProxyConfig config, Option<?> option) {
        ProxyConfig.Setting setting = config.settings().stream().filter(s -> s.option() == option).findFirst()
                .orElseThrow();
        return option + " (from " + setting.source() + ") is '" + setting.value() + "'";
    }

    /** Zeroed memory of this process alone, aligned to a page at least; the arena owns it. */
    MemorySegment map(long bytes, long pageBytes, Arena arena) {
        if (pages == null) {
            return arena.allocate(bytes, pageBytes);
        }
        MemorySegment memory = pages.map(bytes, arena);
        if (huge != HugePages.OFF && bytes >= pages.hugePageBytes()) {
            pages.adviseHuge(memory);
        }
        return bound(memory);
    }

    /** What memory with a descriptor takes: whole huge pages, if they are set aside and it needs one at least. */
    long fileBytes(long bytes) {
        return huge == HugePages.RESERVED && bytes >= pages.hugePageBytes()
                ? Math.ceilDiv(bytes, pages.hugePageBytes()) * pages.hugePageBytes() : bytes;
    }

    /** Memory with a descriptor; its size is one of {@link #fileBytes}. */
    OwnedFd memfd(String name, long bytes) {
        return huge == HugePages.RESERVED && bytes % pages.hugePageBytes() == 0
                ? platform.descriptors().hugeMemfd(name, bytes) : platform.descriptors().memfd(name, bytes);
    }

    /**
     * Memory that was mapped by its descriptor. A node is a property of the file and not of a mapping, so that it is
     * for the process that allocated the memory to say.
     */
    MemorySegment shared(MemorySegment memory, boolean isOwn) {
        if (huge != HugePages.OFF && pages.whyNoHuge(true).isEmpty()) {
            pages.adviseHuge(memory);
        }
        if (isOwn && huge == HugePages.RESERVED && node != ANY_NODE) {
            touch(memory);
        }
        return isOwn ? bound(memory) : memory;
    }

    /** Huge pages are there since they were set aside. The system moves those that this mapping has read. */
    private void touch(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at += pages.hugePageBytes()) {
            BYTE.getVolatile(memory, at);
        }
    }

    /**
     * Keeps memory that was not mapped here on the node, if there is one.
     *
     * @param memory whole pages of a file that this process alone has mapped; those that lie elsewhere move
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    public void keep(MemorySegment memory) {
        if (node != ANY_NODE) {
            // The file's pages are there since it was written. The system moves those that this mapping has read.
            memory.load();
            pages.bind(memory, node);
        }
    }

    private MemorySegment bound(MemorySegment memory) {
        if (node != ANY_NODE) {
            pages.bind(memory, node);
        }
        return memory;
    }

    /** What memory gets, in a few words, for people. */
    @Override
    public String toString() {
        String where = node == ANY_NODE ? "on the NUMA node of who touches them first"
                : "on NUMA node " + node + (pages.nodes().length == 1 ? ", the only one" : "");
        return switch (huge) {
            case OFF -> "ordinary pages " + where;
            case TRANSPARENT -> "huge pages " + where + shareable("; shareable memory has ordinary ones: ");
            case RESERVED -> "huge pages " + where + ", shareable memory from those set aside";
        };
    }

    private String shareable(String otherwise) {
        String whyNot = pages.whyNoHuge(true);
        return whyNot.isEmpty() ? "" : otherwise + whyNot;
    }
}
