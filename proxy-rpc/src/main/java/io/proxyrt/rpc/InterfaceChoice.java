/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.InterfaceFilter;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;

/**
 * The interface of this host that an {@link InterfaceFilter} stands for: the first by name that fits, is up and has an
 * address.
 *
 * @param name    of the interface
 * @param address of it; IPv4 if it has one
 */
record InterfaceChoice(String name, InetAddress address) {
    /** An interface, as far as the choice is concerned. */
    record Candidate(String name, boolean isUp, List<InetAddress> addresses) {
        private InetAddress best() {
            return addresses.stream()
                    .filter(address -> address instanceof Inet4Address || !address.isLinkLocalAddress())
                    .min(Comparator.comparing(address -> !(address instanceof Inet4Address))).orElse(null);
        }

        @Override
        public String toString() {
            return name + (!isUp ? " (down)" : best() == null ? " (no address)" : "");
        }
    }

    static InterfaceChoice onThisHost(String names) {
        try {
            return of(names, NetworkInterface.networkInterfaces().map(InterfaceChoice::candidate).toList());
        } catch (SocketException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    RpcOptions.INTERFACE + ": the interfaces of this host cannot be listed: " + e, e);
        }
    }

    static InterfaceChoice of(String names, List<Candidate> candidates) {
        InterfaceFilter filter = InterfaceFilter.parse(names);
        return candidates.stream().filter(c -> c.isUp() && c.best() != null && filter.accepts(c.name()))
                .min(Comparator.comparing(Candidate::name))
                .map(c -> new InterfaceChoice(c.name(), c.best()))
                .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_ARGUMENT, RpcOptions.INTERFACE + " is '"
                        + names + "': no interface fits that is up and has an address; this host has " + candidates));
    }

    private static Candidate candidate(NetworkInterface network) {
        boolean isUp;
        try {
            isUp = network.isUp();
        } catch (SocketException e) {
            isUp = false;
        }
        return new Candidate(network.getName(), isUp, network.inetAddresses().toList());
    }
}
