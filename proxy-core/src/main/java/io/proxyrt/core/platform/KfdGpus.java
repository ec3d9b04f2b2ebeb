/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The GPUs that AMD's kernel driver lists, and its links between them. */
final class KfdGpus {
    private static final long AMD = 0x1002;
    private static final long XGMI = 11;
    /** What the driver gives to one hop, on hosts of one, two and more sockets. */
    private static final Set<Long> DIRECT_WEIGHTS = Set.of(13L, 15L, 41L);

    private final List<Gpu> gpus = new ArrayList<>();
    private final Map<Long, PciAddress> addresses = new HashMap<>();

    private record Gpu(long node, Path folder, PciAddress address, String arch) {
    }

    KfdGpus(Path root) {
        for (Path folder : Sysfs.list(root.resolve("sys/class/kfd/kfd/topology/nodes"))) {
            add(folder);
        }
        gpus.sort(Comparator.comparing(Gpu::address));
        gpus.forEach(gpu -> addresses.put(gpu.node, gpu.address));
    }

    /** In the order of their addresses. */
    List<PciAddress> addresses() {
        return gpus.stream().map(Gpu::address).toList();
    }

    /** What their instructions are called, such as {@code gfx90a}; empty where the driver does not tell. */
    Map<PciAddress, String> archs() {
        Map<PciAddress, String> archs = new HashMap<>();
        gpus.forEach(gpu -> archs.put(gpu.address, gpu.arch));
        return Map.copyOf(archs);
    }

    /** The direct ones, by where they begin. */
    List<XgmiLink> links() {
        List<XgmiLink> links = new ArrayList<>();
        for (Gpu gpu : gpus) {
            for (Path folder : Sysfs.list(gpu.folder.resolve("io_links"))) {
                Map<String, Long> link = Sysfs.properties(folder.resolve("properties"));
                PciAddress to = addresses.get(link.getOrDefault("node_to", -1L));
                if (to != null && !to.equals(gpu.address) && isDirect(link)) {
                    links.add(new XgmiLink(gpu.address, to, count(link)));
                }
            }
        }
        return List.copyOf(links);
    }

    private void add(Path folder) {
        long node = Sysfs.number(folder.getFileName().toString(), -1);
        Map<String, Long> properties = Sysfs.properties(folder.resolve("properties"));
        boolean isWhole = properties.keySet().containsAll(Set.of("vendor_id", "unique_id", "location_id", "domain"));
        if (node >= 0 && isWhole && properties.get("vendor_id") == AMD
                && Sysfs.number(folder.resolve("gpu_id"), 0) != 0) {
            gpus.add(new Gpu(node, folder, address(properties.get("domain"), properties.get("location_id")),
                    arch(properties.getOrDefault("gfx_target_version", 0L))));
        }
    }

    /** A location is bus, device and function as PCI packs them, with the number of a partition on top. */
    private static PciAddress address(long domain, long location) {
        int partition = (int) (location >>> 28) & 0xF;
        int function = (int) location & 7;
        return new PciAddress((int) domain, (int) (location >>> 8) & 0xFF, (int) (location >>> 3) & 0x1F,
                Math.max(partition, function) & 7);
    }

    /** A version is 10000 times the major, 100 times the minor, and the step, which is written with one hex digit. */
    private static String arch(long version) {
        return version <= 0 || version > 99_99_99 ? "" : "gfx" + version / 100_00 + version / 100 % 100
                + Long.toHexString(version % 100);
    }

    private static boolean isDirect(Map<String, Long> link) {
        return link.getOrDefault("type", 0L) == XGMI && DIRECT_WEIGHTS.contains(link.getOrDefault("weight", 0L));
    }

    private static int count(Map<String, Long> link) {
        long least = link.getOrDefault("min_bandwidth", 0L);
        long most = link.getOrDefault("max_bandwidth", 0L);
        return least <= 0 || most < least ? 1 : (int) Math.min(Integer.MAX_VALUE, most / least);
    }
}
