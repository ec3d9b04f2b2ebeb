/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.devices.DevicesReport;
import io.proxyrt.cli.devices.DevicesView;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.Topology;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt info devices}: GPUs, what they can do, and what joins them. */
@Command(name = "devices", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Shows the devices of this host, what joins them, or why there is none.",
            "It opens each, and shows what its driver says of it; then what joins the devices with each other and with "
            + "the networks, and who reaches whose memory.", ""},
        footer = {"", "Examples:", "  proxyrt info devices", "  CUDA_VISIBLE_DEVICES=1 proxyrt info devices",
            "  proxyrt info devices --json devices.json",
            "", "Exit status: 0 if every device that was found could be opened, 1 if not or on an error, 2 wrong "
                + "usage."})
final class InfoDevicesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingOptions settings;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    InfoDevicesCommand() {
    }

    @Override
    public Integer call() {
        ProxyConfig config = Misuse.checked(spec, () -> settings.builder().build());
        Optional<Destination> document = json.destination();
        DevicesView view = DevicesView.of(config, Topology.ofHost(), NvidiaDriver.find());
        if (Destination.leavesStandardOutput(document)) {
            new DevicesReport(spec.commandLine().getOut()).print(view);
        }
        document.ifPresent(file -> file.write(Json.text(view)));
        return view.isWhole() ? 0 : 1;
    }
}
