/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.SocketOptions;
import io.proxyrt.transport.net.SocketOptions.Family;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which interfaces the socket network uses, by NCCL's rules: those that the user names; else those that start with
 * {@code ib}; else all but {@code docker*}, {@code lo} and {@code virbr*}; else {@code docker*}; else {@code lo}; else
 * {@code virbr*}. One that is down, or has no address, is never used.
 *
 * @param chosen   the devices, in the order of the system
 * @param findings one line for each interface of the host
 */
record InterfaceChoice(List<Device> chosen, List<String> findings) {
    private static final int MAX_DEVICES = 16;
    private static final List<Tier> TIERS = List.of(
            new Tier("InfiniBand comes first", name -> name.startsWith("ib")),
            new Tier("an ordinary interface", name -> !isSpecial(name)),
            new Tier("nothing better is up", name -> name.startsWith("docker")),
            new Tier("nothing better is up", name -> name.equals("lo")),
            new Tier("nothing better is up", name -> name.startsWith("virbr")));

    /** An interface that can be used. */
    record Device(String name, InetAddress address) {
    }

    /** An interface of the host, as far as the choice is concerned. */
    record Candidate(String name, boolean isUp, List<InetAddress> addresses) {
        InetAddress address(Family family) {
            return addresses.stream().filter(address -> fits(address, family))
                    .min(Comparator.comparing(address -> address instanceof Inet6Address)).orElse(null);
        }

        private static boolean fits(InetAddress address, Family family) {
            return switch (family) {
                case AF_INET -> address instanceof Inet4Address;
                case AF_INET6 -> address instanceof Inet6Address && !address.isLinkLocalAddress();
                case ANY -> address instanceof Inet4Address || !address.isLinkLocalAddress();
            };
        }
    }

    private record Tier(String why, Predicate<String> holds) {
    }

    static InterfaceChoice onThisHost(ProxyConfig config) {
        String names = config.get(SocketOptions.IFNAME);
        Family family = config.get(SocketOptions.FAMILY);
        try {
            return of(NetworkInterface.networkInterfaces().map(InterfaceChoice::candidate)
                    .sorted(Comparator.comparing(Candidate::name)).toList(), names, family);
        } catch (SocketException e) {
            return new InterfaceChoice(List.of(), List.of("the interfaces of this host cannot be listed: " + e));
        }
    }

    static InterfaceChoice of(List<Candidate> candidates, String names, Family family) {
        List<Candidate> usable = candidates.stream().filter(c -> c.isUp() && c.address(family) != null).toList();
        Tier tier = names.isBlank() ? firstOf(usable) : named(names);
        List<Device> chosen = usable.stream().filter(c -> tier.holds.test(c.name())).limit(MAX_DEVICES)
                .map(c -> new Device(c.name(), c.address(family))).toList();
        List<String> findings = new ArrayList<>();
        for (Candidate candidate : candidates) {
            findings.add(candidate.name() + ": " + finding(candidate, tier, family, chosen));
        }
        return new InterfaceChoice(chosen, List.copyOf(findings));
    }

    private static String finding(Candidate candidate, Tier tier, Family family, List<Device> chosen) {
        InetAddress address = candidate.address(family);
        if (!candidate.isUp()) {
            return "not used, it is down";
        }
        if (address == null) {
            return "not used, it has no address" + (family == Family.ANY ? "" : " of family " + family);
        }
        if (!tier.holds.test(candidate.name())) {
            return "not used, " + (chosen.isEmpty() ? tier.why : chosen.getFirst().name() + " was preferred: "
                    + tier.why);
        }
        boolean isChosen = chosen.stream().anyMatch(device -> device.name().equals(candidate.name()));
        return isChosen ? address.getHostAddress() + ", " + tier.why
                : "not used, there are " + MAX_DEVICES + " already";
    }

    private static Tier firstOf(List<Candidate> usable) {
        return TIERS.stream().filter(tier -> usable.stream().anyMatch(c -> tier.holds.test(c.name())))
                .findFirst().orElse(new Tier("no interface is up", name -> false));
    }

    private static Tier named(String names) {
        boolean isExcluding = names.startsWith("^");
        String rest = isExcluding ? names.substring(1) : names;
        boolean isExact = rest.startsWith("=");
        List<String> wanted = Arrays.stream((isExact ? rest.substring(1) : rest).split(","))
                .map(name -> name.strip().replaceFirst(":.*", "")).filter(name -> !name.isEmpty()).toList();
        Predicate<String> matches = name -> wanted.stream()
                .anyMatch(want -> isExact ? name.equals(want) : name.startsWith(want));
        return new Tier(SocketOptions.IFNAME + " is " + names, isExcluding ? matches.negate() : matches);
    }

    private static boolean isSpecial(String name) {
        return name.startsWith("docker") || name.equals("lo") || name.startsWith("virbr");
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
