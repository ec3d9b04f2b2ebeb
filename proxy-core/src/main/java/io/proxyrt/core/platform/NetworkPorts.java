/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The network interfaces and RDMA devices of a host. */
final class NetworkPorts {
    private static final Pattern GIGABITS = Pattern.compile("(\\d+)(?:\\.\\d+)? Gb/sec.*");
    private static final int MEGABITS = 1000;

    private NetworkPorts() {
    }

    /** Interfaces first, each by name. */
    static List<NetworkPort> of(Path root) {
        List<NetworkPort> ports = new ArrayList<>();
        for (Path folder : Sysfs.list(root.resolve("sys/class/net"))) {
            if (Files.isDirectory(folder)) {
                ports.add(port(folder, false, (int) Math.max(0, Sysfs.number(folder.resolve("speed"), 0))));
            }
        }
        for (Path folder : Sysfs.list(root.resolve("sys/class/infiniband"))) {
            ports.add(port(folder, true, rate(folder.resolve("ports"))));
        }
        return List.copyOf(ports);
    }

    private static NetworkPort port(Path folder, boolean isRdma, int speedMbps) {
        Optional<PciAddress> address = Optional.empty();
        Path device = folder.resolve("device");
        try {
            address = PciAddress.of(device.toRealPath());
        } catch (IOException e) {
            // It is virtual: nothing is behind it.
        }
        return new NetworkPort(folder.getFileName().toString(), isRdma, address,
                (int) Sysfs.number(device.resolve("numa_node"), -1), speedMbps);
    }

    /** Of the fastest port. */
    private static int rate(Path ports) {
        int most = 0;
        for (Path port : Sysfs.list(ports)) {
            Matcher rate = GIGABITS.matcher(Sysfs.text(port.resolve("rate")));
            most = rate.matches() ? Math.max(most, Integer.parseInt(rate.group(1)) * MEGABITS) : most;
        }
        return most;
    }
}
