/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.config.InterfaceFilter;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.SocketOptions;
import io.proxyrt.transport.net.SocketOptions.Family;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which interfaces the socket network uses, by NCCL's rules: those that the user names; else those that start with
 * {@code ib}; else all but {@code docker*}, {@code lo} and {@code virbr*}; else {@code docker*}; else {@code lo}; else
 * {@code virbr*}. One that is down, or has no address, is never used.
 *
 * @param chosen   the devices, in the order of the system
 * @param findings a line for each interface of the host: whether it is used, why, and what would change that
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

    private record Tier(String why, Predicate<String> holds) {
    }

    static InterfaceChoice onThisHost(ProxyConfig config) {
        String names = config.get(SocketOptions.IFNAME);
        Family family = config.get(SocketOptions.FAMILY);
        try {
            return of(NetworkInterface.networkInterfaces().map(InterfaceCandidate::of)
                    .sorted(Comparator.comparing(InterfaceCandidate::name)).toList(), names, family);
        } catch (SocketException e) {
            return new InterfaceChoice(List.of(), List.of("the interfaces of this host cannot be listed: " + e));
        }
    }

    static InterfaceChoice of(List<InterfaceCandidate> candidates, String names, Family family) {
        List<InterfaceCandidate> usable = candidates.stream()
                .filter(c -> c.isUp() && c.address(family) != null).toList();
        InterfaceFilter filter = InterfaceFilter.parse(names);
        Tier tier = filter.isEmpty() ? firstOf(usable)
                : new Tier(SocketOptions.IFNAME + " is " + names.strip(), filter::accepts);
        List<Device> chosen = usable.stream().filter(c -> tier.holds.test(c.name())).limit(MAX_DEVICES)
                .map(c -> new Device(c.name(), c.address(family))).toList();
        List<String> findings = new ArrayList<>();
        for (InterfaceCandidate candidate : candidates) {
            findings.add(candidate.name() + ": " + finding(candidate, tier, family, chosen));
        }
        return new InterfaceChoice(chosen, List.copyOf(findings));
    }

    private static String finding(InterfaceCandidate candidate, Tier tier, Family family, List<Device> chosen) {
        InetAddress address = candidate.address(family);
        if (!candidate.isUp()) {
            return unused("it is down", "bring it up first");
        }
        if (address == null) {
            return unused(candidate.whyNoAddress(family), family == Family.ANY ? "give it an address first"
                    : "change the family, which is " + family + " by " + names(SocketOptions.FAMILY));
        }
        if (!tier.holds.test(candidate.name())) {
            return unused(chosen.isEmpty() ? tier.why : chosen.getFirst().name() + " was preferred: " + tier.why,
                    "name it in " + names(SocketOptions.IFNAME));
        }
        int dev = chosen.stream().map(Device::name).toList().indexOf(candidate.name());
        if (dev < 0) {
            return unused("there are " + MAX_DEVICES + " already", "name fewer in " + names(SocketOptions.IFNAME));
        }
        String others = candidate.others(family);
        return InterfaceCandidate.text(address) + ", " + tier.why + (others.isEmpty() ? "" : "; " + others);
    }

    private static String unused(String why, String remedy) {
        return "not used, " + why + "; to use it, " + remedy;
    }

    /** An option, as people set it. */
    private static String names(Option<?> option) {
        return option + " or " + option.alias();
    }

    private static Tier firstOf(List<InterfaceCandidate> usable) {
        return TIERS.stream().filter(tier -> usable.stream().anyMatch(c -> tier.holds.test(c.name())))
                .findFirst().orElse(new Tier("no interface is up", name -> false));
    }

    private static boolean isSpecial(String name) {
        return name.startsWith("docker") || name.equals("lo") || name.startsWith("virbr");
    }
}
