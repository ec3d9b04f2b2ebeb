/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.transport.net.SocketOptions.Family;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An interface of the host, as far as the choice is concerned.
 *
 * @param name      as the system calls it
 * @param isUp      whether it runs
 * @param addresses of it, in the order of the system
 */
record InterfaceCandidate(String name, boolean isUp, List<InetAddress> addresses) {
    static InterfaceCandidate of(NetworkInterface network) {
        boolean isUp;
        try {
            isUp = network.isUp();
        } catch (SocketException e) {
            isUp = false;
        }
        return new InterfaceCandidate(network.getName(), isUp, network.inetAddresses().toList());
    }

    /** The address that peers are told: IPv4 before IPv6; null if there is none of the family. */
    InetAddress address(Family family) {
        return addresses.stream().filter(address -> whyNot(address, family).isEmpty())
                .min(Comparator.comparing(address -> !isIpv4(address))).orElse(null);
    }

    /** Why it has no address of the family, for people. */
    String whyNoAddress(Family family) {
        return addresses.isEmpty() ? "it has no address" : "it has no usable address: " + addresses.stream()
                .map(address -> text(address) + " is " + whyNot(address, family)).collect(Collectors.joining(", "));
    }

    /** What else it has besides the address that is used, and why that is not used; empty if it has nothing else. */
    String others(Family family) {
        InetAddress used = address(family);
        List<String> others = new ArrayList<>();
        for (InetAddress address : addresses) {
            if (!address.equals(used)) {
                String why = whyNot(address, family);
                others.add(text(address) + (!why.isEmpty() ? ", which is " + why
                        : isIpv4(address) == isIpv4(used) ? ", which is not the first" : ", as IPv4 comes first"));
            }
        }
        return others.isEmpty() ? "" : "not " + String.join("; not ", others);
    }

    /** Without the scope, which is this host's own. */
    static String text(InetAddress address) {
        return address.getHostAddress().replaceFirst("%.*", "");
    }

    /** What is wrong with an address; empty if nothing is. A link-local one needs a scope, which is this host's own. */
    private static String whyNot(InetAddress address, Family family) {
        boolean isIpv4 = isIpv4(address);
        if (!isIpv4 && address.isLinkLocalAddress()) {
            return "link-local";
        }
        return family == Family.ANY || isIpv4 == (family == Family.AF_INET) ? "" : isIpv4 ? "IPv4" : "IPv6";
    }

    private static boolean isIpv4(InetAddress address) {
        return address instanceof Inet4Address;
    }
}
