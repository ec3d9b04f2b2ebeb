/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.collnet.CollNetReport;
import io.proxyrt.cli.collnet.CollNetView;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.CollNetOptions;
import io.proxyrt.transport.collnet.CollNetProviders;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code proxyrt info collnet}: which network would carry out collectives, and which reductions. */
@Command(name = "collnet", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false, usageHelpWidth = 100,
        description = {"Explains which network the COLLNET transport of a runtime would have carry out collectives",
            "here, and why: its devices, the reductions that it knows, and what would change the choice.", ""},
        footer = {"", "Examples:", "  proxyrt info collnet",
            "  NCCL_NET_PLUGIN=/opt/sharp/libnccl-net.so proxyrt info collnet",
            "  proxyrt info collnet --set collnet.switch=node1:4791 --json collnet.json",
            "", "Exit status: 0 if COLLNET can be used, 1 if not, 2 wrong usage."})
final class InfoCollNetCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingOptions settings;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write it for programs.")
    private Path json;

    /** For picocli. */
    InfoCollNetCommand() {
    }

    @Override
    public Integer call() {
        ProxyConfig config = Misuse.checked(spec, () -> settings.builder().build());
        Misuse.requireWritable(spec, "--json", json);
        PrintWriter out = spec.commandLine().getOut();
        CollNetView view = CollNetView.of(CollNetProviders.of(config), config);
        new CollNetReport(out).print(view);
        OptionTable.print(out, config, CollNetOptions.NETWORK.key());
        out.flush();
        if (json != null) {
            Json.write(json, view);
        }
        return view.isUsable() ? 0 : 1;
    }
}
