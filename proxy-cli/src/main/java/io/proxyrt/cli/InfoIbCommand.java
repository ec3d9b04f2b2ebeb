/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.ib.VerbsReport;
import io.proxyrt.cli.ib.VerbsView;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.verbs.Verbs;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt info ib}: RDMA devices, their ports and addresses. */
@Command(name = "ib", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Shows the RDMA devices of this host, or why there is none.",
            "It opens each, InfiniBand or RoCE, and shows its ports and their addresses (GIDs); or it says what is in "
            + "the way: library, kernel, permission, limit of locked memory.", ""},
        footer = {"", "Examples:", "  proxyrt info ib", "  proxyrt info ib --json ib.json",
            "", "Exit status: 0 if a port is active, 1 if not, 2 wrong usage."})
final class InfoIbCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    InfoIbCommand() {
    }

    @Override
    public Integer call() {
        Optional<Destination> document = json.destination();
        VerbsView view = VerbsView.of(Verbs.find());
        if (Destination.leavesStandardOutput(document)) {
            new VerbsReport(spec.commandLine().getOut()).print(view);
        }
        document.ifPresent(file -> file.write(Json.text(view)));
        return view.isUsable() ? 0 : 1;
    }
}
