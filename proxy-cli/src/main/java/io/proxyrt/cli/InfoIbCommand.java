/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.ib.VerbsReport;
import io.proxyrt.cli.ib.VerbsView;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.verbs.Verbs;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code proxyrt info ib}: RDMA devices, their ports and addresses. */
@Command(name = "ib", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false, usageHelpWidth = 100,
        description = {"Opens every RDMA device of this host, InfiniBand or RoCE, and shows its ports and their",
            "addresses (GIDs); or why there is none: library, kernel, permission, limit of locked memory.", ""},
        footer = {"", "Examples:", "  proxyrt info ib", "  proxyrt info ib --json ib.json",
            "", "Exit status: 0 if a port is active, 1 if not, 2 wrong usage."})
final class InfoIbCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write it for programs.")
    private Path json;

    /** For picocli. */
    InfoIbCommand() {
    }

    @Override
    public Integer call() {
        Misuse.requireWritable(spec, "--json", json);
        VerbsView view = VerbsView.of(Verbs.find());
        new VerbsReport(spec.commandLine().getOut()).print(view);
        if (json != null) {
            Json.write(json, view);
        }
        return view.isUsable() ? 0 : 1;
    }
}
