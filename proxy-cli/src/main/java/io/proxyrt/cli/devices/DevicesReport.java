/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.devices;

import io.proxyrt.cli.devices.DevicesView.Kind;
import io.proxyrt.cli.devices.DevicesView.Link;
import io.proxyrt.cli.devices.DevicesView.Opened;
import io.proxyrt.cli.devices.DevicesView.Port;
import io.proxyrt.cli.view.Table;
import io.proxyrt.core.LinkType;
import io.proxyrt.core.device.DeviceLimits;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** Prints the devices of this host and what joins them. */
public final class DevicesReport {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final double GIB = 1L << 30;
    private static final Table MATRIX = new Table(22, 11);

    private final PrintWriter out;

    /**
     * Prints.
     *
     * @param out where to
     */
    public DevicesReport(PrintWriter out) {
        this.out = out;
    }

    /**
     * Prints all of it.
     *
     * @param view of this host
     */
    public void print(DevicesView view) {
        view.kinds().forEach(this::printKind);
        if (!view.driven().isEmpty()) {
            printMatrix(view);
            printPeers(view.links());
        }
        out.flush();
    }

    private void printKind(Kind kind) {
        if (!kind.version().isEmpty() || !kind.whyNot().isEmpty()) {
            line(kind.kind(), kind.whyNot().isEmpty() ? kind.version() : "none: " + kind.whyNot());
        }
        kind.notes().forEach(note -> line("", note));
        kind.devices().forEach(this::printDevice);
        kind.problems().forEach(problem -> line("  not opened", problem));
    }

    private void printDevice(Opened device) {
        DeviceLimits limits = device.limits();
        line(device.name(), joined(device.note(), device.model(), device.architecture(),
                device.memoryBytes() == 0 ? "" : gibibytes(device.memoryBytes())));
        line("  bus", device.pciId().isEmpty() ? "not on PCI" : joined(device.pciId(),
                device.numaNode() < 0 ? "" : "NUMA node " + device.numaNode(), "link " + device.bus()));
        line("  kernels", limits.processors() + " processors, warps of " + limits.warpSize() + ", blocks of at most "
                + limits.maxBlockThreads() + " threads that share " + bytes(limits.maxSharedBytes()));
        line("  copies", limits.asyncEngines() + (limits.asyncEngines() == 1 ? " engine" : " engines")
                + ", shareable memory in pieces of " + bytes(limits.granularityBytes()));
        if (!device.nvlinks().isEmpty()) {
            line("  nvlinks", device.nvlinks().stream()
                    .map(link -> link.count() + (link.isGpu() ? " to GPU " : " to switch ") + link.target())
                    .collect(Collectors.joining(", ")));
        }
        line("  can", device.capabilities().isEmpty() ? "nothing besides memory"
                : device.capabilities().stream().map(capability -> capability.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", ")));
    }

    /** From each device to all others, and to the networks. */
    private void printMatrix(DevicesView view) {
        List<String> columns = new ArrayList<>(view.driven());
        view.networkPorts().stream().map(Port::name).forEach(columns::add);
        out.println();
        out.println(MATRIX.row("Links", columns));
        Set<LinkType> used = EnumSet.noneOf(LinkType.class);
        for (String from : view.driven()) {
            List<LinkType> types = view.links().stream().filter(link -> link.from().equals(from)).map(Link::type)
                    .toList();
            out.println(MATRIX.row("  " + from, types.stream().map(LinkType::label).toList()));
            used.addAll(types);
        }
        out.println("  " + used.stream().map(type -> type.label() + " " + type.text())
                .collect(Collectors.joining("; ")));
    }

    private void printPeers(List<Link> links) {
        for (Link link : links) {
            if (link.isPeer() && link.type() != LinkType.SELF) {
                line("  " + link.from(), "reaches " + link.to() + "'s memory");
            } else if (!link.whyNot().isEmpty()) {
                line("  " + link.from(), "does not reach " + link.to() + "'s memory: " + link.whyNot());
            }
        }
    }

    private static String joined(String... parts) {
        StringJoiner text = new StringJoiner(", ");
        for (String part : parts) {
            if (!part.isEmpty()) {
                text.add(part);
            }
        }
        return text.toString();
    }

    private static String gibibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f GiB", bytes / GIB);
    }

    private static String bytes(long bytes) {
        return bytes >= MIB && bytes % MIB == 0 ? bytes / MIB + " MiB"
                : bytes >= KIB && bytes % KIB == 0 ? bytes / KIB + " KiB" : bytes + " bytes";
    }

    private void line(String name, String text) {
        Table.line(out, name, text);
    }
}
