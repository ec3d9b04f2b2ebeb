/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.HostInterface;
import io.proxyrt.core.platform.InterfaceFilter;
import io.proxyrt.transport.net.SocketOptions;
import io.proxyrt.transport.net.SocketOptions.Family;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

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
            return of(HostInterface.all(), names, family);
        } catch (SocketException e) {
            return new InterfaceChoice(List.of(), List.of("the interfaces of this host cannot be listed: " + e));
        }
    }

    static InterfaceChoice of(List<HostInterface> candidates, String names, Family family) {
        List<HostInterface> usable = candidates.stream()
                .filter(c -> c.isUp() && address(c, family) != null).toList();
        InterfaceFilter filter = InterfaceFilter.parse(names);
        Tier tier = filter.isEmpty() ? firstOf(usable)
                : new Tier(SocketOptions.IFNAME + " is " + names.strip(), filter::accepts);
        List<Device> chosen = usable.stream().filter(c -> tier.holds.test(c.name())).limit(MAX_DEVICES)
                .map(c -> new Device(c.name(), address(c, family))).toList();
        List<String> findings = new ArrayList<>();
        for (HostInterface candidate : candidates) {
            findings.add(candidate.name() + ": " + finding(candidate, tier, family, chosen));
        }
        return new InterfaceChoice(chosen, List.copyOf(findings));
    }

    private static String finding(HostInterface candidate, Tier tier, Family family, List<Device> chosen) {
        InetAddress address = address(candidate, family);
        if (!candidate.isUp()) {
            return unused("it is down", "bring it up first");
        }
        if (address == null) {
            return unused(whyNoAddress(candidate, family), family == Family.ANY ? "give it an address first"
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
        String others = others(candidate, family);
        return text(address) + ", " + tier.why + (others.isEmpty() ? "" : "; " + others);
    }

    /** The address that peers are told; null if there is none of the family. */
    private static InetAddress address(HostInterface candidate, Family family) {
        return candidate.address(address -> whyNot(address, family).isEmpty()).orElse(null);
    }

    /** Why it has no address of the family, for people. */
    private static String whyNoAddress(HostInterface candidate, Family family) {
        return candidate.addresses().isEmpty() ? "it has no address" : "it has no usable address: "
                + candidate.addresses().stream().map(address -> text(address) + " is " + whyNot(address, family))
                        .collect(Collectors.joining(", "));
    }

    /** What else it has besides the address that is used, and why that is not used; empty if it has nothing else. */
    private static String others(HostInterface candidate, Family family) {
        InetAddress used = address(candidate, family);
        List<String> others = new ArrayList<>();
        for (InetAddress address : candidate.addresses()) {
            if (!address.equals(used)) {
                String why = whyNot(address, family);
                others.add(text(address) + (!why.isEmpty() ? ", which is " + why
                        : isIpv4(address) == isIpv4(used) ? ", which is not the first" : ", as IPv4 comes first"));
            }
        }
        return others.isEmpty() ? "" : "not " + String.join("; not ", others);
    }

    /** What is wrong with an address; empty if nothing is. */
    private static String whyNot(InetAddress address, Family family) {
        if (HostInterface.isBoundToHost(address)) {
            return "link-local";
        }
        boolean isIpv4 = isIpv4(address);
        return family == Family.ANY || isIpv4 == (family == Family.AF_INET) ? "" : isIpv4 ? "IPv4" : "IPv6";
    }

    private static boolean isIpv4(InetAddress address) {
        return address instanceof Inet4Address;
    }

    /** Without the scope, which is this host's own. */
    static String text(InetAddress address) {
        return address.getHostAddress().replaceFirst("%.*", "");
    }

    private static String unused(String why, String remedy) {
        return "not used, " + why + "; to use it, " + remedy;
    }

    /** An option, as people set it. */
    private static String names(Option<?> option) {
        return option + " or " + option.alias();
    }

    private static Tier firstOf(List<HostInterface> usable) {
        return TIERS.stream().filter(tier -> usable.stream().anyMatch(c -> tier.holds.test(c.name())))
                .findFirst().orElse(new Tier("no interface is up", name -> false));
    }

    private static boolean isSpecial(String name) {
        return name.startsWith("docker") || name.equals("lo") || name.startsWith("virbr");
    }
}
