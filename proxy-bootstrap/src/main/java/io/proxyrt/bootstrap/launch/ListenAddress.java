/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap.launch;

import io.proxyrt.bootstrap.BootstrapOptions;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Comparator;

/** Where rank 0 listens: at the address that the other ranks dial, and no other, unless it is told to. */
final class ListenAddress {
    private ListenAddress() {
    }

    /** An address of this host for a place where ranks meet. May look up a name. */
    static InetSocketAddress of(InetSocketAddress place, ProxyConfig config) {
        String host = place.isUnresolved() ? place.getHostString() : place.getAddress().getHostAddress();
        String given = config.get(BootstrapOptions.ADDRESS);
        if (!given.isBlank()) {
            return new InetSocketAddress(lookUp(given)[0], place.getPort());
        }
        InetAddress[] addresses = lookUp(host);
        return Arrays.stream(addresses).filter(ListenAddress::isOfThisHost)
                .min(Comparator.comparing(InetAddress::isLoopbackAddress))
                .map(address -> new InetSocketAddress(address, place.getPort()))
                .orElseThrow(() -> new ProxyException(ProxyResult.SYSTEM_ERROR, "rank 0 is to listen at " + host + ":"
                        + place.getPort() + ", and this host has no such address: " + Arrays.toString(addresses)
                        + "; name the host of rank 0, or set " + BootstrapOptions.ADDRESS
                        + " to the address that it is to listen at instead"));
    }

    private static InetAddress[] lookUp(String host) {
        try {
            return InetAddress.getAllByName(host);
        } catch (UnknownHostException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "rank 0 is to listen at " + host + ": no such host", e);
        }
    }

    private static boolean isOfThisHost(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }
}
