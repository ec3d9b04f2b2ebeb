/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceProvider;
import io.proxyrt.core.device.host.Devices;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Which devices the ranks have. */
final class DeviceOptions {
    @Option(names = "--device", paramLabel = "KIND",
            description = "Where the data are: host, cuda or hip, see proxyrt info devices. Each rank of a host takes "
                    + "the next device of the kind; with a number, as in cuda:1, all take that one. Default: host.")
    private String device;

    @Option(names = "--gpus", paramLabel = "N",
            description = "How many devices of the kind the ranks of a host share. Default: all that there are.")
    private Integer gpus;

    /** For picocli. */
    DeviceOptions() {
    }

    /** Deals the devices to the ranks; what cannot be is an {@link IllegalArgumentException}. */
    RankConfigs deal(ProxyConfig config, int firstLocal) {
        if (device == null) {
            return undealt(config);
        }
        ProxyConfig common = config.with(CoreOptions.DEVICE, device);
        int colon = device.indexOf(':');
        String kind = colon < 0 ? device : device.substring(0, colon);
        if (kind.equals(Devices.HOST)) {
            return undealt(common);
        }
        DeviceProvider provider = provider(kind);
        String whyNot = provider.whyNot(config);
        if (!whyNot.isEmpty()) {
            throw new IllegalArgumentException("--device is '" + device + "', and there is none: " + whyNot);
        }
        int count = provider.count(config);
        if (colon >= 0) {
            requireNumber(device.substring(colon + 1), count);
            return undealt(common);
        }
        return new RankConfigs(common, kind, shared(count), firstLocal);
    }

    private RankConfigs undealt(ProxyConfig config) {
        if (gpus != null) {
            throw new IllegalArgumentException("--gpus is " + gpus + ": that takes --device with a kind of GPU, and no "
                    + "number");
        }
        return RankConfigs.same(config);
    }

    private void requireNumber(String digits, int count) {
        if (!digits.matches("\\d{1,9}") || Integer.parseInt(digits) >= count) {
            throw new IllegalArgumentException("--device is '" + device + "': what follows the colon must be within 0 "
                    + "to " + (count - 1));
        }
    }

    private int shared(int count) {
        int wanted = gpus == null ? count : gpus;
        if (wanted < 1 || wanted > count) {
            throw new IllegalArgumentException("--gpus is " + wanted + ": must be within 1 to " + count
                    + ", as many as there are");
        }
        return wanted;
    }

    private DeviceProvider provider(String kind) {
        List<String> known = new ArrayList<>(List.of(Devices.HOST));
        for (DeviceProvider provider : Devices.providers()) {
            if (provider.kind().equals(kind)) {
                return provider;
            }
            known.add(provider.kind());
        }
        throw new IllegalArgumentException("--device is '" + device + "': this build knows "
                + String.join(", ", known) + Suggestion.of(kind, known));
    }
}
