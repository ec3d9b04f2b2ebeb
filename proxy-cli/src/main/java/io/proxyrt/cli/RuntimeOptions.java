/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.collectives.Algorithm;
import io.proxyrt.collectives.Allowed;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.transport.net.NetOptions;
import io.proxyrt.transport.net.SocketOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How the runtimes of the ranks are configured. */
final class RuntimeOptions {
    private static final String NET = "NET";
    private static final Set<Algorithm> OF_NETWORK = EnumSet.of(Algorithm.COLLNETDIRECT, Algorithm.COLLNETCHAIN);

    @Option(names = "--transport", paramLabel = "NAME",
            description = "Transport between ranks, see proxyrt info. Default: the first that can.")
    private String transport;

    @Option(names = "--net", paramLabel = "NAME",
            description = "Network between ranks: ib, socket, or a plug-in's name, see proxyrt info net. Asks for "
                    + "transport NET, also between ranks of one host. Default: the first that has a device.")
    private String net;

    @Option(names = "--algo", paramLabel = "NAMES", completionCandidates = Names.Algorithms.class,
            description = "Algorithms that collectives may choose from, comma-separated: ring, tree, doubling, pat, "
                    + "and collnet, collnetdirect and collnetchain, which let the network carry them out where it "
                    + "can. Default: all, by size, and by what the network may do.")
    private String algorithm;

    @Option(names = "--threading", paramLabel = "MODE", defaultValue = "auto",
            completionCandidates = Names.Threadings.class,
            description = "Threads of a runtime: dedicated, shared_control, shared, invoker (the caller's), or auto: "
                    + "dedicated if this host has a core for each thread that its ranks may keep busy, three each, or "
                    + "two with kernels on GPUs, else invoker. Default: ${DEFAULT-VALUE}.")
    private String threading;

    @Option(names = "--channels", paramLabel = "N",
            description = "Rings that share the work. Default: 1, on GPUs as many as the way between them takes.")
    private Integer channels;

    @Mixin
    private SettingOptions settings;

    @Option(names = {"-T", "--timeout"}, paramLabel = "SECONDS",
            description = "Fail when nothing at all has moved for so long. Default: 30.")
    private Integer timeoutSeconds;

    @Mixin
    private DeviceOptions devices;

    private final Map<String, String> preferences = new HashMap<>();

    /** For picocli. */
    RuntimeOptions() {
    }

    /** Sets an option where neither the command line nor the environment does. */
    void prefer(String key, String value) {
        preferences.put(key, value);
    }

    /** What the runtimes of a launch are configured with; what makes no sense is a {@link ParameterException}. */
    RankConfigs configs(CommandSpec spec, RankLaunch launch) {
        if (launch.isOneHost()) {
            // The network needs no interface that other hosts reach.
            prefer(SocketOptions.IFNAME.key(), "=lo");
        }
        RankConfigs configs = Misuse.checked(spec, () -> devices.deal(config(), launch.firstLocal()));
        return launch.nodes() == 1 ? configs : configs.onNodes(launch.nRanks() / launch.nodes());
    }

    /** The effective configuration; what makes no sense is an {@link IllegalArgumentException}. */
    ProxyConfig config() {
        ProxyConfig config = builder().build();
        requireTransport(config.get(CollectivesOptions.TRANSPORT));
        ThreadingMode mode = threading();
        // When the mode was set in another way, auto leaves it alone.
        return mode == ThreadingMode.AUTO && config.isSet(CoreOptions.THREADING) ? config
                : config.with(CoreOptions.THREADING, mode);
    }

    private ProxyConfig.Builder builder() {
        ProxyConfig.Builder builder = settings.builder();
        builder.build().settings().stream().filter(setting -> setting.source().equals("default"))
                .map(setting -> setting.option().key()).filter(preferences::containsKey)
                .forEach(key -> builder.set(key, preferences.get(key)));
        if (transport != null) {
            builder.set(CollectivesOptions.TRANSPORT, transport);
        }
        if (net != null) {
            requireNet();
            builder.set(CollectivesOptions.TRANSPORT, NET).set(NetOptions.NET, net);
        }
        if (algorithm != null) {
            Allowed<Algorithm> allowed = algorithms();
            builder.set(CollectivesOptions.ALGORITHM, allowed);
            if (Arrays.stream(Algorithm.values()).filter(allowed::admits).allMatch(OF_NETWORK::contains)) {
                builder.set(CollectivesOptions.COLLNET_ENABLE, true);
            }
        }
        if (channels != null) {
            builder.set(CollectivesOptions.CHANNELS, channels);
        }
        if (timeoutSeconds != null) {
            if (timeoutSeconds < 1) {
                throw new IllegalArgumentException("--timeout is " + timeoutSeconds + ": must be at least 1 second");
            }
            builder.set(CollectivesOptions.TIMEOUT, Duration.ofSeconds(timeoutSeconds));
        }
        return builder;
    }

    private void requireNet() {
        if (net.isEmpty() || transport != null && !transport.equalsIgnoreCase(NET)) {
            throw new IllegalArgumentException("--net is '" + net + "': must be a network's name, of transport NET"
                    + (transport == null ? "" : ", and --transport is " + transport));
        }
    }

    private Allowed<Algorithm> algorithms() {
        try {
            return CollectivesOptions.ALGORITHM.parse(algorithm, "--algo");
        } catch (ProxyException e) {
            throw new IllegalArgumentException(e.getMessage() + Suggestion.of(algorithm, new Names.Algorithms()), e);
        }
    }

    private ThreadingMode threading() {
        String name = threading.toUpperCase(Locale.ROOT).replace('-', '_');
        return Arrays.stream(ThreadingMode.values()).filter(mode -> mode.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--threading is '" + threading
                        + "': must be auto, dedicated, shared_control, shared or invoker"
                        + Suggestion.of(threading, new Names.Threadings())));
    }

    private static void requireTransport(String name) {
        List<String> names = ServiceLoader.load(ProxyTransportProvider.class).stream()
                .map(provider -> provider.get().name()).sorted().toList();
        if (!name.isEmpty() && names.stream().noneMatch(name::equalsIgnoreCase)) {
            throw new IllegalArgumentException("there is no transport '" + name + "': "
                    + (names.isEmpty() ? "this build has none" : "this build has " + String.join(", ", names))
                    + Suggestion.of(name, names));
        }
    }
}
