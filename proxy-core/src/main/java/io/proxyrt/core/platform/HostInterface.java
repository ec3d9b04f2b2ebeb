/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A network interface of this host, as far as a choice among them is concerned.
 *
 * @param name      as the system calls it
 * @param isUp      whether it runs
 * @param addresses of it, in the order of the system
 */
public record HostInterface(String name, boolean isUp, List<InetAddress> addresses) {
    /**
     * All interfaces of this host. Asks the system.
     *
     * @return them by name
     * @throws SocketException if the system does not list them
     */
    public static List<HostInterface> all() throws SocketException {
        return NetworkInterface.networkInterfaces().map(HostInterface::of)
                .sorted(Comparator.comparing(HostInterface::name)).toList();
    }

    private static HostInterface of(NetworkInterface network) {
        boolean isUp;
        try {
            isUp = network.isUp();
        } catch (SocketException e) {
            isUp = false;
        }
        return new HostInterface(network.getName(), isUp, network.inetAddresses().toList());
    }

    /**
     * The address that peers are told: IPv4 before IPv6.
     *
     * @param isWanted what else it has to be
     * @return empty if there is none, or only such as other hosts cannot use
     */
    public Optional<InetAddress> address(Predicate<InetAddress> isWanted) {
        return addresses.stream().filter(address -> !isBoundToHost(address) && isWanted.test(address))
                .min(Comparator.comparing(address -> !(address instanceof Inet4Address)));
    }

    /**
     * Whether a listener at it can be reached.
     *
     * @return true if it is up and has an {@linkplain #address address}
     */
    public boolean isUsable() {
        return isUp && hasAddress();
    }

    private boolean hasAddress() {
        return address(any -> true).isPresent();
    }

    /**
     * Whether other hosts cannot use the address as it is: a link-local one of IPv6 needs a scope, which is this host's
     * own.
     *
     * @param address any
     * @return true if so
     */
    public static boolean isBoundToHost(InetAddress address) {
        return !(address instanceof Inet4Address) && address.isLinkLocalAddress();
    }

    /** The name, and what keeps it from being usable. */
    @Override
    public String toString() {
        return name + (!isUp ? " (down)" : hasAddress() ? "" : " (no address)");
    }
}
