/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files in which a kernel would tell of a host that a test makes up. */
public final class HostFiles {
    private static final String DEVICES = "sys/devices/";

    private final Path root;

    public HostFiles(Path root) {
        this.root = root;
    }

    public Topology topology() {
        return Topology.of(root);
    }

    /** A device by its path from the root complex, such as {@code pci0000:00/0000:00:01.0/0000:01:00.0}. */
    HostFiles pci(String path, int numaNode, String speed, int lanes) {
        String folder = DEVICES + path;
        String name = path.substring(path.lastIndexOf('/') + 1);
        write(folder + "/class", "0x030200");
        write(folder + "/vendor", "0x10de");
        write(folder + "/numa_node", Integer.toString(numaNode));
        write(folder + "/max_link_speed", speed);
        write(folder + "/max_link_width", Integer.toString(lanes));
        return link("sys/bus/pci/devices/" + name, folder);
    }

    public HostFiles pci(String path, int numaNode) {
        return pci(path, numaNode, "32.0 GT/s PCIe", 16);
    }

    /** A GPU of AMD's, by node of its driver. */
    HostFiles kfdGpu(int node, long location, String... otherProperties) {
        write(kfd(node) + "/gpu_id", Integer.toString(1000 + node));
        return write(kfd(node) + "/properties", String.join("\n", "simd_count 304", "vendor_id 4098", "domain 0",
                "unique_id 81985529216486895", "location_id " + location, String.join("\n", otherProperties)) + "\n");
    }

    HostFiles kfdLink(int node, int number, String... properties) {
        return write(kfd(node) + "/io_links/" + number + "/properties", String.join("\n", properties) + "\n");
    }

    static String kfd(int node) {
        return "sys/class/kfd/kfd/topology/nodes/" + node;
    }

    public HostFiles write(String file, String text) {
        try {
            Path path = root.resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, text + "\n");
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HostFiles link(String file, String target) {
        try {
            Path path = root.resolve(file);
            Files.createDirectories(path.getParent());
            Files.createSymbolicLink(path, path.getParent().relativize(root.resolve(target)));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
