/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Sample;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.bench.suite.Bench;
import io.proxyrt.bench.suite.GpuBench;
import io.proxyrt.bench.suite.NcclFigures;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceProvider;
import io.proxyrt.core.device.host.Devices;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The {@code proxyrt bench gpu} command. */
final class GpuCommand extends MeasuringCommand {
    private static final int RANKS = 2;

    @Option(names = "--device", paramLabel = "KIND", defaultValue = "cuda",
            description = "cuda or hip (default: ${DEFAULT-VALUE})")
    private String kind;

    @Option(names = "--nccl", paramLabel = "FILE", description = "NCCL's figures, made under the same boot")
    private Path nccl;

    private final ProxyConfig config = ProxyConfig.builder().build();

    GpuCommand() {
        super(List.of(), null);
    }

    /** What is to stand beside ours is read first: minutes later its faults would cost the report. */
    @Override
    Bench benchmark(Scale scale, Peers found) {
        List<Sample> beside = nccl == null ? List.of() : NcclFigures.read(nccl);
        DeviceProvider provider = provider();
        if (!provider.whyNot(config).isEmpty()) {
            throw new BenchException("there is no GPU to measure: " + provider.whyNot(config));
        }
        int gpus = Math.min(RANKS, provider.count(config));
        return new GpuBench(scale, found, kind, gpus, beside, () -> devices(provider, gpus));
    }

    private String devices(DeviceProvider provider, int gpus) {
        try (Device device = provider.open(0, config)) {
            return device.attributes().model() + ", " + gpus + " of " + provider.count(config) + "; "
                    + provider.version(config);
        }
    }

    private DeviceProvider provider() {
        return Devices.providers().stream().filter(known -> known.kind().equals(kind)).findFirst()
                .orElseThrow(() -> new BenchException("there is no kind '" + kind + "' of GPUs"));
    }
}
