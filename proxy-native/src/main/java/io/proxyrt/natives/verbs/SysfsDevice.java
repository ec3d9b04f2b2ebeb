/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import io.proxyrt.core.verbs.Gid.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What sysfs says of an RDMA device and libibverbs does not, in all versions.
 *
 * @param folder of the device, such as {@code /sys/class/infiniband/mlx5_0}
 */
record SysfsDevice(Path folder) {
    /** The real path of its PCI function; empty if it has none. */
    String pciPath() {
        try {
            return folder.resolve("device").toRealPath().toString();
        } catch (IOException e) {
            return "";
        }
    }

    /** What a port sends from an address; entries that are not in use have no type, and read as InfiniBand. */
    Kind gidKind(int port, int index) {
        Path ofPort = folder.resolve("ports").resolve(Integer.toString(port));
        String type = read(ofPort.resolve("gid_attrs/types").resolve(Integer.toString(index)));
        if (type.equals("RoCE v2")) {
            return Kind.ROCE_V2;
        }
        return type.startsWith("IB/RoCE v1") && read(ofPort.resolve("link_layer")).equals("Ethernet")
                ? Kind.ROCE_V1 : Kind.IB;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
