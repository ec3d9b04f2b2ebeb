/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.collnet;

import io.proxyrt.cli.collnet.CollNetView.Network;
import io.proxyrt.cli.view.Table;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.CollNetOptions;
import io.proxyrt.transport.collnet.spi.CollNetProperties;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/**
 * Prints networks that carry out collectives for people.
 *
 * @param out where to print
 */
public record CollNetReport(PrintWriter out) {
    private static final Table REDUCTIONS = new Table(22, 6);

    /**
     * Prints a host's.
     *
     * @param view what was found
     */
    public void print(CollNetView view) {
        view.networks().forEach(this::print);
        if (!view.isUsable()) {
            out.println(view.wanted().isEmpty() ? "No network has a device here: COLLNET cannot be used"
                    : "No network with a device is called " + view.wanted() + ", as " + CollNetOptions.NETWORK
                            + " asks for: COLLNET cannot be used");
        }
        out.flush();
    }

    private void print(Network network) {
        line("Network " + network.name(), network.whyNot().isEmpty()
                ? "used, as the first that has a device; another by " + CollNetOptions.NETWORK
                : "not used, " + network.whyNot());
        network.devices().forEach(device -> line("  device " + device.number(), text(device.properties())));
        printReductions(network.reductions());
        for (String explanation : network.explanations()) {
            int colon = explanation.indexOf(": ");
            line("  " + explanation.substring(0, Math.max(0, colon)), explanation.substring(colon < 0 ? 0 : colon + 2));
        }
    }

    private void printReductions(Map<String, List<String>> reductions) {
        if (reductions.isEmpty()) {
            return;
        }
        List<String> labels = CollNetView.REDUCTIONS.stream().map(RedOp::label).toList();
        out.println(REDUCTIONS.row("  reduces", labels));
        reductions.forEach((type, ops) -> out.println(REDUCTIONS.row("    " + type,
                labels.stream().map(op -> ops.contains(op) ? "yes" : "no").toList())));
    }

    private static String text(CollNetProperties properties) {
        return properties.name() + ", " + properties.speedMbps() + " Mb/s, at most " + properties.maxComms()
                + " comms, calls of up to " + properties.maxCollBytes() + " bytes"
                + (properties.pciPath().isEmpty() ? "" : ", " + properties.pciPath());
    }

    private void line(String name, String text) {
        Table.line(out, name, text);
    }
}
