/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.about.Host;
import io.proxyrt.cli.view.Table;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.Version;
import io.proxyrt.core.agent.thread.CpuList;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceProvider;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.platform.Leftovers;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.PrivateDirectory;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.runtime.HostLoad;
import io.proxyrt.core.runtime.NicAffinity;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ThreadingChoice;
import io.proxyrt.transport.net.NetProviders;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt info}: what there is on this host, and what is set. */
@Command(name = "info", subcommands = {InfoNetCommand.class, InfoPeersCommand.class, InfoDevicesCommand.class,
        InfoIbCommand.class, InfoCollNetCommand.class, InfoTopologyCommand.class, InfoTuningCommand.class,
        InfoInitCommand.class,
        InfoOptionsCommand.class, HelpCommand.class},
        commandListHeading = "%nCommands:%n",
        mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        description = {"Shows what there is on this host, and what is set.",
            "That is: version and host; the transports, networks and devices found, or why not; and every option with "
            + "its value, where that comes from, and RCCL's name for it.", ""},
        footer = {"", "Examples:", "  proxyrt info", "  proxyrt info net", "  proxyrt info peers",
            "  proxyrt info devices", "  proxyrt info ib", "  proxyrt info collnet", "  proxyrt info topology",
            "  proxyrt info tuning --arch sm90", "  proxyrt info init", "  proxyrt info options",
            "  NCCL_SOCKET_IFNAME=eth proxyrt info",
            "  PROXYRT_JAVA_OPTS=-Dproxyrt.buffer.bytes=1M proxyrt info"})
final class InfoCommand implements Callable<Integer> {
    private static final String ABSENT = "not part of this build";
    private static final List<String> TRANSPORTS = List.of("P2P", "SHM", "NET", "COLLNET");

    @Spec
    private CommandSpec spec;

    /** For picocli. */
    InfoCommand() {
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        ProxyConfig config = ProxyConfig.builder().build();
        printHost(out, config);
        boolean isWhole = printFindings(out);
        OptionTable.print(out, config, "");
        out.flush();
        return isWhole ? 0 : 1;
    }

    private static void printHost(PrintWriter out, ProxyConfig config) {
        Table.line(out, "proxyrt", Version.text());
        Table.line(out, "java", System.getProperty("java.vm.name") + " " + Runtime.version() + ", "
                + System.getProperty("java.vendor") + ", " + System.getProperty("java.home"));
        Table.line(out, "system", Host.system() + ", " + Runtime.getRuntime().availableProcessors() + " cores of "
                + Host.cpu());
        Table.line(out, "host", Host.name());
        Table.line(out, "platform", platform());
        Table.line(out, "directory", directory(config));
        Table.line(out, "threading", threading(config));
        Table.line(out, "nic affinity", nicAffinity(config));
        Table.line(out, "copies", copies(config));
    }

    private static String copies(ProxyConfig config) {
        Platform platform = Platform.find();
        return switch (config.get(CoreOptions.COPY)) {
            case JVM -> "by the JVM, as asked for";
            case NATIVE -> "by the C library, as asked for";
            case AUTO -> platform.copy().isEmpty() ? "by the JVM: " + platform.whyNot()
                    : "by the C library or the JVM, whichever is faster: each connection tries both, and logs it";
        };
    }

    private static String threading(ProxyConfig config) {
        try {
            ThreadingChoice alone = ThreadingChoice.of(ThreadingMode.AUTO, false,
                    HostLoad.seen(config.with(CoreOptions.THREADING, ThreadingMode.AUTO)));
            return "auto is " + alone.mode().name().toLowerCase(Locale.ROOT) + " for a rank alone, because "
                    + alone.reason();
        } catch (ProxyException e) {
            return "auto cannot tell: " + e.getMessage();
        }
    }

    private static String nicAffinity(ProxyConfig config) {
        try {
            return NicAffinity.of(config, 0).toString();
        } catch (ProxyException e) {
            return "cannot tell: " + e.getMessage();
        }
    }

    private static String directory(ProxyConfig config) {
        try {
            return Leftovers.make(() -> usableDirectory(config));
        } catch (ProxyException e) {
            return "unusable: " + e.getMessage();
        }
    }

    private static String usableDirectory(ProxyConfig config) {
        try (PrivateDirectory base = RuntimeDirectory.openBase(config)) {
            base.removeIfEmpty();
            return base.path().toString();
        }
    }

    private static String platform() {
        Platform platform = Platform.find();
        return platform.whyNot().isEmpty() ? platform.name() + ", CPUs " + CpuList.format(platform.processCpus())
                : "unavailable: " + platform.whyNot();
    }

    /** Starts a runtime that is not driven, to ask its transports. */
    private static boolean printFindings(PrintWriter out) {
        ProxyConfig config = ProxyConfig.builder().set(CoreOptions.THREADING, ThreadingMode.INVOKER).build();
        Map<String, String> transports = new LinkedHashMap<>();
        TRANSPORTS.forEach(name -> transports.put(name, ABSENT));
        String device = "";
        List<String> control = List.of();
        String problem = "";
        ProxyState proxy = null;
        try {
            proxy = ProxyState.builder().config(config).start();
            for (String name : proxy.transports()) {
                transports.put(name, proxy.describe(name));
            }
            device = device(proxy.device());
            control = List.of(proxy.describeService(), proxy.memory().describe());
        } catch (ProxyException e) {
            problem = e.getMessage();
            ServiceLoader.load(ProxyTransportProvider.class)
                    .forEach(provider -> transports.put(provider.name(), "not asked: no runtime starts here"));
        } finally {
            if (proxy != null) {
                proxy.close(Duration.ZERO);
            }
        }
        out.println("\nTransports, first choice first");
        transports.forEach((name, text) -> Table.line(out, "  " + name, text));
        out.println("\nNetworks of NET, first choice first");
        printNetworks(out, config);
        out.println("\nControl plane of a runtime with these options");
        Table.line(out, "  service", problem.isEmpty() ? control.getFirst() : "not asked: no runtime starts here");
        Table.line(out, "  UDS thread", problem.isEmpty() ? control.getLast() : "not asked: no runtime starts here");
        out.println("\nDevices");
        Table.line(out, "  host", problem.isEmpty() ? device
                : "no runtime starts here: " + problem);
        printDrivers(out, config);
        return problem.isEmpty();
    }

    private static void printDrivers(PrintWriter out, ProxyConfig config) {
        for (DeviceProvider provider : Devices.providers()) {
            String whyNot = provider.whyNot(config);
            Table.line(out, "  " + provider.kind(), !whyNot.isEmpty() ? "none: " + whyNot
                    : provider.count(config) + (provider.count(config) == 1 ? " device, " : " devices, ")
                            + provider.version(config) + "; see proxyrt info devices");
            provider.explain(config).forEach(line -> Table.line(out, "", line));
        }
    }

    private static String device(Device device) {
        return device.name() + ", plays the GPU with this host's memory and threads"
                + (device instanceof HostDevice host ? ": " + host.placement() : "");
    }

    private static void printNetworks(PrintWriter out, ProxyConfig config) {
        for (NetPluginProvider provider : NetProviders.of(config)) {
            // Before its name is asked for, which plug-ins of NCCL have when they are initialized.
            String text = network(provider, config);
            Table.line(out, "  " + provider.name(), text);
        }
    }

    private static String network(NetPluginProvider provider, ProxyConfig config) {
        try (NetPlugin network = provider.create(config, 0)) {
            String text = network.describe();
            return text.startsWith(provider.name() + ": ") ? text.substring(provider.name().length() + 2) : text;
        } catch (ProxyException e) {
            return "unavailable: " + e.getMessage();
        }
    }
}
