/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.view.Table;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.NetOptions;
import io.proxyrt.transport.net.NetProviders;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import io.proxyrt.transport.net.spi.NetProperties;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt info net}: why NET would use this network, these interfaces, and these addresses. */
@Command(name = "net", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        description = {"Explains what the NET transport of a runtime would use here, and why.",
            "That is: network, interfaces, addresses that peers would be told, ports, sockets and threads; and what "
            + "would change each choice.", ""},
        footer = {"", "Examples:", "  proxyrt info net", "  NCCL_SOCKET_IFNAME=^docker proxyrt info net",
            "  proxyrt info net --set net.socket.family=AF_INET6",
            "", "Exit status: 0 if NET can be used, 1 if not, 2 wrong usage."})
final class InfoNetCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingOptions settings;

    /** For picocli. */
    InfoNetCommand() {
    }

    @Override
    public Integer call() {
        ProxyConfig config = Misuse.checked(spec, () -> settings.builder().build());
        PrintWriter out = spec.commandLine().getOut();
        boolean isUsable = printNetworks(out, config);
        OptionTable.print(out, config, NetOptions.NET.key());
        out.flush();
        return isUsable ? 0 : 1;
    }

    private static boolean printNetworks(PrintWriter out, ProxyConfig config) {
        String wanted = config.get(NetOptions.NET);
        String used = "";
        for (NetPluginProvider provider : NetProviders.of(config)) {
            used = printNetwork(out, provider, config, used) && used.isEmpty() ? provider.name() : used;
        }
        if (used.isEmpty()) {
            out.println(wanted.isEmpty() ? "No network has a device here: NET cannot be used"
                    : "No network with a device is called " + wanted + ", as " + NetOptions.NET
                            + " asks for: NET cannot be used");
        }
        return !used.isEmpty();
    }

    /** Whether it can be used, which it is if nothing was before it. */
    private static boolean printNetwork(PrintWriter out, NetPluginProvider provider, ProxyConfig config, String used) {
        String wanted = config.get(NetOptions.NET);
        try (NetPlugin network = provider.create(config, 0)) {
            // A plug-in of NCCL may have been given its name by that.
            boolean isWanted = wanted.isEmpty() || provider.name().equalsIgnoreCase(wanted);
            boolean hasDevice = network.devices() > 0;
            Table.line(out, "Network " + provider.name(), !isWanted ? "not used, " + NetOptions.NET + " is " + wanted
                    : !used.isEmpty() ? "not used, " + used + " comes first"
                    : hasDevice ? "used, as the first that has a device; another by " + NetOptions.NET + " or "
                            + NetOptions.NET.alias() : "not used, it has no device here");
            for (int dev = 0; dev < network.devices(); dev++) {
                Table.line(out, "  device " + dev, text(network.properties(dev)));
            }
            for (String explanation : network.explain()) {
                int colon = explanation.indexOf(": ");
                Table.line(out, "  " + explanation.substring(0, Math.max(0, colon)),
                        explanation.substring(colon < 0 ? 0 : colon + 2));
            }
            return isWanted && hasDevice;
        } catch (ProxyException e) {
            Table.line(out, "Network " + provider.name(), "not used, " + e.getMessage());
            return false;
        }
    }

    private static String text(NetProperties properties) {
        return properties.name() + ", " + properties.speedMbps() + " Mb/s, at most " + properties.maxComms()
                + " connections, " + properties.maxRecvs() + (properties.maxRecvs() == 1 ? " message" : " messages")
                + " a receive" + (properties.pciPath().isEmpty() ? "" : ", " + properties.pciPath());
    }
}
