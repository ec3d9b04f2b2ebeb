/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.collnet;

import io.proxyrt.cli.view.Json.Inline;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.CollNetOptions;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import io.proxyrt.transport.collnet.spi.CollNetProperties;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The networks of a host that carry out collectives.
 *
 * @param wanted   the one that is asked for; empty for any
 * @param used     the one that a runtime would use; empty if there is none
 * @param networks all, first choice first
 */
public record CollNetView(String wanted, String used, List<Network> networks) {
    /** What a network is asked for. An average is a sum to it. */
    static final List<RedOp> REDUCTIONS = List.of(RedOp.SUM, RedOp.PROD, RedOp.MAX, RedOp.MIN);

    /**
     * A network.
     *
     * @param name         of it
     * @param whyNot       it is not used; empty if it is
     * @param devices      that can be used
     * @param reductions   that it carries out, by type; empty if it has no device
     * @param explanations why it is as it is
     */
    public record Network(String name, String whyNot, List<Device> devices, Map<String, List<String>> reductions,
            List<String> explanations) {
    }

    /**
     * A device.
     *
     * @param number     from 0 on
     * @param properties of it
     */
    public record Device(int number, @Inline CollNetProperties properties) {
    }

    /**
     * Asks all networks.
     *
     * @param providers of them, first choice first
     * @param config    effective settings
     * @return whole; networks that cannot be used say why
     */
    public static CollNetView of(List<CollNetPluginProvider> providers, ProxyConfig config) {
        String wanted = config.get(CollNetOptions.NETWORK);
        String used = "";
        List<Network> networks = new ArrayList<>();
        for (CollNetPluginProvider provider : providers) {
            Network network = look(provider, config, wanted, used);
            used = network.whyNot().isEmpty() ? network.name() : used;
            networks.add(network);
        }
        return new CollNetView(wanted, used, networks);
    }

    private static Network look(CollNetPluginProvider provider, ProxyConfig config, String wanted, String used) {
        try (CollNetPlugin network = provider.create(config, 0)) {
            // A plug-in of NCCL may have been given its name by that.
            String name = provider.name();
            boolean isWanted = wanted.isEmpty() || name.equalsIgnoreCase(wanted);
            String whyNot = !isWanted ? CollNetOptions.NETWORK + " is " + wanted
                    : network.devices() == 0 ? "it has no device here"
                    : used.isEmpty() ? "" : used + " comes first";
            return new Network(name, whyNot, IntStream.range(0, network.devices())
                    .mapToObj(dev -> new Device(dev, network.properties(dev))).toList(),
                    network.devices() == 0 ? Map.of() : reductions(network), network.explain());
        } catch (ProxyException e) {
            return new Network(provider.name(), e.getMessage(), List.of(), Map.of(), List.of());
        }
    }

    private static Map<String, List<String>> reductions(CollNetPlugin network) {
        Map<String, List<String>> reductions = new LinkedHashMap<>();
        Arrays.stream(DataType.values()).forEach(type -> reductions.put(type.label(), REDUCTIONS.stream()
                .filter(op -> network.reduceSupport(type, op)).map(RedOp::label).toList()));
        return reductions;
    }

    /**
     * Whether COLLNET can be used.
     *
     * @return true if a network can
     */
    public boolean isUsable() {
        return !used.isEmpty();
    }
}
