/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.collnet.CollNetReport;
import io.proxyrt.cli.collnet.CollNetView;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.CollNetOptions;
import io.proxyrt.transport.collnet.CollNetProviders;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt info collnet}: which network would carry out collectives, and which reductions. */
@Command(name = "collnet", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Explains which network would carry out collectives here, and why.",
            "That is the COLLNET transport's network: its devices, the reductions that it knows, and what would change "
            + "the choice.", ""},
        footer = {"", "Examples:", "  proxyrt info collnet",
            "  NCCL_NET_PLUGIN=/opt/sharp/libnccl-net.so proxyrt info collnet",
            "  proxyrt info collnet --set collnet.switch=node1:4791 --json collnet.json",
            "", "Exit status: 0 if COLLNET can be used, 1 if not, 2 wrong usage."})
final class InfoCollNetCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingOptions settings;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    InfoCollNetCommand() {
    }

    @Override
    public Integer call() {
        ProxyConfig config = Misuse.checked(spec, () -> settings.builder().build());
        Optional<Destination> document = json.destination();
        CollNetView view = CollNetView.of(CollNetProviders.of(config), config);
        if (Destination.leavesStandardOutput(document)) {
            PrintWriter out = spec.commandLine().getOut();
            new CollNetReport(out).print(view);
            OptionTable.print(out, config, CollNetOptions.NETWORK.key());
            out.flush();
        }
        document.ifPresent(file -> file.write(Json.text(view)));
        return view.isUsable() ? 0 : 1;
    }
}
