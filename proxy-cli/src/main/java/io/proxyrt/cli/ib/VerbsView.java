/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.platform.ProcessLimits;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.VerbsDevice;
import io.proxyrt.core.verbs.VerbsPort;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * RDMA on a host.
 *
 * @param library      by which devices are used
 * @param whyNot       there can be none; empty if there can
 * @param lockedMemory bytes that this process may lock, or {@code unlimited}; empty if the system does not say
 * @param unknown      devices that the kernel has and the library does not list
 * @param whyUnknown   what they lack; empty if there are none
 * @param devices      that the library knows
 */
public record VerbsView(String library, String whyNot, String lockedMemory, List<String> unknown, String whyUnknown,
        List<Hca> devices) {
    private static final File KERNEL = new File("/sys/class/infiniband");
    private static final File FILES = new File("/dev/infiniband");
    private static final List<String> STATES = List.of("NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER");

    /**
     * A device.
     *
     * @param name    such as {@code mlx5_0}
     * @param whyNot  it cannot be used; empty if it can
     * @param pciPath where it is in sysfs; empty if it is virtual or cannot be used
     * @param limits  what it can do; empty if it cannot be used
     * @param ports   all
     */
    public record Hca(String name, String whyNot, String pciPath, Optional<VerbsDevice> limits, List<Port> ports) {
    }

    /**
     * A port.
     *
     * @param number    from 1 on
     * @param state     as {@code ibv_port_state} calls it
     * @param linkLayer InfiniBand or Ethernet
     * @param speedMbps of all lanes
     * @param mtuBytes  of packets
     * @param lid       address in an InfiniBand subnet; 0 over Ethernet
     * @param addresses entries of the GID table that are in use
     */
    public record Port(int number, String state, String linkLayer, int speedMbps, int mtuBytes, int lid,
            List<Address> addresses) {
    }

    /**
     * An entry of a GID table.
     *
     * @param index in the table
     * @param gid   the address
     * @param kind  what the port sends from it
     */
    public record Address(int index, String gid, Gid.Kind kind) {
    }

    /**
     * Asks all devices.
     *
     * @param verbs that have them
     * @return whole; devices that cannot be opened say why
     */
    public static VerbsView of(Verbs verbs) {
        String whyNot = verbs.whyNot();
        List<String> names = List.of();
        try {
            names = whyNot.isEmpty() ? verbs.devices() : names;
        } catch (ProxyException e) {
            whyNot = e.getMessage();
        }
        List<String> known = names;
        List<String> unknown = kernelDevices().stream().filter(name -> !known.contains(name)).toList();
        return new VerbsView(verbs.name(), whyNot, ProcessLimits.lockedMemory(), unknown,
                unknown.isEmpty() ? "" : lacking(), names.stream().map(name -> open(verbs, name)).toList());
    }

    private static String lacking() {
        return FILES.isDirectory() ? "the library has no driver for them, or they have no file in " + FILES
                + "; install its drivers (rdma-core, or on Debian ibverbs-providers)"
                : "there is no folder " + FILES + "; load the module ib_uverbs, and give a container that folder";
    }

    private static List<String> kernelDevices() {
        String[] names = KERNEL.list();
        return names == null ? List.of() : List.of(names);
    }

    private static Hca open(Verbs verbs, String name) {
        try (VerbsContext context = verbs.open(name)) {
            VerbsDevice device = context.query();
            List<Port> ports = new ArrayList<>();
            for (int port = 1; port <= device.ports(); port++) {
                ports.add(port(context, port));
            }
            return new Hca(name, "", context.pciPath(), Optional.of(device), ports);
        } catch (ProxyException e) {
            return new Hca(name, e.getMessage(), "", Optional.empty(), List.of());
        }
    }

    private static Port port(VerbsContext context, int number) {
        VerbsPort port = context.port(number);
        List<Address> addresses = new ArrayList<>();
        for (int i = 0; i < port.gids(); i++) {
            Gid gid = context.gid(number, i);
            if (!gid.isZero()) {
                addresses.add(new Address(i, gid.toString(), gid.kind()));
            }
        }
        return new Port(number, state(port.state()), linkLayer(port.linkLayer()), port.speedMbps(), port.mtuBytes(),
                port.lid(), addresses);
    }

    private static String state(int state) {
        return state >= 0 && state < STATES.size() ? STATES.get(state) : "state " + state;
    }

    private static String linkLayer(int linkLayer) {
        return switch (linkLayer) {
            case VerbsPort.INFINIBAND -> "InfiniBand";
            case VerbsPort.ETHERNET -> "Ethernet";
            default -> "unknown link layer";
        };
    }

    /**
     * Whether RDMA can be used.
     *
     * @return true if a port is active
     */
    public boolean isUsable() {
        return devices.stream().flatMap(device -> device.ports().stream())
                .anyMatch(port -> port.state().equals("ACTIVE"));
    }
}
