/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.ib;

import io.proxyrt.cli.ib.VerbsView.Address;
import io.proxyrt.cli.ib.VerbsView.Hca;
import io.proxyrt.cli.ib.VerbsView.Port;
import io.proxyrt.cli.view.Table;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.VerbsDevice;
import java.io.PrintWriter;

/**
 * Prints RDMA devices for people.
 *
 * @param out where to print
 */
public record VerbsReport(PrintWriter out) {
    /**
     * Prints a host's.
     *
     * @param view what was found
     */
    public void print(VerbsView view) {
        line("library", view.library());
        if (!view.lockedMemory().isEmpty()) {
            line("locked memory", view.lockedMemory().equals("unlimited") ? "unlimited"
                    : "at most " + view.lockedMemory() + " bytes; to register more, raise it (ulimit -l unlimited)");
        }
        if (!view.whyNot().isEmpty()) {
            line("devices", "none: " + view.whyNot());
        } else if (view.devices().isEmpty()) {
            line("devices", "none");
        }
        if (!view.unknown().isEmpty()) {
            line("not used", String.join(", ", view.unknown()) + ": " + view.whyUnknown());
        }
        view.devices().forEach(this::print);
        out.flush();
    }

    private void print(Hca device) {
        if (device.limits().isEmpty()) {
            line(device.name(), "not opened: " + device.whyNot());
            return;
        }
        VerbsDevice limits = device.limits().get();
        line(device.name(), "firmware " + limits.firmware() + ", GUID %016x".formatted(limits.guid())
                + ", vendor 0x%04x".formatted(limits.vendorId()));
        line("  bus", device.pciPath().isEmpty() ? "none, it is virtual" : device.pciPath());
        line("  limits", limits.maxQps() + " queue pairs of " + limits.maxWrs() + " work requests, " + limits.maxCqes()
                + " completions in a queue, " + limits.maxMrs() + " regions");
        device.ports().forEach(this::print);
    }

    private void print(Port port) {
        line("  port " + port.number(), port.state() + ", " + port.linkLayer() + ", " + port.speedMbps()
                + " Mb/s, MTU " + port.mtuBytes() + (port.lid() == 0 ? "" : ", LID " + port.lid()));
        for (Address address : port.addresses()) {
            line("    GID " + address.index(), address.gid() + ", " + text(address.kind()));
        }
    }

    private static String text(Gid.Kind kind) {
        return switch (kind) {
            case IB -> "InfiniBand";
            case ROCE_V1 -> "RoCE v1";
            case ROCE_V2 -> "RoCE v2";
        };
    }

    private void line(String name, String text) {
        Table.line(out, name, text);
    }
}
